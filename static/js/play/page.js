/**
 * What happens to the page around the board: hidden and shown, network lost and back, restored by the browser.
 *
 * @typedef {object} Watcher
 * @property {(isShown: boolean) => void} shown
 * @property {() => void} back the page or the network is there again: time to see whether the socket lives
 * @property {(kind: string) => void} happened an event that is kept
 */

/** @param {Watcher} watcher */
export function watchPage(watcher) {
  document.addEventListener("visibilitychange", () => {
    watcher.shown(!document.hidden);
    watcher.happened(document.hidden ? "hidden" : "visible");
    if (!document.hidden) watcher.back();
  });
  for (const name of ["online", "offline"]) {
    window.addEventListener(name, () => {
      watcher.happened(name);
      watcher.back();
    });
  }
  for (const name of ["focus", "blur"]) window.addEventListener(name, () => watcher.happened(name));
  window.addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    watcher.happened("page_show");
    watcher.back();
  });
}
