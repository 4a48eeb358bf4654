// The command line's page: prints what a browser's would send, of the suites that are named, or of all.

import process from "node:process";

const { report } = await import("./report.mjs");
const names = process.argv.slice(2);
console.log(JSON.stringify(await report(names.length ? names : undefined)));
