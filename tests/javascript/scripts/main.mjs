// The command line's page: prints what a browser's would send.

const { report } = await import("./report.mjs");
console.log(JSON.stringify(await report()));
