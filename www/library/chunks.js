/**
 * The pieces in which a text is streamed: lines, except where several mean something only together. The engine sees each piece by itself.
 */

/** A line that opens or closes code, as `src/text/structure/fences.rs` reads it: backticks after it would be code within a line. */
const FENCE = /^[ >]*(`{3,}|~{3,})([^`\r\n]*)\r?\n?$/;

const FRONT = /^---[ \t]*\r?\n?$/;

/** @typedef {{line: number, sign: string, length: number, isBare: boolean}} Fence `isBare`: so that it can close */

/**
 * The last line of each piece of fenced code that is closed, by its first line.
 * @param {string[]} lines
 */
function findCode(lines) {
  /** @type {Fence[]} */
  const fences = [];
  lines.forEach((text, line) => {
    const [, signs = "", rest = ""] = FENCE.exec(text) ?? [];
    if (signs !== "") fences.push({ line, sign: signs[0] ?? "", length: signs.length, isBare: rest.trim() === "" });
  });
  // For each fence, the longest ones after it that can close: without a partner a text of fences would be searched to its end for each.
  /** @type {Map<string, number>} */
  const longest = new Map();
  const isClosed = fences.map(() => false);
  fences.forEach((_, before) => {
    const at = fences.length - 1 - before;
    const { sign, length, isBare } = /** @type {Fence} */ (fences[at]);
    isClosed[at] = (longest.get(sign) ?? 0) >= length;
    if (isBare) longest.set(sign, Math.max(longest.get(sign) ?? 0, length));
  });
  /** @type {Map<number, number>} */
  const ends = new Map();
  for (let i = 0; i < fences.length; i++) {
    const open = fences[i];
    if (!open || !isClosed[i]) continue;
    const closes = (/** @type {Fence | undefined} */ fence) =>
      fence === undefined || (fence.isBare && fence.sign === open.sign && fence.length >= open.length);
    do i++;
    while (!closes(fences[i]));
    ends.set(open.line, fences[i]?.line ?? open.line);
  }
  return ends;
}

/**
 * Cuts a text into lines with their line breaks; what stands between fences, and a page's front matter, is one piece.
 * @param {string} text
 * @returns {string[]} together the text
 */
export function chunksOf(text) {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const ends = findCode(lines);
  if (FRONT.test(lines[0] ?? "")) {
    const end = lines.findIndex((line, i) => i > 0 && FRONT.test(line));
    if (end > 0) ends.set(0, end);
  }
  /** @type {string[]} */
  const chunks = [];
  for (let i = 0; i < lines.length; i++) {
    const end = ends.get(i) ?? i;
    chunks.push(lines.slice(i, end + 1).join(""));
    i = end;
  }
  return chunks;
}
