/** A sentence with a number in it, wherever the language puts the number. */

/**
 * What stands before the number and after it; all is before it where it is not there.
 * @param {string} sentence @param {string} figure the number as it is written
 * @returns {[string, string]}
 */
export function around(sentence, figure) {
  const place = sentence.indexOf(figure);
  return place < 0 ? [sentence, ""] : [sentence.slice(0, place), sentence.slice(place + figure.length)];
}
