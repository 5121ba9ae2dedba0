// @ts-check
/**
 * Counts characters in fields with `data-limit`, as the server counts them. The words come with the field: `data-left` and
 * `data-over`. What is seen follows each key; what is read aloud waits for a pause and for the end to come near.
 */

const PAUSE = 1_000;
const NEAR = 20;

/** @typedef {HTMLInputElement | HTMLTextAreaElement} Field */

/** @param {Field} field */
function left(field) {
  // Python counts characters, JavaScript halves of some of them.
  return Number(field.dataset.limit) - [...field.value].length;
}

/** @param {Field} field */
function watch(field) {
  const seen = document.createElement("p");
  seen.className = "field__count";
  seen.setAttribute("aria-hidden", "true");
  const heard = document.createElement("p");
  heard.className = "visually-hidden";
  heard.setAttribute("role", "status");
  for (const ours of [seen, heard]) ours.lang = document.documentElement.lang;
  field.after(seen, heard);
  let timer = 0;
  const show = () => {
    const rest = left(field);
    const words = `${(rest < 0 ? field.dataset.over : field.dataset.left) ?? ""} ${Math.abs(rest).toLocaleString(document.documentElement.lang)}`;
    seen.textContent = words;
    seen.classList.toggle("is-over", rest < 0);
    clearTimeout(timer);
    timer = setTimeout(() => {
      heard.textContent = rest < NEAR ? words : "";
    }, PAUSE);
  };
  field.addEventListener("input", show);
  show();
}

for (const field of document.querySelectorAll("[data-limit]")) {
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) watch(field);
}
