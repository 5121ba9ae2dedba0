/** Starts the page of play. */

import { Play } from "./play.js";
import { loadPieces } from "./sprite.js";

const root = document.getElementById("play");
const config = document.getElementById("play-config");
if (root && config) {
  const sprite = await loadPieces(root.dataset.sprite ?? "");
  new Play(root, JSON.parse(config.textContent ?? "{}"), sprite).start();
}
