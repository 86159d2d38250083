/**
 * A text and its languages in the page's address: `#en/de/The%20text`. What follows the `#` is sent to nobody.
 */

/** @typedef {{source: string, target: string, text: string}} Shared */

/**
 * @param {string} hash
 * @returns {Shared | null}
 */
export function parseAddress(hash) {
  const match = /^#([A-Za-z0-9-]+)\/([A-Za-z0-9-]+)(?:\/(.*))?$/s.exec(hash);
  if (!match) return null;
  const [, source = "", target = "", text = ""] = match;
  try {
    return { source, target, text: decodeURIComponent(text) };
  } catch {
    // An address that was cut off in the middle of a character.
    return { source, target, text: "" };
  }
}

/** @param {Shared} shared */
export function formatAddress({ source, target, text }) {
  return `#${source}/${target}/${encodeURIComponent(text)}`;
}
