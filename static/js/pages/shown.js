// @ts-check
/**
 * Sends with a page of questions how long it was shown and how long it was hidden, by a clock that only goes on. Of a form that
 * comes back the server adds both times to those before. Without this module it knows when the page was asked for.
 */

import { ShownClock } from "./shown_clock.js";

const form = document.getElementById("questions");
const isHidden = () => document.visibilityState !== "visible";
const clock = new ShownClock(() => performance.now(), isHidden());

document.addEventListener("visibilitychange", () => clock.setHidden(isHidden()));
// Sent in or left, a page may be kept as it stands and come back by the browser's Back button.
addEventListener("pagehide", () => clock.setAway(true));
addEventListener("pageshow", () => {
  clock.setAway(false);
  clock.setHidden(isHidden());
});
form?.addEventListener("formdata", (event) => {
  const { shown, hidden } = clock.read();
  // No question has a name with a dot.
  event.formData.set("shown.ms", String(shown));
  event.formData.set("hidden.ms", String(hidden));
});
