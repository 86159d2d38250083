/**
 * Where one text ends and the next begins among things that stand side by side in a line: labels and fields, choices, badges, links
 * of a menu. A sentence that spans links and emphasis has to stay one.
 *
 * The kinds of borders are the rules of {@link KINDS}; a new kind is a new rule there.
 */
import { attributeOf, isElement, isText, nameOf } from "./dom.js";
import { isBoxInLine } from "./layout.js";
import { hasWords } from "./rules.js";

/**
 * A node of a run as the rules see it.
 * @typedef {object} Part
 * @property {ChildNode} node
 * @property {string} text its words for the translation, with blanks; empty for pictures and fields
 * @property {boolean} isElement
 * @property {boolean} isKept whether there is something in it that stays as it is, like a word
 * @property {boolean} isField whether the reader writes or chooses in it
 */

/** Roles of what is pressed or chosen as a whole. */
const ROLES = new Set("button checkbox menuitem option radio status switch tab".split(" "));

/** Kinds of fields that come before their labels, one for each. */
const CHOICES = new Set(["checkbox", "radio"]);

const STARTS_SMALL = /^[^\p{L}\p{N}]*\p{Ll}/u;
const STARTS_LARGE = /^[^\p{L}\p{N}]*[\p{Lu}\p{Lt}\p{N}]/u;
const STARTS_WITH_SIGN = /^\s*[,.;:!?)\]%]/u;
const HAS_CASE = /\p{Ll}|\p{Lu}/u;
const ENDS_SENTENCE = /[.!?…。！？]["'”’)\]]*\s*$/u;
const ENDS_CLAUSE = /[.!?…,;:–—(-]["'”’)\]]*\s*$/u;
const IS_SENTENCE = /^\s*\p{Lu}[^.!?]*\s[^.!?]*[.!?]["'”’)\]]*\s*$/u;
const IS_HEADING = /^\s*\p{Lu}[^:]{0,40}:\s*$/u;
/** What stands between the steps of a path or the entries of a menu. */
const IS_SEPARATOR = /^\s*[›»>|/\\·•–—→-]\s*$/u;
const IS_WORD = /^\s*\S+\s*$/u;

/** @param {Part} part */
const isLabel = ({ node }) =>
  isElement(node) && (nameOf(node) === "label" || ROLES.has(attributeOf(node, "role") ?? ""));

/** @param {Part} part */
const isLink = ({ node }) => isElement(node) && nameOf(node) === "a";

/** @param {Part} part */
const isChoice = ({ node }) => isElement(node) && CHOICES.has(attributeOf(node, "type")?.toLowerCase() ?? "");

/** @param {Part} part */
const hasText = ({ text }) => hasWords(text);

/** Words set one by one, or letters: what a script has taken apart for an animation. @param {Part[]} parts */
function isTakenApart(parts) {
  const classes = new Set(parts.map(({ node }) => (isElement(node) ? attributeOf(node, "class") : null)));
  return (
    classes.size === 1 && parts.length > 2 && parts.every(({ text }) => IS_WORD.test(text)) && parts.every(isHidden)
  );
}

/** @param {Part} part */
const isHidden = ({ node }) => isElement(node) && attributeOf(node, "aria-hidden") === "true";

/**
 * Whether all parts of a run that have words are elements that begin like a new text, with a capital or a number, and none of them ends
 * like a sentence; or whether all are links, labels or boxes.
 * @param {Part[]} parts
 */
function areIndependent(parts) {
  const withWords = parts.filter(hasText);
  if (withWords.length < 2 || withWords.some((part) => !part.isElement) || isTakenApart(withWords)) return false;
  const begin = withWords.every(({ text }) => STARTS_LARGE.test(text) && HAS_CASE.test(text));
  if (begin)
    return withWords.slice(0, -1).every((part) => !ENDS_SENTENCE.test(part.text) || isLink(part) || isLabel(part));
  if (withWords.every((part) => isLink(part) || isLabel(part))) return true;
  const boxes = withWords.every(
    (part) => isLink(part) || isLabel(part) || (isElement(part.node) && isBoxInLine(part.node)),
  );
  // Lower-case letters after boxes continue the sentence.
  return boxes && !withWords.slice(1).some(({ text }) => STARTS_SMALL.test(text));
}

/**
 * Whether there is a border before a part.
 * @typedef {(parts: Part[], at: number, before: string) => boolean} Rule `before` is the text since the last border
 */

/** @type {Record<string, Rule>} */
const KINDS = {
  /** A box to tick belongs to the words after it. */
  choice: (parts, at) => isChoice(/** @type {Part} */ (parts[at])),

  /** A field ends the text before it, unless the sentence continues after it. */
  field: (parts, at, before) => {
    const part = /** @type {Part} */ (parts[at]);
    if (!part.isField) return false;
    const behind = parts.slice(at + 1).find(({ text }) => /\S/.test(text))?.text ?? "";
    return !(STARTS_SMALL.test(behind) || STARTS_WITH_SIGN.test(behind)) || /:\s*$/.test(before);
  },
  afterField: (parts, at, before) => {
    const part = parts[at - 1];
    return part !== undefined && part.isField && KINDS.field?.(parts, at - 1, before) === true;
  },

  /** Labels, and elements with the role of a control, are read on their own. */
  label: (parts, at) => isLabel(/** @type {Part} */ (parts[at])),
  afterLabel: (parts, at) => at > 0 && isLabel(/** @type {Part} */ (parts[at - 1])),

  /** A name with a colon for what follows: "Delivery: free Returns: within a month". */
  heading: (parts, at, before) => {
    const { isElement, text } = /** @type {Part} */ (parts[at]);
    return isElement && IS_HEADING.test(text) && hasWords(before) && !ENDS_CLAUSE.test(before);
  },

  /** A link at the end that is a whole sentence, after text that is not: "Remember me Forgot your password?" */
  sentence: (parts, at, before) => {
    const part = /** @type {Part} */ (parts[at]);
    const isLast = !parts.slice(at + 1).some(hasText);
    return isLast && isLink(part) && IS_SENTENCE.test(part.text) && hasWords(before) && !ENDS_CLAUSE.test(before);
  },
};

/**
 * Cuts a run at its borders.
 * @param {Part[]} parts
 * @returns {Part[][]}
 */
export function cutRun(parts) {
  if (!parts.some((part) => part.isElement)) return [parts];
  const independent = areIndependent(parts);
  const rules = Object.values(KINDS);
  /** @type {Part[][]} */
  const pieces = [[]];
  let before = "";
  parts.forEach((part, at) => {
    const isApart = part.isElement ? hasText(part) : IS_SEPARATOR.test(part.text);
    const hasBorder = at > 0 && ((independent && isApart) || rules.some((rule) => rule(parts, at, before)));
    if (hasBorder) {
      pieces.push([]);
      before = "";
    }
    pieces[pieces.length - 1]?.push(part);
    before += part.text;
  });
  return pieces;
}

/** Whether a node is a field. @param {Node} node */
export const isField = (node) =>
  !isText(node) && isElement(node) && /^(input|textarea|select|meter|progress)$/.test(nameOf(node));
