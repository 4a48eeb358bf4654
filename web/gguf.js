// The tensors of a model that a visitor opened, in one file or in several, by the rules and in the
// words of codegen/models/gguf_split.py.

import { scan } from "./gguf-scan.js";
import { quoted, shown } from "./names.js";

/**
 * What is in a model: its name; its tensors, each with the number of its file in `files` and its
 * place there; and which parts of the model these files are. Throws an Error whose message is a
 * sentence for the visitor.
 */
export async function read(files, types) {
  const found = [];
  for (const [index, file] of files.entries()) {
    const header = await scan(file, types);
    found.push({ ...header, file, tensors: header.tensors.map((tensor) => ({ ...tensor, file: index })) });
  }
  const parts = files.length === 1 ? alone(found[0]) : together(found);
  const tensors = found.flatMap((one) => one.tensors);
  return { name: found.find(({ name }) => name)?.name ?? "", parts, tensors };
}

function alone({ split }) {
  return split ? { numbers: [split.number], count: split.count } : { numbers: [1], count: 1 };
}

// Sorts files by the numbers in their names, and proves that they belong together.
function together(found) {
  const anchor = found.find(({ file, split }) => split && file.name.endsWith(ending(split.number, split.count)));
  const { split, file } = anchor ?? {};
  const prefix = anchor && file.name.slice(0, -ending(split.number, split.count).length);
  for (const one of found) {
    const [, start, number, count] = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/su.exec(one.file.name) ?? [];
    if (!anchor || start !== prefix || Number(count) !== split.count) {
      throw new Error(`${shown(one.file.name)}: not a part of one model with the others; choose one model’s files.`);
    }
    one.number = Number(number);
  }
  found.sort((a, b) => a.number - b.number);
  const again = found.find(({ number }, i) => number === found[i + 1]?.number);
  if (again) throw new Error(`${shown(again.file.name)}: chosen twice; choose each part once.`);
  check(found, split);
  return { numbers: found.map(({ number }) => number), count: split.count };
}

function check(found, { count, tensors }) {
  const fail = ({ file }, what) => {
    throw new Error(`${shown(file.name)}: ${what}; download all parts again.`);
  };
  const seen = new Map();
  for (const part of found) {
    const said = part.split;
    if (said?.number !== part.number || said.count !== count || said.tensors !== tensors) {
      fail(part, `part ${part.number} of ${count} by its name, and not by its header`);
    }
    for (const { name } of part.tensors) {
      if (seen.has(name)) fail(part, `tensor ${quoted(name)} is in part ${seen.get(name)}, too`);
      seen.set(name, part.number);
    }
  }
  if (found.length === count && tensors !== null && tensors !== seen.size) {
    fail(found[0], `its parts have ${seen.size} tensors, split.tensors.count is ${tensors}`);
  }
}

const ending = (number, count) => `-${five(number)}-of-${five(count)}.gguf`;
const five = (number) => String(number).padStart(5, "0");
