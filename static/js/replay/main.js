/** Starts every replay of the page. */

import { loadPieces } from "../play/sprite.js";
import { Player } from "./player.js";

for (const element of document.querySelectorAll("[data-replay-document]")) {
  const root = /** @type {HTMLElement} */ (element);
  const text = document.getElementById(root.dataset.replayDocument ?? "")?.textContent;
  if (!text) continue;
  const sprite = await loadPieces(root.dataset.sprite ?? "");
  new Player(root, JSON.parse(text), sprite).start();
}
