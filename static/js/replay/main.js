/** Starts every replay of the page: one game, or two side by side that step together. */

import { loadPieces } from "../play/sprite.js";
import { Advice } from "./advice.js";
import { Player } from "./player.js";
import { Side } from "./side.js";

for (const element of document.querySelectorAll("[data-replay-root]")) {
  const root = /** @type {HTMLElement} */ (element);
  const sprite = await loadPieces(root.dataset.sprite ?? "");
  const parts = root.matches("[data-replay-document]") ? [root] : [...root.querySelectorAll("[data-replay-document]")];
  const sides = parts.map((one) => {
    const side = /** @type {HTMLElement} */ (one);
    const text = document.getElementById(side.dataset.replayDocument ?? "")?.textContent ?? "null";
    return new Side(side, JSON.parse(text), sprite);
  });
  const panel = root.querySelector("[data-advice]");
  const advice = panel instanceof HTMLElement ? new Advice(panel, sides[0]) : null;
  new Player(root, sides, (at) => advice?.moved(at)).start();
}
