/** The games that the page can show, by the name that the server gives them. */

import * as match3 from "./match3.js";

/** @type {Record<string, typeof match3>} */
export const games = { match3 };
