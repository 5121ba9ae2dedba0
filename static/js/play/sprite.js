/** The drawing of the pieces, laid into the page before the first board is, so that no board is ever seen empty. */

/**
 * @param {string} address of the sprite
 * @returns {Promise<string>} what stands before `#A` where a piece is used: nothing, or the address if it cannot be had now
 */
export async function loadPieces(address) {
  try {
    const response = await fetch(address);
    if (!response.ok) return address;
    const sprite = new DOMParser().parseFromString(await response.text(), "image/svg+xml").documentElement;
    sprite.setAttribute("class", "sprite");
    sprite.setAttribute("aria-hidden", "true");
    document.body.append(document.importNode(sprite, true));
    return "";
  } catch (error) {
    if (error instanceof TypeError) return address; // No network: the pieces come when it does.
    throw error;
  }
}
