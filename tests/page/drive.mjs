// Drives the page in a browser as a visitor would: `drive.mjs ORDER.json` prints what it saw. test_visit.py is the other
// end. An order has the browser, its program, addresses, files, and folders for screenshots.

import { readFile, truncate } from "node:fs/promises";
import { createRequire } from "node:module";

const order = JSON.parse(await readFile(process.argv[2], "utf8"));
const require = createRequire(`${order.packages}/`);
const { default: puppeteer } = await import(require.resolve("puppeteer-core"));
const AXE = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");

const PATIENCE = 120_000; // a busy machine is slow
const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844, deviceScaleFactor: 2 } };

const browser = await puppeteer.launch({
  browser: order.browser === "chromium" ? "chrome" : "firefox",
  executablePath: order.program,
  args: order.arguments,
  extraPrefsFirefox: order.preferences,
  userDataDir: order.profile,
  headless: true,
});
const seen = { requests: [], complaints: [] };
try {
  console.log(JSON.stringify({ ...(await visit()), ...seen }));
} catch (error) {
  const pages = await browser.pages();
  const texts = await Promise.all(pages.map((page) => page.evaluate(() => document.body.innerText)));
  console.error(texts.join("\n"), seen.complaints);
  throw error;
} finally {
  await browser.close();
}

async function opened(url) {
  const page = await browser.newPage();
  page.on("request", (request) => seen.requests.push(request.url()));
  page.on("console", (message) => ["error", "warn"].includes(message.type()) && seen.complaints.push(message.text()));
  page.on("pageerror", (error) => seen.complaints.push(error.message));
  await page.setViewport(SIZES.desktop);
  await page.goto(url);
  await page.waitForFunction(() => globalThis.results);
  return page;
}

async function visit() {
  const page = await opened(order.url);
  await runAll(page);
  await give(page, order.model);
  await page.waitForFunction(() => !document.querySelector("#run-model").hidden, { timeout: PATIENCE });
  await page.click("#run-model");
  await page.waitForFunction(() => globalThis.results.model, { timeout: PATIENCE });
  const first = await page.evaluate(() => ({
    results: globalThis.results,
    bars: [...document.querySelectorAll("#bars > li")].map((item) => ({
      id: item.dataset.bar,
      text: item.innerText,
      width: item.querySelector(".cells").getBoundingClientRect().width,
    })),
    tensors: [...document.querySelectorAll("#tensors tbody tr")].map((row) => row.innerText),
    figures: document.querySelector("#model-results").innerText,
    caveat: document.querySelector("#model-caveat").innerText,
    summary: document.querySelector("#verify-summary").innerText,
  }));
  const copied = await copy(page);
  const pictures = await looks(page);
  const sentences = {};
  for (const file of order.broken) sentences[file] = await summary(page, file);
  const dropped = await drop(page, await keep(page, order.model));
  const shrunk = await shrink(page);
  const long = await summary(page, order.long);
  const whole = await multiplied(page, ...order.parts);
  const part = await multiplied(page, order.parts[1]);
  const plain = await opened(order.plain);
  const alone = await withoutHeaders(plain);
  const faulty = await wrongOnes(await opened(order.faulty));
  return { ...first, copied, ...pictures, sentences, dropped, shrunk, long, whole, part, alone, faulty };
}

// The page with a fault in its data, so that kernels seem wrong.
async function wrongOnes(page) {
  await runAll(page);
  return page.evaluate(() => ({
    results: globalThis.results,
    alarms: [...document.querySelectorAll("[role=alert]")].map((alarm) => alarm.innerText),
    bars: [...document.querySelectorAll("#bars > li")].map((item) => [item.dataset.bar, item.innerText]),
  }));
}

// By the keyboard alone: from the top of the page to the button, and Enter.
async function runAll(page) {
  for (let i = 0; i < 5; i++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => document.activeElement.id === "run-all")) break;
  }
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("#status").textContent.startsWith("Done."), {
    timeout: PATIENCE,
  });
}

async function give(page, ...files) {
  await (await page.$("#file")).uploadFile(...files);
}

// What is said of files once they have been read.
async function summary(page, ...files) {
  await page.evaluate(() => (document.querySelector("#model-summary").textContent = ""));
  await give(page, ...files);
  return settled(page);
}

async function settled(page) {
  await page.waitForFunction(
    () => !document.body.classList.contains("busy") && /[.]$/.test(document.querySelector("#model-summary").innerText),
    { timeout: PATIENCE },
  );
  return page.$eval("#model-summary", (element) => element.innerText);
}

async function multiplied(page, ...files) {
  const said = await summary(page, ...files);
  await page.click("#run-model");
  await page.waitForFunction(() => globalThis.results.model, { timeout: PATIENCE });
  return page.evaluate(
    (said) => ({
      summary: said,
      results: globalThis.results.model,
      figures: document.querySelector("#model-results").innerText,
    }),
    said,
  );
}

// A file that is made shorter, first multiplied and then opened again; after it, another.
async function shrink(page) {
  const kept = await keep(page, order.shrinks);
  await truncate(order.shrinks, 1000);
  await page.click("#run-model");
  await page.waitForFunction(() => !document.body.classList.contains("busy"), { timeout: PATIENCE });
  const multiplied = await page.$eval("#model-caveat", (element) => element.innerText);
  const opened = await drop(page, kept);
  return { multiplied, opened, next: await summary(page, order.model) };
}

// Gives a file, and returns the page's own handle of it, which can be dropped later.
async function keep(page, path) {
  await page.evaluate(() => {
    const kept = ({ target }) => (globalThis.kept = target.files[0]); // before the page empties its input
    addEventListener("change", kept, { capture: true, once: true });
  });
  await summary(page, path);
  return page.evaluateHandle(() => globalThis.kept);
}

async function drop(page, file) {
  await page.evaluate((file) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(file);
    document.querySelector("#model-summary").textContent = "";
    document
      .querySelector("#drop")
      .dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  }, file);
  return settled(page);
}

async function copy(page) {
  if (order.browser === "chromium") {
    await browser
      .defaultBrowserContext()
      .overridePermissions(new URL(order.url).origin, ["clipboard-read", "clipboard-sanitized-write"]);
  }
  await page.bringToFront();
  await page.click("#copy");
  await page.waitForFunction(() => /box|Copied/.test(document.querySelector("#status").textContent));
  return page.evaluate(async () => {
    const box = document.querySelector("#copied");
    const text = box.hidden ? await navigator.clipboard.readText().catch(() => null) : box.value;
    return { text, said: document.querySelector("#status").textContent };
  });
}

// Pictures in each size and scheme; whether anything sticks out; and what axe finds.
async function looks(page) {
  const overhang = {};
  const faults = [];
  for (const scheme of ["light", "dark"]) {
    if (order.browser === "chromium")
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    else if (scheme === "dark") continue; // WebDriver BiDi has no such thing yet
    for (const [name, viewport] of Object.entries({ ...SIZES, narrow: { width: 360, height: 700 } })) {
      await page.setViewport(viewport);
      await new Promise((resolve) => setTimeout(resolve, 500)); // bars are moving
      const out = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      overhang[name] = Math.max(overhang[name] ?? 0, out);
      if (name === "narrow") continue;
      const path = `${order.screenshots}/${order.browser}-${name}-${scheme}.png`;
      await page.screenshot({ path, fullPage: true });
    }
    await page.setViewport(SIZES.desktop);
    faults.push(...(await accessibility(page, scheme)));
  }
  return { overhang, faults, small: await smallTargets(page) };
}

async function accessibility(page, scheme) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations.map(({ id, impact, nodes }) => ({
    scheme,
    id,
    impact,
    where: nodes.map(({ target }) => target.join(" ")),
  }));
}

async function smallTargets(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll("button, .button")]
      .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 44)
      .map((one) => one.innerText),
  );
}

async function withoutHeaders(page) {
  await give(page, order.model);
  await page.waitForFunction(() => !document.querySelector("#run-model").hidden, { timeout: PATIENCE });
  await page.click("#run-model");
  await page.waitForFunction(() => globalThis.results.model, { timeout: PATIENCE });
  return page.evaluate(() => globalThis.results);
}
