/**
 * A page that never rests, for `soak.mjs`: it translates itself, changes itself every 50 ms, goes elsewhere and comes back, and tells the
 * server what it sees, since a browser under automation loses pages that come back from its cache.
 *
 * Paragraphs live in the page, in a shadow tree and in a frame. The page knows what it has written itself: after `restore()` each paragraph
 * must hold the page's own nodes, in their order, with the page's own text.
 */

/**
 * What the page itself has written into a paragraph. The nodes of a copy are not known, since they come from a translated paragraph.
 * @typedef {object} Own
 * @property {string} text
 * @property {string} title
 * @property {[Node, string][] | null} nodes
 */

const query = new URLSearchParams(location.search);
const EVERY_MS = 50;
const AT_MOST = 40;
/** Texts that change again and again are looked at after two seconds at the latest. */
const REST_MS = 3000;

const { translatePage } = await import(/** @type {any} */ ("/library/wanderwort.js"));

/** @param {object} seen */
const tell = (seen) => fetch("/told", { method: "POST", body: JSON.stringify(seen), keepalive: true });

const frame = document.createElement("iframe");
frame.srcdoc = '<!doctype html><html lang="en"><body></body></html>';
const framed = new Promise((resolve) => (frame.onload = resolve));
document.body.append(frame);
await framed;
const shadow = document.body.appendChild(document.createElement("article")).attachShadow({ mode: "open" });
const places = [
  document.querySelector("main"),
  shadow.appendChild(document.createElement("section")),
  frame.contentDocument?.body,
].filter((place) => place instanceof Node);

const things = "house garden river street school market winter summer letter window".split(" ");
let count = 0;
/** @type {WeakMap<Element, Own>} */
const own = new WeakMap();
const sentence = () => {
  count++;
  return `The ${things[count % 10]} and the ${things[Math.floor(count / 10) % 10]} are ${count % 977} years old.`;
};

/** @param {Element} place */
function paragraph(place) {
  const made = place.ownerDocument.createElement("p");
  const text = sentence();
  if (count % 3 === 0) {
    const [first = "", ...rest] = text.split(" and ");
    const bold = place.ownerDocument.createElement("b");
    bold.textContent = first;
    made.append(bold, ` and ${rest.join(" and ")}`);
  } else made.textContent = text;
  const nodes = [...made.childNodes].map((node) => /** @type {[Node, string]} */ ([node, node.textContent ?? ""]));
  own.set(made, { text, title: "", nodes });
  return made;
}

/** @param {{length: number, [i: number]: any}} list */
const oneOf = (list) => list[Math.floor(Math.random() * list.length)];

/** What happens to a place, and to a paragraph in it. @type {((place: Element, some: HTMLElement, its: Own) => void)[]} */
const CHANGES = [
  (place) => place.append(paragraph(place)),
  (place) => place.prepend(paragraph(place)),
  (_, some) => some.remove(),
  (place, some) => place.append(some),
  (_, some) => oneOf(places).append(some),
  (place, some, its) => {
    const copy = some.cloneNode(true);
    own.set(/** @type {Element} */ (copy), { ...its, nodes: null });
    place.append(copy);
  },
  (_, some, its) => {
    const more = ` ${sentence()}`;
    some.append(more);
    its.text += more;
    if (some.lastChild) its.nodes?.push([some.lastChild, more]);
  },
  (_, some, its) => {
    its.text = some.textContent = sentence();
    its.nodes = [[/** @type {Node} */ (some.firstChild), its.text]];
  },
  // Appended to whatever is there by now, as chats do.
  (_, some, its) => {
    const last = its.nodes?.at(-1);
    if (!last || last[0].nodeType !== Node.TEXT_NODE || last[0] !== some.lastChild) return;
    const more = ` ${sentence()}`;
    /** @type {Text} */ (last[0]).data += more;
    last[1] += more;
    its.text += more;
  },
  (_, some, its) => (its.title = some.title = sentence()),
];

function change() {
  const place = oneOf(places);
  const some = oneOf(place.children) ?? place.appendChild(paragraph(place));
  const its = own.get(some);
  if (its) oneOf(CHANGES)(place, some, its);
  while (place.children.length > AT_MOST) place.firstElementChild?.remove();
}

const paragraphs = () => places.flatMap((place) => /** @type {HTMLElement[]} */ ([...place.children]));

/** @param {HTMLElement} some */
function isOwn(some) {
  const its = own.get(some);
  if (!its || some.textContent !== its.text || some.title !== its.title) return false;
  const now = [...some.childNodes];
  return (
    its.nodes === null ||
    (now.length === its.nodes.length &&
      its.nodes.every(([node, text], i) => now[i] === node && node.textContent === text))
  );
}

/** Bytes of the page's objects, where the browser tells them: after its next collection, within a minute. */
async function memory() {
  const { measureUserAgentSpecificMemory: measure } = /** @type {any} */ (performance);
  return measure ? (await measure.call(performance)).bytes : 0;
}

/** @type {string[]} */
const troubles = [];
addEventListener("error", ({ message }) => troubles.push(message));
addEventListener("unhandledrejection", ({ reason }) => troubles.push(String(reason)));
const live = await translatePage({ sourceLanguage: "en", targetLanguage: "de" });
live.addEventListener("error", (/** @type {{message: string}} */ { message }) => troubles.push(message));

let changes = 0;
const wait = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

for (let part = 0; part < Number(query.get("parts")); part++) {
  const end = Date.now() + Number(query.get("seconds")) * 1000;
  const bytes = memory();
  while (Date.now() < end) {
    change();
    changes++;
    await wait(EVERY_MS);
  }
  await wait(REST_MS);
  await live.complete;
  const left = paragraphs().filter(({ textContent, title }) => / and the | years old/.test(textContent + title));
  await tell({ kind: "rest", left: left.map(({ outerHTML }) => outerHTML), troubles, changes, bytes: await bytes });
  const back = new Promise((resolve) => addEventListener("pageshow", resolve, { once: true }));
  location.href = "/elsewhere.html";
  // A cache that keeps this page stops it meanwhile; a page that is not kept ends here, and begins anew when the reader comes back.
  await back;
}
live.restore();
const wrong = paragraphs().filter((some) => !isOwn(some));
await tell({ kind: "end", wrong: wrong.map((some) => [some.outerHTML, own.get(some)?.text]), troubles });

export {};
