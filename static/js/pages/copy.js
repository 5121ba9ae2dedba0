// @ts-check
/**
 * Buttons with `data-copy="ID"` copy that field or text. Without scripts they stay hidden: it can be marked. What a button says
 * afterwards are its `data-copied` and `data-by-hand`.
 */

const SHOWN_FOR = 2_000;

/** @param {HTMLElement} source */
function mark(source) {
  if (source instanceof HTMLInputElement) source.select();
  else getSelection()?.selectAllChildren(source);
}

/**
 * @param {HTMLButtonElement} button
 * @param {HTMLElement} source
 */
async function copy(button, source) {
  const words = button.dataset.words ?? button.textContent ?? "";
  button.dataset.words = words;
  mark(source);
  try {
    // Not there on plain http from another machine; what was marked can then be copied by keys.
    await navigator.clipboard.writeText(source instanceof HTMLInputElement ? source.value : (source.textContent ?? "").trim());
    button.textContent = button.dataset.copied ?? "Copied";
  } catch {
    button.textContent = button.dataset.byHand ?? "Press Ctrl+C";
  }
  setTimeout(() => {
    button.textContent = words;
  }, SHOWN_FOR);
}

for (const element of document.querySelectorAll("button[data-copy]")) {
  const button = /** @type {HTMLButtonElement} */ (element);
  const source = document.getElementById(button.dataset.copy ?? "");
  if (!source) continue;
  button.hidden = false;
  button.addEventListener("click", () => void copy(button, source));
}
