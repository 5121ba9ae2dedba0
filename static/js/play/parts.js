/**
 * An element that the page must have.
 * @template {Element} T
 * @param {HTMLElement} root @param {string} selector @param {new () => T} kind
 * @returns {T}
 */
export function part(root, selector, kind) {
  const found = root.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`The page has no ${selector}.`);
  return found;
}
