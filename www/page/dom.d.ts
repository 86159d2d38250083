/**
 * The DOM's own accessors. Nothing that a page does to its nodes comes between: neither a form with a control named
 * `parentNode` nor a script that overwrites methods later.
 */
export declare const ELEMENT = 1;
export declare const TEXT = 3;
export declare const DOCUMENT = 9;
export declare const FRAGMENT = 11;
/** @type {(node: Node) => number} */
export declare const typeOf: (node: Node) => number;
/** @type {(node: Node) => Node | null} */
export declare const parentOf: (node: Node) => Node | null;
/** @type {(node: Node) => ChildNode | null} */
export declare const firstChildOf: (node: Node) => ChildNode | null;
/** @type {(node: Node) => ChildNode | null} */
export declare const nextSiblingOf: (node: Node) => ChildNode | null;
/** @type {(node: Node) => boolean} */
export declare const isConnected: (node: Node) => boolean;
/** @type {(node: Node) => Document | null} */
export declare const documentOf: (node: Node) => Document | null;
/** @type {(text: CharacterData) => string} */
export declare const dataOf: (text: CharacterData) => string;
/** Lower-case for HTML. @type {(element: Element) => string} */
export declare const nameOf: (element: Element) => string;
/** @type {(element: Element) => string | null} */
export declare const namespaceOf: (element: Element) => string | null;
/** Only open ones. @type {(element: Element) => ShadowRoot | null} */
export declare const shadowRootOf: (element: Element) => ShadowRoot | null;
/** @type {(document: Node) => Element | null} */
export declare const rootElementOf: (document: Node) => Element | null;
/** @type {(element: Element) => boolean} */
export declare const hasAttributes: (element: Element) => boolean;
/** @type {(element: Element, name: string) => string | null} */
export declare const attributeOf: (element: Element, name: string) => string | null;
/** @type {(node: Node, other: Node | null) => boolean} */
export declare const contains: (node: Node, other: Node | null) => boolean;
/** @type {(element: Element, selectors: string) => Iterable<Element>} */
export declare const findAll: (element: Element, selectors: string) => Iterable<Element>;
/** @param {CharacterData} text @param {string} data */
export declare function writeData(text: CharacterData, data: string): void;
/** @param {Element} element @param {string} name @param {string | null} value null removes it */
export declare function writeAttribute(element: Element, name: string, value: string | null): void;
/** @param {Node} parent @param {Node} child @param {Node | null} next */
export declare function insert(parent: Node, child: Node, next: Node | null): void;
/**
 * Moves a child among its siblings.
 * @param {Node} parent
 * @param {Node} child
 * @param {Node | null} next
 */
export declare function move(parent: Node, child: Node, next: Node | null): void;
/** @param {Node} node */
export declare function detach(node: Node): void;
/** The element that a shadow tree belongs to; null for other fragments. @param {Node} root @returns {Element | null} */
export declare function hostOf(root: Node): Element | null;
/** The parent, beyond the border of a shadow tree too. @param {Node} node @returns {Node | null} */
export declare function composedParentOf(node: Node): Node | null;
/** The element with the focus in the tree that a node is in. @param {Node} node @returns {Element | null} */
export declare function focusAround(node: Node): Element | null;
/** The document in a frame, if the page may see it. @param {Element} frame @returns {Document | null} */
export declare function documentIn(frame: Element): Document | null;
/**
 * The node after this one in document order below `root`.
 * @param {Node} node
 * @param {Node} root
 * @param {boolean} skip leaves out what is inside of `node`
 * @returns {Node | null}
 */
export declare function following(node: Node, root: Node, skip: boolean): Node | null;
/** @param {Node} node @returns {node is Element} */
export declare const isElement: (node: Node) => node is Element;
/** @param {Node} node @returns {node is Text} */
export declare const isText: (node: Node) => node is Text;
