/**
 * The worker that tells the language of texts. `www/library/detection.js` is the other end.
 */
import { languagesOf } from "./languages.js";

/** @typedef {import("../library/detection.js").ToDetector} ToDetector */
/** @typedef {import("../library/detection.js").FromDetector} FromDetector */

/** @param {FromDetector} message */
const post = (message) => postMessage(message);

/** Firefox says nothing of a worker one of whose static imports cannot be loaded. */
async function start() {
  const { eld } = await import("../pkg/language-detector/eld.js");
  // Addresses and codes are in no language.
  eld.enableTextCleanup(true);
  onmessage = ({ data }) => {
    const { id, text, expected } = /** @type {ToDetector} */ (data);
    try {
      post({ id, results: languagesOf(text, (piece) => eld.detect(piece), expected) });
    } catch (error) {
      post({ id, error: String(error) });
    }
  };
  post({ ready: true });
}

start().catch((error) => post({ failed: String(error) }));
