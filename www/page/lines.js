/**
 * Line breaks within sentences: text that was broken into lines of about equal length before it came to the page, as in mail.
 */

/** Lines of wrapped text are no shorter than this, except for the last of a paragraph. */
const SHORTEST = 40;

/** And no longer. */
const LONGEST = 110;

/** Lengths of wrapped lines differ by a word. */
const MOST_DIFFERENCE = 25;

const ENDS_SENTENCE = /[.!?…:;]["'”’)\]]*\s*$/u;
const IS_ITEM = /^\s*([-*•–—>#|]|\d+[.)])\s/u;

/**
 * Which line breaks of a text are only there to keep its lines short.
 * @param {string} text
 * @returns {boolean[]} for each `\n`, whether it stands within a sentence
 */
export function findWraps(text) {
  const lines = text.split("\n");
  if (lines.length < 2) return [];
  const wraps = lines.slice(0, -1).map((line, i) => {
    const next = lines[i + 1] ?? "";
    const { length } = line.trimEnd();
    return length >= SHORTEST && length <= LONGEST && /\S/.test(next) && !IS_ITEM.test(next) && !IS_ITEM.test(line);
  });
  const lengths = lines.filter((_, i) => wraps[i]).map((line) => line.trimEnd().length);
  const even = Math.max(...lengths) - Math.min(...lengths) <= MOST_DIFFERENCE;
  // Where most lines end a sentence, the line breaks are intended.
  const open = lines.filter((line, i) => wraps[i] && !ENDS_SENTENCE.test(line)).length;
  return even && open > lengths.length / 2 ? wraps : wraps.map(() => false);
}

/**
 * Breaks lines at blanks.
 * @param {string} text
 * @param {number} width
 */
export const wrap = (text, width) =>
  text
    .split("\n")
    .map((line) => {
      let out = "";
      let column = 0;
      for (const word of line.split(/(?<=\s)(?=\S)/)) {
        if (column > 0 && column + word.trimEnd().length > width) {
          out = `${out.trimEnd()}\n`;
          column = 0;
        }
        out += word;
        column += word.length;
      }
      return out;
    })
    .join("\n");
