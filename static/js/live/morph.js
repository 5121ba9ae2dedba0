/**
 * Makes a part of the page what the server sent, changing only what differs: so the reader keeps focus, selection,
 * scroll places, open disclosures and what was typed. Figures keep their drawing until their numbers change.
 */

/** What the browser or another script changes on an element; the server does not know of it. */
const OWN = new Set(["open", "data-chart-state", "data-live-failed"]);

/**
 * @param {Element} old stays in the page
 * @param {Element} wanted is used up
 */
export function morph(old, wanted) {
  if (old.isEqualNode(wanted)) return;
  const redraw = old.matches("figure[data-chart]") && numbersOf(old) !== numbersOf(wanted);
  syncAttributes(old, wanted);
  if (old.matches("[data-chart-drawing]")) return;
  if (old === document.activeElement && old.matches("input, select, textarea")) return;
  syncChildren(old, wanted);
  if (redraw) old.removeAttribute("data-chart-state");
}

/** @param {Element} figure */
function numbersOf(figure) {
  return figure.querySelector("script")?.textContent ?? "";
}

/**
 * @param {Element} old
 * @param {Element} wanted
 */
function syncAttributes(old, wanted) {
  for (const { name } of [...old.attributes]) {
    if (!wanted.hasAttribute(name) && !OWN.has(name)) old.removeAttribute(name);
  }
  for (const { name, value } of wanted.attributes) {
    if (!OWN.has(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}

/**
 * @param {Element} old
 * @param {Element} wanted
 */
function syncChildren(old, wanted) {
  /** @type {Map<string, Element>} */
  const keyed = new Map();
  for (const child of old.children) {
    const key = keyOf(child);
    if (key) keyed.set(key, child);
  }
  /** @type {ChildNode | null} */
  let place = old.firstChild;
  for (const child of [...wanted.childNodes]) {
    const match = matchOf(child, place, keyed);
    if (!match) {
      old.insertBefore(child, place);
      continue;
    }
    if (match === place) place = place.nextSibling;
    else old.insertBefore(match, place);
    if (match instanceof Element) morph(match, /** @type {Element} */ (child));
    else if (match.nodeValue !== child.nodeValue) match.nodeValue = child.nodeValue;
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

/**
 * The node that already stands for `child`: the one with its key, else the next one if it is of the same kind.
 * @param {ChildNode} child
 * @param {ChildNode | null} place
 * @param {Map<string, Element>} keyed
 * @returns {ChildNode | null}
 */
function matchOf(child, place, keyed) {
  if (child instanceof Element) {
    const key = keyOf(child);
    if (key) {
      const found = keyed.get(key);
      return found && found.tagName === child.tagName ? found : null;
    }
    return place instanceof Element && place.tagName === child.tagName && !keyOf(place) ? place : null;
  }
  return place && place.nodeType === child.nodeType ? place : null;
}

/** @param {Element} element */
function keyOf(element) {
  return element.id || element.getAttribute("data-key") || "";
}
