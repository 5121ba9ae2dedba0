/**
 * Saves figures as pictures: drawn anew in the colours of paper and at one width, whatever the reader's theme and window
 * are, with title, caption and note in the picture.
 */

import { drawing, specificationOf } from "../chart.js";
import { layoutOf, MARGIN } from "./layout.js";

/**
 * @typedef {import("./layout.js").Layout} Layout
 * @typedef {import("../chart.js").View} View
 */

const WIDTH = 720;
/** Pixels of a PNG for each of the figure's: sharp on paper and on dense screens. */
const SCALE = 2;
const PAPER = "#ffffff";
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif';
const SVG = "http://www.w3.org/2000/svg";

/** @type {Record<string, (view: View, words: import("./layout.js").Words) => Promise<Blob>>} */
const makers = { svg: svgFile, png: pngFile };

/** @param {HTMLElement} figure @returns {import("./layout.js").Words} */
function wordsOf(figure) {
  const text = (/** @type {string} */ name) => figure.querySelector(`[data-chart-${name}]`)?.textContent?.trim() ?? "";
  return { title: figure.dataset.chartTitle ?? "", caption: text("caption"), note: text("note") };
}

/** @param {CanvasRenderingContext2D} brush @returns {(text: string, font: string) => number} */
function measureWith(brush) {
  return (text, font) => {
    brush.font = `${font} ${FONT}`;
    return brush.measureText(text).width;
  };
}

/** @param {HTMLCanvasElement} canvas */
function brushOf(canvas) {
  const brush = canvas.getContext("2d");
  if (!brush) throw new Error("This browser gives no canvas.");
  return brush;
}

/** @param {View} view @param {import("./layout.js").Words} words */
async function svgFile(view, words) {
  const chart = new DOMParser().parseFromString(await view.toSVG(), "image/svg+xml").documentElement;
  const size = { width: Number(chart.getAttribute("width")), height: Number(chart.getAttribute("height")) };
  const layout = layoutOf(words, size, measureWith(brushOf(document.createElement("canvas"))));
  const picture = document.implementation.createDocument(SVG, "svg");
  /** @param {string} name @param {Record<string, string | number>} attributes @param {string} [text] */
  const add = (name, attributes, text = "") => {
    const node = picture.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
    node.textContent = text;
    picture.documentElement.append(node);
  };
  const { width, height } = layout;
  const root = picture.documentElement;
  for (const [key, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}`, "font-family": FONT })) {
    root.setAttribute(key, String(value));
  }
  add("title", {}, words.title);
  add("desc", {}, `${words.caption} ${words.note}`);
  add("rect", { width, height, fill: PAPER });
  chart.setAttribute("x", String(MARGIN));
  chart.setAttribute("y", String(layout.top));
  root.append(picture.importNode(chart, true));
  for (const { text, y, size: high, weight, colour } of layout.lines) {
    add("text", { x: MARGIN, y, "font-size": high, "font-weight": weight, fill: colour }, text);
  }
  return new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" });
}

/** @param {View} view @param {import("./layout.js").Words} words @returns {Promise<Blob>} */
async function pngFile(view, words) {
  const chart = await view.toCanvas(SCALE);
  const canvas = document.createElement("canvas");
  const brush = brushOf(canvas);
  const size = { width: chart.width / SCALE, height: chart.height / SCALE };
  const layout = layoutOf(words, size, measureWith(brush));
  canvas.width = Math.ceil(layout.width * SCALE);
  canvas.height = Math.ceil(layout.height * SCALE);
  brush.scale(SCALE, SCALE);
  brush.fillStyle = PAPER;
  brush.fillRect(0, 0, layout.width, layout.height);
  brush.drawImage(chart, MARGIN, layout.top, size.width, size.height);
  for (const { text, y, size: high, weight, colour } of layout.lines) {
    brush.font = `${weight} ${high}px ${FONT}`;
    brush.fillStyle = colour;
    brush.fillText(text, MARGIN, y);
  }
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture is too large."))), "image/png");
  });
}

/** @param {Blob} blob @param {string} name */
function hand(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser reads it after the click; a minute later it surely has.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** @param {HTMLElement} figure @param {string} kind */
async function save(figure, kind) {
  const specification = specificationOf(figure);
  const make = makers[kind];
  if (!specification || !make) return;
  const said = figure.querySelector("[data-chart-said]");
  const drawn = await drawing(document.createElement("div"), { ...specification, width: WIDTH });
  try {
    hand(await make(drawn.view, wordsOf(figure)), `${figure.dataset.chartFile ?? "figure"}.${kind}`);
    if (said) said.textContent = `${kind.toUpperCase()} saved.`;
  } catch (error) {
    if (said) said.textContent = "The picture could not be made. The numbers are in the CSV.";
    console.error(error);
  } finally {
    drawn.finalize();
  }
}

if (typeof document !== "undefined") {
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("[data-chart-save]") : null;
    const figure = button?.closest("figure[data-chart]");
    if (button instanceof HTMLElement && figure instanceof HTMLElement) void save(figure, button.dataset.chartSave ?? "");
  });
}
