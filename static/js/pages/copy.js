// @ts-check
/** Buttons with `data-copy="ID"` copy the value of that field. Without scripts they stay hidden: the field can be marked. */

const SHOWN_FOR = 2_000;

/**
 * @param {HTMLButtonElement} button
 * @param {HTMLInputElement} field
 */
async function copy(button, field) {
  const words = button.textContent ?? "";
  field.select();
  try {
    // Not there on plain http from another machine; what was marked can then be copied by keys.
    await navigator.clipboard.writeText(field.value);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Press Ctrl+C";
  }
  setTimeout(() => {
    button.textContent = words;
  }, SHOWN_FOR);
}

for (const element of document.querySelectorAll("button[data-copy]")) {
  const button = /** @type {HTMLButtonElement} */ (element);
  const field = document.getElementById(button.dataset.copy ?? "");
  if (!(field instanceof HTMLInputElement)) continue;
  button.hidden = false;
  button.addEventListener("click", () => void copy(button, field));
}
