/**
 * The worker that tells the language of texts. `www/detection.js` is the other end.
 */
import { eld } from "./pkg/language-detector/eld.js";
import { languagesOf } from "./worker/languages.js";

/** @typedef {import("./detection.js").ToDetector} ToDetector */
/** @typedef {import("./detection.js").FromDetector} FromDetector */

// Addresses and codes are in no language.
eld.enableTextCleanup(true);

/** @param {FromDetector} message */
const post = (message) => postMessage(message);

onmessage = ({ data }) => {
  const { id, text, expected } = /** @type {ToDetector} */ (data);
  try {
    post({ id, results: languagesOf(text, (piece) => eld.detect(piece), expected) });
  } catch (error) {
    post({ id, error: String(error) });
  }
};

post({ ready: true });
