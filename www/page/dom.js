/**
 * The DOM's own accessors. Nothing that a page does to its nodes gets in the way: neither a form with a control named
 * `parentNode` nor a script that overwrites methods later.
 */

/** Servers and workers have no DOM, but may still import this. */
class Nothing {}
const {
  CharacterData = Nothing,
  Document = Nothing,
  Element = Nothing,
  HTMLElement = Nothing,
  HTMLEmbedElement = Nothing,
  HTMLFormElement = Nothing,
  HTMLFrameElement = Nothing,
  HTMLIFrameElement = Nothing,
  HTMLObjectElement = Nothing,
  Node = Nothing,
  ShadowRoot = Nothing,
} = /** @type {typeof globalThis} */ (globalThis);

/** Sees nothing: some pages have no observers left. */
class Blind {
  observe() {}
  unobserve() {}
  disconnect() {}
  takeRecords() {
    return [];
  }
}

/** @type {typeof MutationObserver} */
export const NativeMutationObserver = globalThis.MutationObserver ?? Blind;
/** @type {typeof IntersectionObserver} */
export const NativeIntersectionObserver = /** @type {any} */ (globalThis.IntersectionObserver ?? Blind);

const { apply, getOwnPropertyDescriptor } = Reflect;

/**
 * @param {object} prototype
 * @param {string} name
 * @returns {(of: Node) => any}
 */
function getter(prototype, name) {
  const get = getOwnPropertyDescriptor(prototype, name)?.get;
  return get ? (node) => apply(get, node, []) : (node) => /** @type {any} */ (node)[name];
}

/**
 * @param {object} prototype
 * @param {string} name
 * @returns {(of: Node, ...rest: unknown[]) => any}
 */
function method(prototype, name) {
  const call = getOwnPropertyDescriptor(prototype, name)?.value;
  return (node, ...rest) => apply(call, node, rest);
}

export const ELEMENT = 1;
const TEXT = 3;
/** Text of an XML document, in which characters need no escapes. */
const CDATA = 4;
export const DOCUMENT = 9;
const FRAGMENT = 11;

/** @type {(node: Node) => number} */
export const typeOf = getter(Node.prototype, "nodeType");
/** @type {(node: Node) => Node | null} */
export const parentOf = getter(Node.prototype, "parentNode");
/** @type {(node: Node) => ChildNode | null} */
export const firstChildOf = getter(Node.prototype, "firstChild");
/** @type {(node: Node) => ChildNode | null} */
export const nextSiblingOf = getter(Node.prototype, "nextSibling");
/** @type {(node: Node) => boolean} */
export const isConnected = getter(Node.prototype, "isConnected");
/** @type {(node: Node) => Document | null} */
export const documentOf = getter(Node.prototype, "ownerDocument");
/** @type {(text: CharacterData) => string} */
export const dataOf = getter(CharacterData.prototype, "data");
/** Lower-case for HTML. @type {(element: Element) => string} */
export const nameOf = getter(Element.prototype, "localName");
/** @type {(element: Element) => string | null} */
export const namespaceOf = getter(Element.prototype, "namespaceURI");
/** @type {(element: Element) => ShadowRoot | null} */
const openShadow = getter(Element.prototype, "shadowRoot");
const shadowHost = getter(ShadowRoot.prototype, "host");
const shadowFocus = getter(ShadowRoot.prototype, "activeElement");
const documentFocus = getter(Document.prototype, "activeElement");
/** Getters of the document that an element shows, by the element's name. @type {Record<string, (frame: Element) => Document | null>} */
const FRAME_DOCUMENTS = {
  iframe: getter(HTMLIFrameElement.prototype, "contentDocument"),
  frame: getter(HTMLFrameElement.prototype, "contentDocument"),
  object: getter(HTMLObjectElement.prototype, "contentDocument"),
  embed: method(HTMLEmbedElement.prototype, "getSVGDocument"),
};
/** A form's controls, also those outside of it that name it as theirs. @type {(form: Element) => Iterable<Element>} */
export const controlsOf = getter(HTMLFormElement.prototype, "elements");
const isContentEditable = getter(HTMLElement.prototype, "isContentEditable");
const designMode = getter(Document.prototype, "designMode");
/** @type {(document: Node) => Element | null} */
export const rootElementOf = getter(Document.prototype, "documentElement");

/** @type {(element: Element) => boolean} */
export const hasAttributes = method(Element.prototype, "hasAttributes");
/** @type {(element: Element, name: string) => string | null} */
export const attributeOf = method(Element.prototype, "getAttribute");
/** @type {(node: Node, other: Node | null) => boolean} */
export const contains = method(Node.prototype, "contains");
/** @type {(element: Element, selectors: string) => boolean} */
export const matches = method(Element.prototype, "matches");
/** @type {(element: Element, selectors: string) => Iterable<Element>} */
export const findAll = method(Element.prototype, "querySelectorAll");

const comparePositions = method(Node.prototype, "compareDocumentPosition");
/** Whether a node comes before another in the document. @param {Node} node @param {Node} other */
export const isBefore = (node, other) => (comparePositions(node, other) & 4) !== 0;

const setData = getOwnPropertyDescriptor(CharacterData.prototype, "data")?.set;
const setAttributeOf = method(Element.prototype, "setAttribute");
const removeAttributeOf = method(Element.prototype, "removeAttribute");
const insertBefore = method(Node.prototype, "insertBefore");
const removeChild = method(Node.prototype, "removeChild");
/** Keeps the focus, animations and frames of what moves; new in browsers. */
const moveBefore = "moveBefore" in Element.prototype ? method(Element.prototype, "moveBefore") : null;

/** @param {CharacterData} text @param {string} data */
export function writeData(text, data) {
  if (setData && dataOf(text) !== data) apply(setData, text, [data]);
}

/** @param {Element} element @param {string} name @param {string | null} value null removes it */
export function writeAttribute(element, name, value) {
  if (value === null) removeAttributeOf(element, name);
  else if (attributeOf(element, name) !== value) setAttributeOf(element, name, value);
}

/** @param {Node} parent @param {Node} child @param {Node | null} next */
export function insert(parent, child, next) {
  insertBefore(parent, child, next);
}

/**
 * Moves a child among its siblings.
 * @param {Node} parent
 * @param {Node} child
 * @param {Node | null} next
 */
export function move(parent, child, next) {
  if (moveBefore && typeOf(parent) === ELEMENT) {
    try {
      moveBefore(parent, child, next);
      return;
    } catch {
      // Not in a document: then there is no state to keep.
    }
  }
  insertBefore(parent, child, next);
}

/** @param {Node} node */
export function detach(node) {
  const parent = parentOf(node);
  if (parent) removeChild(parent, node);
}

/** The element that a shadow tree belongs to; null for other fragments. @param {Node} root @returns {Element | null} */
export function hostOf(root) {
  if (typeOf(root) !== FRAGMENT) return null;
  try {
    return shadowHost(root);
  } catch {
    return null;
  }
}

/** The parent, also across the border of a shadow tree. @param {Node} node @returns {Node | null} */
export function composedParentOf(node) {
  const parent = parentOf(node);
  return parent && (hostOf(parent) ?? parent);
}

/** The element with the focus in the tree that a node is in. @param {Node} node @returns {Element | null} */
export function focusAround(node) {
  let root = node;
  for (let at = parentOf(root); at; at = parentOf(root)) root = at;
  if (typeOf(root) === DOCUMENT) return documentFocus(root);
  return hostOf(root) ? shadowFocus(root) : null;
}

/** What extensions have for looking into closed shadow trees, in either browser. */
const extensionDom = /** @type {any} */ (globalThis).chrome?.dom;

/** The shadow tree of an element, if it may be seen. @param {Element} element @returns {ShadowRoot | null} */
export function shadowRootOf(element) {
  const open = openShadow(element);
  if (open) return open;
  if (extensionDom?.openOrClosedShadowRoot && canHoldShadow(element)) {
    try {
      return extensionDom.openOrClosedShadowRoot(element);
    } catch {
      return null;
    }
  }
  return /** @type {any} */ (element).openOrClosedShadowRoot ?? null;
}

/** HTML elements, besides custom ones, that a shadow tree can be attached to. */
const SHADOW_HOSTS = new Set(
  "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "),
);

/** @param {Element} element */
export function canHoldShadow(element) {
  const name = nameOf(element);
  return SHADOW_HOSTS.has(name) || name.includes("-");
}

/** Whether the reader may change the content of an element, whatever the page has set to allow it. @param {Element} element */
export function isEditable(element) {
  // Elements of SVG and MathML cannot tell.
  if (element instanceof HTMLElement || namespaceOf(element) === "http://www.w3.org/1999/xhtml") {
    try {
      if (isContentEditable(element)) return true;
    } catch {
      // An XML element of this namespace without an interface of its own.
    }
  }
  return Boolean(/** @type {any} */ (element).editContext);
}

/** Whether a whole document is an editor. @param {Document} document */
export const isDesigned = (document) => designMode(document) === "on";

/** The document in a frame, if the page may see it. @param {Element} frame @returns {Document | null} */
export function documentIn(frame) {
  try {
    return FRAME_DOCUMENTS[nameOf(frame)]?.(frame) ?? null;
  } catch {
    return null;
  }
}

/**
 * The node after this one in document order below `root`.
 * @param {Node} node
 * @param {Node} root
 * @param {boolean} skip leaves out what is inside of `node`
 * @returns {Node | null}
 */
export function following(node, root, skip) {
  const child = skip ? null : firstChildOf(node);
  if (child) return child;
  /** @type {Node | null} */
  let at = node;
  while (at && at !== root) {
    const next = nextSiblingOf(at);
    if (next) return next;
    at = parentOf(at);
  }
  return null;
}

/** @param {Node} node @returns {node is Element} */
export const isElement = (node) => typeOf(node) === ELEMENT;
/** @param {Node} node @returns {node is Text} */
export const isText = (node) => {
  const type = typeOf(node);
  return type === TEXT || type === CDATA;
};
