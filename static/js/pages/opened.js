// @ts-check
/**
 * Tells the server once that somebody saw the entry page: when it is visible, not when it is fetched, previewed or rendered
 * ahead, and once a session of the browser's tab. Nothing about the browser is sent.
 */

const form = document.querySelector("form[data-opened]");

/** @param {string} address */
function isFirst(address) {
  try {
    if (sessionStorage.getItem(address)) return false;
    sessionStorage.setItem(address, "opened");
  } catch {
    // A browser that keeps nothing counts each time.
  }
  return true;
}

function tell() {
  if (!(form instanceof HTMLFormElement) || document.visibilityState !== "visible") return;
  document.removeEventListener("visibilitychange", tell);
  const address = form.dataset.opened ?? "";
  if (!isFirst(address)) return;
  const data = new FormData();
  data.set("csrfmiddlewaretoken", String(new FormData(form).get("csrfmiddlewaretoken") ?? ""));
  navigator.sendBeacon(address, data);
}

document.addEventListener("visibilitychange", tell);
tell();
