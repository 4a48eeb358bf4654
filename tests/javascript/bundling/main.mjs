// Sends the report from a page to the address that it was given, or prints it.
import { report } from "./report.mjs";

report()
  .catch((error) => ({ error: String(error) }))
  .then((found) => {
    const body = JSON.stringify(found);
    if (!globalThis.document) return console.log(body);
    const to = new URLSearchParams(location.search).get("report") ?? "report";
    return fetch(to, { method: "POST", mode: "no-cors", body });
  });
