// Reads models as the page does: `read.mjs ORDER.json` prints a line of JSON for each. test_gguf.py is the other end.

import { readFile } from "node:fs/promises";
import { basename } from "node:path";

const { reader, types, models } = JSON.parse(await readFile(process.argv[2], "utf8"));
const { read } = await import(reader);

for (const paths of models) {
  const files = await Promise.all(paths.map(async (path) => new File([await readFile(path)], basename(path))));
  const found = await read(files, types).catch(({ message }) => ({ message }));
  console.log(JSON.stringify(found));
}
