/** How long to wait before the next try to connect, and what a close code asks for. */

const DELAYS = [250, 500, 1000, 2000, 4000, 8000, 15_000];

/** Too many messages: the server asks for this much quiet. */
export const QUIET_AFTER_FLOOD = 30_000;

/**
 * Milliseconds before try number `attempt` (0 is the first after a loss), spread so that a thousand pages do not come back at once.
 * @param {number} attempt
 * @param {number} random from 0 to 1
 */
export function backoffDelay(attempt, random) {
  return DELAYS[Math.min(attempt, DELAYS.length - 1)] * (0.5 + 0.5 * random);
}

/**
 * @param {number} code of a closed WebSocket
 * @returns {"retry" | "retry_once" | "wait" | "identity" | "taken" | "ended" | "version"}
 */
export function verdictOf(code) {
  switch (code) {
    case 4400:
    case 4413:
    case 1003:
    case 1009:
      return "retry_once";
    case 4401:
      return "identity";
    case 4409:
      return "taken";
    case 4410:
      return "ended";
    case 4426:
      return "version";
    case 4429:
      return "wait";
    default:
      return "retry";
  }
}
