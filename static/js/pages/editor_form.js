// @ts-check
/** What the form of the editor holds, and what it held when it came. */

/**
 * Shows numbers that the server stored otherwise, save where another one was typed meanwhile.
 *
 * @param {HTMLFormElement} form
 * @param {string} sent
 * @param {Record<string, string>} numbers by the names of their fields
 */
export function showNumbers(form, sent, numbers) {
  const data = new URLSearchParams(sent);
  for (const [name, number] of Object.entries(numbers)) {
    const input = form.elements.namedItem(name);
    if (input instanceof HTMLInputElement && input.value === data.get(name)) input.value = number;
  }
}

/** @param {HTMLFormElement} form */
export function snapshot(form) {
  const data = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (typeof value === "string" && !["number", "base", "csrfmiddlewaretoken"].includes(name)) data.append(name, value);
  }
  return data.toString();
}

/**
 * The same for what the server sent, whatever was typed before the module was there.
 *
 * @param {HTMLFormElement} form
 */
export function received(form) {
  const data = new URLSearchParams();
  for (const element of form.elements) {
    if (element instanceof HTMLInputElement && element.type !== "hidden") {
      const isBox = ["radio", "checkbox"].includes(element.type);
      if (!element.name || (isBox && !element.defaultChecked)) continue;
      // A box without a value is sent as "on", while its default value is empty.
      data.append(element.name, isBox ? (element.getAttribute("value") ?? "on") : element.defaultValue);
    } else if (element instanceof HTMLTextAreaElement) {
      data.append(element.name, element.defaultValue);
    } else if (element instanceof HTMLSelectElement) {
      const chosen = [...element.options].find((option) => option.defaultSelected) ?? element.options[0];
      data.append(element.name, chosen?.value ?? "");
    }
  }
  return data.toString();
}
