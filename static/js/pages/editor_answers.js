// @ts-check
/** The rows of answers of a choice. */

/** A row for one more answer appears as soon as the last one is written in. @param {Event} event */
export function growOptions(event) {
  const rows = document.querySelector("[data-option-rows]");
  const row = event.target instanceof Element ? event.target.closest(".option-row") : null;
  if (!rows || !row || row !== rows.lastElementChild) return;
  const fresh = /** @type {HTMLElement} */ (row.cloneNode(true));
  fresh.querySelector(".option-row__note")?.remove();
  const number = rows.children.length + 1;
  for (const input of fresh.querySelectorAll("input")) {
    input.value = "";
    input.setAttribute("aria-label", input.name === "options-label" ? `Answer ${number}` : `Name in the data of answer ${number}`);
  }
  const role = fresh.querySelector("select");
  if (role) {
    role.value = "";
    role.setAttribute("aria-label", `Meaning of answer ${number}`);
  }
  const word = fresh.querySelector(".option-row__word");
  if (word) word.textContent = `Answer ${number}`;
  rows.append(fresh);
  setArrows(rows);
}

/**
 * The first answer cannot go up and the last one not down; the empty row stays where it is.
 *
 * @param {Element} rows
 */
function setArrows(rows) {
  const count = rows.children.length;
  [...rows.children].forEach((row, place) => {
    for (const button of row.querySelectorAll("button")) {
      const isUp = button.value.startsWith("up:");
      button.value = `${isUp ? "up" : "down"}:options:${place}`;
      button.disabled = isUp ? place === 0 || place === count - 1 : place >= count - 2;
      const words = button.querySelector(".visually-hidden");
      if (words) words.textContent = `Move answer ${place + 1} ${isUp ? "up" : "down"}`;
    }
  });
}

/**
 * Shows the names that the server made of the answers' words, save where another name was typed meanwhile.
 *
 * @param {HTMLFormElement} form
 * @param {string} sent
 * @param {string[]} names one for each answer that has words
 */
export function nameAnswers(form, sent, names) {
  const data = new URLSearchParams(sent);
  const typed = data.getAll("options-value");
  const inputs = /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("input[name=options-value]"));
  let next = 0;
  data.getAll("options-label").forEach((label, place) => {
    if (!label.trim()) return;
    const name = names[next++];
    const input = inputs[place];
    if (name !== undefined && input && input.value === typed[place]) input.value = name;
  });
}
