// The page's elements: found, made and shown.

export const $ = (id) => document.getElementById(id);

/** An element with properties, `class` and `aria-` attributes among them, and children: elements or text. */
export function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Moves a progress bar, or hides it where `done` is null. */
export function advance(progress, done, total = 1) {
  progress.hidden = done === null;
  progress.max = Math.max(total, 1);
  progress.value = done ?? 0;
}

export const count = (number) => number.toLocaleString("en");
export const plural = (number, word, more = `${word}s`) => `${count(number)} ${number === 1 ? word : more}`;

export function size(bytes) {
  const units = ["bytes", "kB", "MB", "GB"];
  const power = Math.min(3, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  const value = bytes / 1000 ** power;
  return `${power && value < 10 ? value.toFixed(1) : count(Math.round(value))} ${units[power]}`;
}
