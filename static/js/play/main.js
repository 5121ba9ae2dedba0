/** Starts the page of play. */

import { Play } from "./play.js";

const root = document.getElementById("play");
const config = document.getElementById("play-config");
if (root && config) new Play(root, JSON.parse(config.textContent ?? "{}")).start();
