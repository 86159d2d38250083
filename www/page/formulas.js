/**
 * Formulas that stand in the text as TeX writes them, for a script that has not yet set them.
 */

/** `\(…\)`, `\[…\]`, `$$…$$`; and `$…$` if its content is not an amount of money: a single letter, or text with signs of TeX. */
const TEX =
  /\\\([\s\S]+?\\\)|\\\[[\s\S]+?\\\]|\$\$[\s\S]+?\$\$|(?<![\w$\\])\$(?:\p{L}|(?=[^$\n]*[\\^_={}<>])[^$\s](?:[^$\n]*[^$\s\\])?)\$(?![\w$])/gu;

/**
 * Cuts a text at its formulas.
 * @param {string} text
 * @returns {{text: string, isFormula: boolean}[]}
 */
export function cutFormulas(text) {
  if (!/\$|\\[([]/.test(text)) return [{ text, isFormula: false }];
  const pieces = [];
  let end = 0;
  for (const match of text.matchAll(TEX)) {
    if (match.index > end) pieces.push({ text: text.slice(end, match.index), isFormula: false });
    pieces.push({ text: match[0], isFormula: true });
    end = match.index + match[0].length;
  }
  if (end < text.length || pieces.length === 0) pieces.push({ text: text.slice(end), isFormula: false });
  return pieces;
}
