/**
 * Translation in the page: English stands in the scripts, the server hands over what the page's language says instead
 * (playtest/studies/play/texts.py). Without that, on staff pages, everything stays English.
 */

/**
 * @typedef {object} Catalogue
 * @property {Record<string, string | string[]>} texts by their English; an array has the plural forms
 * @property {number[]} rule which plural form each number from 0 to 199 takes; larger ones go by their last two digits
 */

/** @returns {Catalogue} */
function readCatalogue() {
  const text = document.getElementById?.("play-texts")?.textContent;
  return text ? JSON.parse(text) : { texts: {}, rule: [] };
}

const catalogue = readCatalogue();

export const language = document.documentElement.lang || "en";

/** @param {string} text @param {Record<string, unknown>} values what stands for %(name)s */
function filled(text, values) {
  return text.replace(/%\((\w+)\)s/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** @param {string} text in English @param {Record<string, unknown>} [values] */
export function gettext(text, values = {}) {
  const found = catalogue.texts[text];
  return filled(typeof found === "string" ? found : text, values);
}

/**
 * @param {string} one in English @param {string} many
 * @param {number} count decides on the form @param {Record<string, unknown>} [values]
 */
export function ngettext(one, many, count, values = {}) {
  const forms = catalogue.texts[one];
  if (!Array.isArray(forms)) return filled(count === 1 ? one : many, values);
  const size = Math.abs(count);
  return filled(forms[catalogue.rule[size < 100 ? size : 100 + (size % 100)]] ?? many, values);
}
