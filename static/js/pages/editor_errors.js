// @ts-check
/** What the server refuses, shown at the fields as it shows them itself. */

/** @param {HTMLFormElement} form */
export function clearErrors(form) {
  for (const error of form.querySelectorAll(".field [id$=_error], [data-form-errors] > *")) error.remove();
  for (const field of form.querySelectorAll("[aria-invalid]")) {
    field.removeAttribute("aria-invalid");
    const described = (field.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => !id.endsWith("_error"));
    if (described.join("")) field.setAttribute("aria-describedby", described.join(" "));
    else field.removeAttribute("aria-describedby");
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {Record<string, string[]>} errors sentences by the name of the field, `__all__` for the form
 * @param {string} message a sentence about the whole
 */
export function showErrors(form, errors, message) {
  const whole = [...(message ? [message] : []), ...(errors.__all__ ?? [])];
  const above = form.querySelector("[data-form-errors]");
  if (above && whole.length) {
    const notice = document.createElement("div");
    notice.className = "notice notice--error";
    notice.setAttribute("role", "alert");
    for (const sentence of whole) notice.append(paragraph(sentence, ""));
    above.append(notice);
  }
  for (const [name, sentences] of Object.entries(errors)) {
    const input = form.querySelector(`[id="field-${name}"]`) ?? form.querySelector(`[name="${name}"]`);
    const field = input?.closest(".field");
    if (!input || !field) continue;
    const error = document.createElement("div");
    error.id = `field-${name}_error`;
    for (const sentence of sentences) error.append(paragraph(sentence, "field__error"));
    if (field instanceof HTMLFieldSetElement) field.querySelector("legend")?.after(error);
    else field.append(error);
    if (field instanceof HTMLFieldSetElement) continue;
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", `${input.getAttribute("aria-describedby") ?? ""} ${error.id}`.trim());
  }
}

/**
 * @param {string} words
 * @param {string} name
 */
function paragraph(words, name) {
  const made = document.createElement("p");
  if (name) made.className = name;
  made.textContent = words;
  return made;
}
