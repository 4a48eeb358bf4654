// Long work in a worker, so that the page goes on answering: one worker a task, ended with it.

/** Posts a message to a new worker; what it answers goes to `told`, up to its last answer, which is returned. */
export function inWorker(worker, message, told) {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => {
      if (data.error) reject(new Error(data.error));
      else if ("result" in data) resolve(data.result);
      else told(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message || "a part of the page did not load"));
    };
    worker.postMessage(message);
  }).finally(() => worker.terminate());
}

/** A worker's side: does the work for the one message that it gets, and tells how it ended. */
export function answer(work) {
  globalThis.onmessage = async ({ data }) => {
    try {
      postMessage({ result: await work(data, (news) => postMessage(news)) });
    } catch (error) {
      postMessage({ error: error.message || String(error) });
    }
  };
}

/** A file of the page's data. */
export async function data(name) {
  const response = await fetch(new URL(`data/${name}`, import.meta.url));
  if (!response.ok) throw new Error(`the server has no data/${name} (${response.status})`);
  return response;
}
