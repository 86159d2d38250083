/**
 * Detects the language of texts: a worker, or a module for a worker that does it itself (`www/library/detector-in-place.js`).
 * `www/library/detection.js` is the other end.
 */
import { languagesOf } from "./languages.js";

/** @typedef {import("../library/detection.js").ToDetector} ToDetector */
/** @typedef {import("../library/detection.js").FromDetector} FromDetector */

/**
 * Posts that it is ready, or why it never will be.
 * @param {(message: FromDetector) => void} post
 * @returns {Promise<((message: ToDetector) => void) | undefined>} takes what is sent from then on
 */
export async function start(post) {
  try {
    // Firefox reports nothing if a static import of a worker cannot be loaded.
    const { eld } = await import("../pkg/language-detector/eld.js");
    // Addresses and codes are in no language.
    eld.enableTextCleanup(true);
    post({ ready: true });
    return ({ id, text, expected }) => {
      try {
        post({ id, results: languagesOf(text, (piece) => eld.detect(piece), expected) });
      } catch (error) {
        post({ id, error: String(error) });
      }
    };
  } catch (error) {
    post({ failed: String(error) });
  }
}

// An importer that runs it in place says so in the address, and then the globals are not this module's. There is no `await` here: bundlers'
// minifiers take this file for a classic script.
if (!import.meta.url.endsWith("#in-place")) {
  start((message) => postMessage(message)).then((receive) => {
    if (receive) onmessage = ({ data }) => receive(data);
  });
}
