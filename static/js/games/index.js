/** The games that the page can show, by the name that the server gives them. */

import * as match3 from "./match3.js";
import * as samegame from "./samegame.js";

/** @type {Record<string, import("./game.js").GameModule>} */
export const games = { match3, samegame };
