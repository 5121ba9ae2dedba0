// @ts-check
/**
 * Draws the figures of a page. A figure is `<figure data-chart="ID">` with its Vega-Lite specification in the JSON
 * script `ID`; the specification comes from `playtest/theme.py`, this file adds the reader's theme and width.
 *
 * Vega runs on its interpreter (`ast`), which makes no code from text, and styles nothing inline, so that the site's
 * content security policy holds. Figures that arrive later, in a part of the page that was replaced, are drawn too.
 */

/**
 * @typedef {{name: string, value?: unknown}} Parameter
 * @typedef {{params?: Parameter[], height?: number} & Record<string, unknown>} Specification
 * @typedef {{toSVG: () => Promise<string>, toCanvas: (scale: number) => Promise<HTMLCanvasElement>}} View
 * @typedef {{finalize: () => void, view: View}} Drawing
 * @typedef {(host: HTMLElement, specification: Specification, options: object) => Promise<Drawing>} Embed
 */

const PARAMETER = "theme_";

/** @type {Map<HTMLElement, Drawing>} */
const drawings = new Map();

/**
 * The specification with its colours taken from the CSS tokens that its parameters are named after.
 * @param {Specification} specification
 * @param {HTMLElement} figure
 * @returns {Specification}
 */
export function themed(specification, figure) {
  const probe = document.createElement("span");
  probe.hidden = true;
  figure.append(probe);
  const computed = getComputedStyle(probe);
  const params = (specification.params ?? []).map((parameter) => {
    if (!parameter.name.startsWith(PARAMETER)) return parameter;
    const token = `--${parameter.name.slice(PARAMETER.length).replaceAll("_", "-")}`;
    if (!computed.getPropertyValue(token)) return parameter;
    probe.style.color = `var(${token})`;
    return { ...parameter, value: computed.color };
  });
  probe.remove();
  return { ...specification, params };
}

/**
 * @param {HTMLElement} figure
 * @returns {Specification | null}
 */
export function specificationOf(figure) {
  const script = document.getElementById(figure.dataset.chart ?? "");
  return script ? JSON.parse(script.textContent ?? "null") : null;
}

/**
 * Vega's drawing of a specification in a host, under the rules of the site's policy.
 * @param {HTMLElement} host @param {Specification} specification
 * @returns {Promise<Drawing>}
 */
export async function drawing(host, specification) {
  const embed = /** @type {{vegaEmbed?: Embed}} */ (/** @type {unknown} */ (window)).vegaEmbed;
  if (!embed) throw new Error("Vega is not there.");
  return embed(host, specification, {
    mode: "vega-lite",
    renderer: "svg",
    actions: false,
    ast: true,
    defaultStyle: false,
    tooltip: { theme: "custom", disableDefaultStyle: true },
  });
}

/**
 * @param {HTMLElement} figure
 */
export async function draw(figure) {
  const host = /** @type {HTMLElement | null} */ (figure.querySelector("[data-chart-drawing]"));
  const specification = specificationOf(figure);
  if (!host || !specification) return;
  // The place is kept free before the figure is there, so nothing below it jumps.
  host.style.minBlockSize = `${host.offsetHeight || (specification.height ?? 200) + 50}px`;
  drawings.get(figure)?.finalize();
  try {
    drawings.set(figure, await drawing(host, themed(specification, figure)));
    figure.dataset.chartState = "drawn";
  } catch (error) {
    figure.dataset.chartState = "failed";
    console.error("A figure could not be drawn; its numbers are in the table below it.", error);
  }
  host.style.minBlockSize = "";
}

/**
 * Draws what is new under `root` and lets go of figures that left the page.
 * @param {ParentNode} root
 */
export function drawAll(root) {
  for (const [figure, drawing] of drawings) {
    if (!figure.isConnected) {
      drawing.finalize();
      drawings.delete(figure);
    }
  }
  for (const figure of root.querySelectorAll("figure[data-chart]:not([data-chart-state])")) {
    const element = /** @type {HTMLElement} */ (figure);
    element.dataset.chartState = "drawing";
    void draw(element);
  }
}

function redrawAll() {
  for (const figure of [...drawings.keys()]) void draw(figure);
}

if (typeof document !== "undefined") {
  drawAll(document);
  new MutationObserver(() => drawAll(document)).observe(document.body, { childList: true, subtree: true });
  // `live.js` changed a part of the page; a figure whose numbers are new has lost its mark.
  document.addEventListener("live:changed", () => drawAll(document));
  new MutationObserver(redrawAll).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
}
