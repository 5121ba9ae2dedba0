/** Where title and words of a figure stand in its file: a picture has to say what it shows wherever it is put. */

/**
 * @typedef {{text: string, y: number, size: number, weight: string, colour: string}} Line
 * @typedef {{width: number, height: number, top: number, lines: Line[]}} Layout
 * @typedef {{title: string, caption: string, note: string}} Words
 */

export const MARGIN = 16;
const TITLE = { size: 17, leading: 22, weight: "600", colour: "#1c2029" };
const CAPTION = { size: 12.5, leading: 17, weight: "400", colour: "#5a5f6b" };
const GAP = 10;

/**
 * Text broken at spaces into lines no wider than `width`; a word that is wider stays whole.
 * @param {string} text @param {number} width @param {(text: string) => number} measure
 */
export function wrapped(text, width, measure) {
  /** @type {string[]} */
  const lines = [];
  let line = "";
  for (const word of text.split(/\s+/u).filter(Boolean)) {
    const longer = line ? `${line} ${word}` : word;
    if (line && measure(longer) > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return line ? [...lines, line] : lines;
}

/**
 * Title above the chart, caption and note under it, each line with its baseline.
 * @param {Words} words @param {{width: number, height: number}} chart
 * @param {(text: string, font: string) => number} measure width of a text in a CSS font without its family
 * @returns {Layout}
 */
export function layoutOf(words, chart, measure) {
  const width = chart.width + 2 * MARGIN;
  /** @type {Line[]} */
  const lines = [];
  let y = MARGIN;
  /** @param {string} text @param {typeof TITLE} kind */
  const add = (text, { size, leading, weight, colour }) => {
    const font = `${weight} ${size}px`;
    for (const line of wrapped(text, chart.width, (part) => measure(part, font))) {
      lines.push({ text: line, y: y + size, size, weight, colour });
      y += leading;
    }
  };
  add(words.title, TITLE);
  const top = y + GAP;
  y = top + chart.height + GAP;
  add(words.caption, CAPTION);
  add(words.note, CAPTION);
  return { width, height: y + MARGIN, top, lines };
}
