// Bars of cells: one cell is the speed of scalar code, so a bar's length is read off by counting.

import { el } from "./dom.js";
import { breakable } from "./verify.js";

const OTHERS = ["scalar", "article"]; // what ours is compared with

export class Bars {
  #rows;
  #items;

  constructor(list, rows) {
    this.#rows = rows;
    this.#items = rows.map(({ id, label, kernel }) => {
      const figure = el("span", { class: "figure" }, "…");
      const cells = el("span", { class: "cells", "aria-hidden": "true" });
      const name = [el("b", {}, label), el("code", {}, ...breakable(kernel))];
      const item = el("li", { class: OTHERS.includes(id) ? "other" : "ours", "data-bar": id }, ...name, figure, cells);
      return { item, figure, cells };
    });
    list.replaceChildren(...this.#items.map(({ item }) => item));
    this.draw();
  }

  draw() {
    const most = Math.max(10, ...this.#rows.map(({ times }) => Math.ceil(times ?? 0)));
    this.#rows.forEach(({ times, ns, wrong }, i) => {
      const { item, figure, cells } = this.#items[i];
      cells.style.setProperty("--times", wrong ? 0 : (times ?? 0));
      cells.style.setProperty("--most", most);
      item.classList.toggle("bad", Boolean(wrong));
      if (wrong) figure.textContent = `Wrong, so it has no speed: ${wrong}.`;
      else if (ns) figure.replaceChildren(el("b", {}, times ? `${times.toFixed(1)} ×` : ""), ` ${Math.round(ns)} ns`);
    });
  }
}
