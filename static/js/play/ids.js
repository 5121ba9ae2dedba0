/** Names made by the client: of a tab, and of each wish to move. */

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/**
 * A random name of 6 bits a character. `getRandomValues` also works on plain http, where `randomUUID` is missing.
 * @param {number} length
 */
export function randomName(length) {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => ALPHABET[byte & 63]).join("");
}
