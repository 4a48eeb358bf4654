// A picture of what is multiplied: a block of weights, stronger where a weight is larger.

import { el } from "./dom.js";

// Nibbles of a block out of a model: most are near 8, which stands for zero.
const NIBBLES = [7, 9, 6, 8, 10, 5, 8, 7, 11, 8, 4, 9, 7, 8, 12, 6, 8, 9, 7, 2, 8, 10, 6, 8, 9, 7, 13, 8, 5, 9, 0, 7];

export function showBlock(picture) {
  const cells = NIBBLES.map((nibble) => {
    const cell = el("span");
    cell.style.setProperty("--strength", Math.abs(nibble - 8) / 8);
    return cell;
  });
  picture.replaceChildren(el("span", { class: "scale" }), ...cells);
}
