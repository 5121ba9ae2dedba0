/** The panels at the end of play: of a round that is over, and of a page whose socket was stopped for good. */

import { games } from "../games/index.js";
import { number, texts } from "./texts.js";

const RELOADED_KEY = "tessera-reloaded-for";

/**
 * The panel that says why play stopped here; null if the page goes elsewhere by itself.
 * @param {import("./types.js").StopReason} reason @param {string} home address of the study @param {string} build
 * @param {() => void} playHere takes the round back from another page
 */
export function panelOf(reason, home, build, playHere) {
  if (reason === "ended") {
    location.assign(home);
    return null;
  }
  if (reason === "version" && sessionStorage.getItem(RELOADED_KEY) !== build) {
    sessionStorage.setItem(RELOADED_KEY, build);
    location.reload();
    return null;
  }
  if (reason === "taken") return { ...texts.taken, press: playHere };
  if (reason === "identity") return { ...texts.identity, href: home };
  if (reason === "reload" || reason === "version") return { ...texts.reload, press: () => location.reload() };
  return null;
}

/**
 * The panel of a round that is over.
 * @param {import("./types.js").StateMessage} state @param {import("./types.js").EndMessage} end
 */
export function panelOfEnd({ n, of, purpose, game }, end) {
  return {
    title: purpose === "practice" ? texts.overPractice : texts.overTitle(n, of),
    figure: number(end.score),
    unit: texts.overScore,
    words: games[game].overWords(end),
    button: texts.goOn,
    href: end.next,
  };
}
