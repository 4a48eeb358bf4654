// Names out of files as messages have them: no control character survives, and no megabyte.

const MOST = 80;
const UNPRINTABLE = /[\p{C}\p{Z}]/u;
const ESCAPES = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** A name in quotation marks, at most 80 characters of it; the same as in Python's messages. */
export function quoted(name) {
  const characters = Array.from(name.slice(0, 2 * MOST)).slice(0, MOST);
  while (literal(characters.join("")).length > MOST + 2) characters.pop(); // escapes are up to ten times as long
  const short = characters.join("");
  return literal(short === name ? short : `${short}...`);
}

/** A file's name, which stays one line whatever is in it. */
export const shown = (name) => (Array.from(name).every(isPrintable) ? name : literal(name));

const isPrintable = (character) => character === " " || !UNPRINTABLE.test(character);

// As Python writes a string.
function literal(text) {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = Array.from(text, (character) => {
    if (character in ESCAPES) return ESCAPES[character];
    if (character === quote) return `\\${character}`;
    if (isPrintable(character)) return character;
    const code = character.codePointAt(0).toString(16);
    const [letter, digits] = code.length < 3 ? ["x", 2] : code.length < 5 ? ["u", 4] : ["U", 8];
    return `\\${letter}${code.padStart(digits, "0")}`;
  });
  return `${quote}${body.join("")}${quote}`;
}
