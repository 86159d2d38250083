/**
 * What stands in a line of text without being text for the translation: pictures, icons, formulas, code, keys, names. The live page
 * recognises them by their names, by the classes that well-known libraries give them, and by how they are shown.
 *
 * To have something new left alone, add it to a list here.
 */
import {
  attributeOf,
  firstChildOf,
  hasAttributes,
  isElement,
  isText,
  nameOf,
  namespaceOf,
  nextSiblingOf,
  parentOf,
} from "./dom.js";
import { isVerbatim, isWordless } from "./rules.js";

/**
 * How an element takes part in a sentence.
 *
 * - `words`: its text is part of it
 * - `kept`: like one word, which stays as it is
 * - `picture`: something to look at or to fill in, beside the words or among them
 * - `nothing`: not shown, or beside the text, like the numbers of notes
 * @typedef {"words" | "kept" | "picture" | "nothing"} Part
 */

/** @param {string} list */
const set = (list) => new Set(list.split(/\s+/));

/** Elements that show something or ask for something. */
const PICTURES = set("audio canvas embed iframe frame img input math meter object progress svg textarea video");

/** Elements that are beside the text: readings above it. */
const ANNOTATIONS = set("rp rt rtc");

/** Classes of formulas: KaTeX, MathJax 2 to 4, MediaWiki. */
const FORMULA_CLASSES = set(
  "katex katex-display MathJax MathJax_Display MathJax_CHTML MathJax_SVG MathJax_SVG_Display mjx-chtml mjpage mwe-math-element",
);

/** Elements of formulas. */
const FORMULA_NAMES = set("math mjx-container");

/** Classes of editors, terminals and highlighters, which hold code whatever their elements are. */
const CODE_CLASSES = set(
  "ace_editor blob-code chroma cm-editor cm-content codehilite CodeMirror CodeMirror-code hljs monaco-editor " +
    "prettyprint rouge shiki view-lines xterm xterm-rows",
);

/** Classes that also mean other things: they hold code if it is shown as code. */
const PERHAPS_CODE_CLASSES = set("code console highlight listing output source snippet sourceCode syntax terminal");

/** Classes of keys on a keyboard. */
const KEY_CLASSES = set("kbd keyboard-key keycap keystroke");

/** Classes of icon fonts whose content is a name or a sign for the icon. */
const ICON_CLASSES = set(
  "material-icons material-icons-outlined material-icons-round material-icons-sharp material-icons-two-tone " +
    "material-symbols-outlined material-symbols-rounded material-symbols-sharp glyphicon icofont iconfont icomoon",
);

/** Fonts of icons. */
const ICON_FONTS =
  /material (design )?(icons|symbols)|font ?awesome|\bfa[- ](solid|regular|brands)|glyphicons|icomoon|ionicons|remixicon|bootstrap-icons|iconfont|codicon|octicons|segoe (fluent|mdl2)|fabric ?mdl2/i;

/** Classes of people's names and handles. */
const NAME_CLASSES = set(
  "author-name display-name fn handle nickname p-author p-name p-nickname screen-name user-name username",
);

/** Properties of microdata and RDFa whose values are names, numbers and addresses. */
const NAME_PROPERTIES = set(
  "addressCountry addressLocality addressRegion author creator email faxNumber gtin13 isbn postalCode price priceCurrency " +
    "sku streetAddress telephone",
);

/** A name that a font may turn into the picture of an icon. */
const ICON_NAME = /^[a-z][a-z0-9_]{1,39}$/;

/** Characters to which fonts give a meaning of their own. */
const PRIVATE = /^[\p{Co}\s]+$/u;

const MATHML = "http://www.w3.org/1998/Math/MathML";
const SVG = "http://www.w3.org/2000/svg";

const MONOSPACE = /\bmono(space)?\b|courier|consolas|menlo|monaco/i;

/** The number of a note: beside the text, and not part of its sentence. */
const REFERENCE = /^\s*\[\s*[\p{L}\d]{1,4}\s*\]\s*$/u;

/** The longest postal address; the element also holds sentences about how to reach somebody. */
const LONGEST_ADDRESS = 160;

/** @param {Element} element */
const isSvg = (element) => namespaceOf(element) === SVG;

/** The text of an element that holds nothing else. @param {Element} element */
function onlyText(element) {
  const child = firstChildOf(element);
  return child && isText(child) && !nextSiblingOf(child) ? (child.textContent ?? "") : null;
}

/**
 * Whether an element shows a picture by the name that its font has for it.
 * @param {Element} element
 * @param {string} text
 */
function isIcon(element, text) {
  if (text.length > 40 || /\s/.test(text)) return false;
  if (PRIVATE.test(text)) return true;
  if (!ICON_NAME.test(text) || !hasAttributes(element)) return false;
  const { fontFamily, fontSize } = getComputedStyle(element);
  if (ICON_FONTS.test(fontFamily)) return true;
  // Five or more letters in the space of one: the font has a ligature for them.
  if (text.length < 5) return false;
  const size = parseFloat(fontSize);
  const range = new Range();
  range.selectNodeContents(element);
  const { width } = range.getBoundingClientRect();
  return width > 0.7 * size && width < 1.3 * size && width < 0.23 * size * text.length;
}

/** A letter that stands for a number and is printed in italics. @param {string | null} text */
const isQuantity = (text) => text !== null && /^\p{L}$/u.test(text) && text !== "I";

/** Whether an element is shown like code: letters of equal width, and every blank and line as written. @param {Element} element */
function looksLikeCode(element) {
  const { whiteSpace, fontFamily } = getComputedStyle(element);
  return whiteSpace === "pre" && MONOSPACE.test(fontFamily);
}

/**
 * Whether a text consists of lines of an address, which have numbers and no sentence.
 * @param {string} text
 */
const isPostalAddress = (text) =>
  text.length <= LONGEST_ADDRESS && /\d/.test(text) && !/[.!?:](\s|$)/.test(text.trim());

/** @param {Element} element */
function hasNameRole(element) {
  if (attributeOf(element, "rel")?.split(/\s+/).includes("author")) return true;
  const property = attributeOf(element, "itemprop") ?? attributeOf(element, "property");
  return property !== null && property.split(/\s+/).some((name) => NAME_PROPERTIES.has(name.replace(/^schema:/, "")));
}

/**
 * How an element takes part in a sentence, by what it is.
 * @param {Element} element
 * @returns {Part}
 */
export function partOf(element) {
  const name = nameOf(element);
  if (ANNOTATIONS.has(name)) return "nothing";
  if (FORMULA_NAMES.has(name) || namespaceOf(element) === MATHML) return "kept";
  if (isWordless(element)) {
    if (name === "input" && attributeOf(element, "type")?.toLowerCase() === "hidden") return "nothing";
    return PICTURES.has(name) ? "picture" : "nothing";
  }
  if (isVerbatim(element)) return isPlainText(element) ? "words" : "kept";
  if (name === "bdi") return "kept";
  if (name === "address") return isPostalAddress(element.textContent ?? "") ? "kept" : "words";
  if (name === "sup" && REFERENCE.test(element.textContent ?? "")) return "nothing";
  if (name === "i" && isQuantity(onlyText(element))) return "kept";
  if (!hasAttributes(element)) return "words";
  const classes = attributeOf(element, "class");
  if (classes !== null) {
    for (const one of classes.split(/\s+/)) {
      if (FORMULA_CLASSES.has(one) || CODE_CLASSES.has(one) || KEY_CLASSES.has(one) || NAME_CLASSES.has(one))
        return "kept";
      if (ICON_CLASSES.has(one)) return "picture";
      if (PERHAPS_CODE_CLASSES.has(one) && looksLikeCode(element)) return "kept";
    }
  }
  if (attributeOf(element, "role") === "code" || hasNameRole(element)) return "kept";
  const text = onlyText(element);
  if (text !== null && isIcon(element, text.trim())) return "picture";
  if (firstChildOf(element) === null && isShownEmpty(element)) return "picture";
  return "words";
}

/** A document without markup, which browsers show in one preformatted element. @param {Element} element */
function isPlainText(element) {
  return nameOf(element) === "pre" && element.ownerDocument.contentType === "text/plain";
}

/** An empty element that a style gives a picture. @param {Element} element */
function isShownEmpty(element) {
  if (attributeOf(element, "class") === null && attributeOf(element, "style") === null) return false;
  const { width, height } = element.getBoundingClientRect();
  return width > 0 && height > 0;
}

/** Whether an element is never looked into for text: what it holds is not text, or not for readers. @param {Element} element */
export function isClosed(element) {
  if (nameOf(element) === "svg") return false;
  const part = partOf(element);
  return part !== "words";
}

/** Elements of pictures whose text is shown, or read out to those who do not see them. */
const SVG_TEXTS = set("text title desc foreignObject");

/** Parts of a text in a picture, and containers of texts. */
const SVG_INLINE = set("tspan textPath a");

/**
 * Whether an element of a picture ends a run of text; undefined for elements of HTML.
 * @param {Element} element
 */
export function isSvgBorder(element) {
  if (!isSvg(element)) return undefined;
  const name = nameOf(element);
  if (name === "svg") return false;
  return !(SVG_INLINE.has(name) && isInSvgText(element));
}

/** @param {Element} element */
function isInSvgText(element) {
  for (let at = parentOf(element); at && isElement(at) && isSvg(at); at = parentOf(at)) {
    if (nameOf(at) === "text") return true;
  }
  return false;
}

/** Whether text directly in an element does not count as text, as between the shapes of a picture. @param {Node} container */
export const holdsNoText = (container) =>
  isElement(container) && isSvg(container) && !SVG_TEXTS.has(nameOf(container)) && !isInSvgText(container);
