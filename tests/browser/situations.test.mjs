/**
 * Pages as people meet them: what is text there and what is not, where one text ends, what the page does with its text meanwhile. Each
 * situation is a small page of its own, translated by the real engine, and put back.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { inEveryBrowser } from "./harness.mjs";
import { fixture } from "./live.mjs";

/** @typedef {import("puppeteer-core").Page} Page */

/**
 * @typedef {object} Situation
 * @property {string} html of the body
 * @property {string} [head]
 * @property {string} [start] a whole document instead
 * @property {string} [name] of the file
 * @property {object} [options] of the translation
 * @property {string} [before] a script that runs before the translation
 * @property {string} [during] a script that runs once the page is translated; `live` is the translation, `rest()` waits until all is done
 * @property {Record<string, RegExp | string>} shows what elements show then: the exact text, or a pattern for it
 * @property {{has: string, what: string}} [needs] what not every browser has: an expression that tells whether it does, and its name
 * @property {Record<string, string>} [pages] other pages, by their names
 * @property {Record<string, string>} [attributes] `selector@name` and the value
 * @property {Record<string, string>} [restored] what elements show when the page is put back; by default all that they showed at first
 */

/** Reads a text as a reader does, also in shadow trees (`host >> inner`) and frames. */
const READ = `
  globalThis.find = (path) => path.split(" >> ").reduce((at, selector) => {
    const root = at.shadowRoot ?? at.contentDocument ?? at.getSVGDocument?.() ?? at;
    return root.querySelector(selector);
  }, document);
  globalThis.textAt = (path) => find(path)?.textContent ?? "(nothing)";
`;

/** @param {Page} page @param {Situation} situation */
async function play(page, { options = {}, before = "", during = "", shows, attributes = {}, restored }) {
  await page.evaluate(READ);
  await page.evaluate(`(async () => { ${before} })()`);
  const at = await page.evaluate((paths) => paths.map((path) => globalThis.textAt(path)), Object.keys(shows));
  const wholeBefore = await page.evaluate(() => document.documentElement.outerHTML);
  await page.evaluate(async (options) => {
    const { translatePage } = await import(/** @type {any} */ ("/library/wanderwort.js"));
    const live = await translatePage({
      sourceLanguage: "en",
      targetLanguage: "de",
      originalOnHover: false,
      ...options,
    });
    /** @type {string[]} */
    const troubles = [];
    live.addEventListener("error", (/** @type {any} */ event) =>
      troubles.push(`${event.message} ${event.error?.stack}`),
    );
    const rest = async () => {
      await new Promise((resolve) => setTimeout(resolve, 400));
      await live.complete;
    };
    Object.assign(globalThis, { live, troubles, rest });
    await live.complete;
    await rest();
  }, options);
  await page.evaluate(`(async () => { ${during} })()`);
  for (const [path, expected] of Object.entries(shows)) {
    const shown = await page.evaluate((path) => globalThis.textAt(path), path);
    if (typeof expected === "string") assert.equal(shown, expected, path);
    else assert.match(shown, expected, path);
  }
  for (const [path, expected] of Object.entries(attributes)) {
    const [selector = "", name = ""] = path.split("@");
    const value = await page.evaluate(
      (selector, name) => globalThis.find(selector)?.getAttribute(name),
      selector,
      name,
    );
    assert.equal(value, expected, path);
  }
  assert.deepEqual(await page.evaluate(() => globalThis.troubles), [], "nothing went wrong inside");
  await page.evaluate(() => globalThis.live.restore());
  if (!restored && !during) {
    assert.equal(await page.evaluate(() => document.documentElement.outerHTML), wholeBefore, "the page is as it was");
  }
  const back = restored ?? (during ? {} : Object.fromEntries(Object.keys(shows).map((path, i) => [path, at[i] ?? ""])));
  for (const [path, text] of Object.entries(back)) {
    assert.equal(await page.evaluate((path) => globalThis.textAt(path), path), text, `${path}, put back`);
  }
}

const MATH = "<math><mi>n</mi><mo>=</mo><mn>3</mn></math>";
const KATEX =
  '<span class="katex"><span class="katex-mathml"><math><mi>n</mi></math></span><span class="katex-html" aria-hidden="true"><span class="mord">n</span></span></span>';

/**
 * The page replaces texts for which nodes were made.
 * @param {string} show
 * @returns {Situation}
 */
const replacedTexts = (show) => ({
  options: { show },
  html: `
    <p id="text">You can download the <a href="#">report</a></p>
    <p id="markup">You can download the <a href="#">book</a></p>
    <p id="nodes">You can download the <a href="#">letter</a></p>
    <p id="each">You can download the <a href="#">film</a></p>`,
  during: `
    for (const p of document.querySelectorAll("p")) if (p.childNodes.length !== 3) throw new Error(p.outerHTML);
    find("#text").textContent = "The shop is closed today.";
    find("#markup").innerHTML = "<div>The garden is large.</div>The house is old.";
    const bold = document.createElement("b");
    bold.textContent = "cold";
    find("#nodes").replaceChildren("The river is very ", bold);
    for (const child of [...find("#each").childNodes]) child.remove();
    find("#each").append("The door is open.");
    await rest();`,
  shows: {
    "#text": /heute.*geschlossen/,
    "#markup div": /Garten/,
    "#markup": /Haus/,
    "#nodes": /Fluss.*kalt/,
    "#each": /Tür/,
  },
  restored: {
    "#text": "The shop is closed today.",
    "#markup": "The garden is large.The house is old.",
    "#nodes": "The river is very cold",
    "#each": "The door is open.",
  },
});

/** @type {Record<string, Situation>} */
const SITUATIONS = {
  "what is being edited is left alone": {
    html: `
      <p id="text">The letter lies on the table.</p>
      <iframe id="design" srcdoc="<!doctype html><p>This is the letter that I write.</p>"></iframe>
      <iframe id="body" srcdoc="<!doctype html><body contenteditable><p>This is my second letter.</p>"></iframe>
      <div id="plain" contenteditable="plaintext-only">The list for tomorrow</div>
      <div id="outer" contenteditable>The first words <span id="fixed" contenteditable="false">and the fixed words</span></div>
      <div id="no" contenteditable="inherit">This element is no editor at all.</div>
      <div id="role" role="textbox">The answer that I have typed</div>
      <div id="host"></div>`,
    before: `
      await new Promise((resolve) => setTimeout(resolve, 300));
      find("#design").contentDocument.designMode = "on";
      find("#host").attachShadow({ mode: "open" }).innerHTML = "<div contenteditable>The words in the tree</div>";`,
    shows: {
      "#text": /Brief/,
      "#design >> p": "This is the letter that I write.",
      "#body >> p": "This is my second letter.",
      "#plain": "The list for tomorrow",
      "#outer": "The first words and the fixed words",
      "#no": /kein/,
      "#role": "The answer that I have typed",
      "#host >> div": "The words in the tree",
    },
  },

  "a document that becomes an editor while it is translated keeps what is typed": {
    html: `<p id="a">The mayor has read my letter.</p><p id="b">The mayor has not answered it.</p>`,
    during: `
      document.designMode = "on";
      find("#a").firstChild.data = "My own words in a new letter.";
      const typed = document.createElement("p");
      typed.id = "c";
      typed.textContent = "A paragraph that I have added.";
      document.body.append(typed);
      await rest();`,
    shows: { "#a": "My own words in a new letter.", "#c": "A paragraph that I have added.", "#b": /Bürgermeister/ },
    restored: { "#a": "My own words in a new letter.", "#b": "The mayor has not answered it." },
  },

  "a text that scripts edit by an edit context is left alone": {
    needs: { has: `"EditContext" in globalThis`, what: "EditContext" },
    html: `
      <p id="text">The letter lies on the table.</p>
      <div id="early" tabindex="0">The words of my letter <b>and the bold ones</b></div>
      <div id="late" tabindex="0">The words of my second letter</div>
      <canvas id="canvas" tabindex="0">The words of a drawn letter</canvas>`,
    before: `
      find("#early").editContext = new EditContext({ text: find("#early").textContent });
      find("#canvas").editContext = new EditContext();`,
    during: `
      const late = find("#late");
      late.editContext = new EditContext({ text: "The words that I write now." });
      late.editContext.addEventListener("textupdate", () => (late.textContent = late.editContext.text));
      late.textContent = "The words that I write now.";
      await rest();`,
    shows: {
      "#text": /Brief/,
      "#early": "The words of my letter and the bold ones",
      "#late": "The words that I write now.",
      "#canvas": "The words of a drawn letter",
    },
    restored: { "#text": "The letter lies on the table.", "#late": "The words that I write now." },
  },

  "a text that a style makes an editor of is left alone": {
    needs: { has: `CSS.supports("-webkit-user-modify", "read-write")`, what: "user-modify" },
    head: `<style>.editor{-webkit-user-modify:read-write}.plain{-webkit-user-modify:read-write-plaintext-only}.fixed{-webkit-user-modify:read-only}</style>`,
    html: `
      <div id="rich" class="editor">The first words <b>and the bold ones</b></div>
      <div id="plain" class="plain">The list for tomorrow</div>
      <div id="fixed" class="fixed">The letter lies on the table.</div>
      <div id="late">The words of my second letter</div>`,
    during: `
      find("#late").className = "editor";
      find("#late").textContent = "The words that I write now.";
      await rest();`,
    shows: {
      "#rich": "The first words and the bold ones",
      "#plain": "The list for tomorrow",
      "#fixed": /Brief/,
      "#late": "The words that I write now.",
    },
    restored: { "#fixed": "The letter lies on the table.", "#late": "The words that I write now." },
  },

  "what fields of a page's own making hold is left alone, and their labels are not": {
    html: `
      <form id="form">
        <my-field id="field" name="a" tabindex="0">The words that I have typed</my-field>
        <my-tree id="tree" name="b"></my-tree>
        <my-button id="button" name="c">Send the letter</my-button>
        <my-broken id="broken" name="d">Open the door</my-broken>
      </form>`,
    before: `
      class Field extends HTMLElement {
        static formAssociated = true;
        #internals = this.attachInternals();
        connectedCallback() {
          this.#internals.setFormValue(this.value);
        }
        get value() {
          return this.textContent;
        }
        type(text) {
          this.textContent = text;
          this.#internals.setFormValue(text);
        }
      }
      customElements.define("my-field", Field);
      customElements.define("my-tree", class extends HTMLElement {
        static formAssociated = true;
        constructor() {
          super();
          this.attachShadow({ mode: "open" }).innerHTML = "<label>The name of your mother</label><div>The words in the tree</div>";
        }
        get value() {
          return this.shadowRoot.querySelector("div").textContent;
        }
      });
      customElements.define("my-button", class extends HTMLElement {
        static formAssociated = true;
        value = "letter";
      });
      customElements.define("my-broken", class extends HTMLElement {
        static formAssociated = true;
        get value() {
          throw new Error("No value yet.");
        }
      });`,
    during: `
      find("#field").focus();
      find("#field").type("The words that I have typed now");
      await rest();
      const sent = new FormData(find("#form")).get("a");
      if (sent !== "The words that I have typed now") throw new Error(sent);`,
    shows: {
      "#field": "The words that I have typed now",
      "#tree >> label": /Mutter/,
      "#tree >> div": "The words in the tree",
      "#button": /Brief/,
      "#broken": /Tür/,
    },
    restored: { "#field": "The words that I have typed now", "#button": "Send the letter", "#broken": "Open the door" },
  },

  "editors in frames are left alone, whenever they become such": {
    html: `
      <iframe id="outer" src="outer.html"></iframe>
      <object id="object" type="text/html" data="editor.html" width="300" height="60"></object>`,
    pages: {
      "outer.html": `<!doctype html><p>The letter lies on the table.</p><iframe src="editor.html"></iframe><iframe id="late" src="late.html"></iframe>`,
      "editor.html": `<!doctype html><p>The way to the river</p><div contenteditable>The words of my letter</div>`,
      "late.html": `<!doctype html><p>The words of my second letter</p>`,
    },
    during: `
      const late = find("#outer >> #late").contentDocument;
      late.designMode = "on";
      late.querySelector("p").textContent = "The words that I write now.";
      const more = late.createElement("div");
      more.textContent = "The words of another line";
      late.body.append(more);
      await rest();`,
    shows: {
      "#outer >> p": /Brief/,
      "#outer >> iframe >> p": /Fluss/,
      "#outer >> iframe >> div": "The words of my letter",
      "#object >> p": /Fluss/,
      "#object >> div": "The words of my letter",
      "#outer >> #late >> p": "The words that I write now.",
      "#outer >> #late >> div": "The words of another line",
    },
    restored: {
      "#outer >> p": "The letter lies on the table.",
      "#outer >> #late >> p": "The words that I write now.",
      "#outer >> #late >> div": "The words of another line",
    },
  },

  "texts that the page replaces are translated anew": replacedTexts("translation"),

  "texts that the page replaces are translated anew under the original": replacedTexts("both"),

  "text that grows keeps its original": {
    html: `<p id="plus">The boat lies</p><p id="data">The girl sits</p><p id="append">The bird sings</p><p id="front">the old mill.</p><p id="pieces">The river is cold.</p>
      <p id="made">You can download the <a href="#">report</a></p>
      <p id="joined">The boat is red.</p>
      <p id="both">You can download the <a href="#">book</a></p>`,
    during: `
      const { childNodes: made } = find("#made");
      if (made.length !== 3) throw new Error(find("#made").outerHTML);
      made[2].data += " It is free.";
      find("#both").lastChild.data += " It is old.";
      live.restore();
      const text = find("#both").textContent;
      if (text !== "You can download the book It is old.") throw new Error(text);
      live.resume();
      await rest();
      find("#plus").textContent += " under the bridge.";
      find("#data").firstChild.data += " on the chair.";
      find("#append").firstChild.appendData(" in the tree.");
      find("#front").firstChild.data = "The wind turns " + find("#front").firstChild.data;
      find("#pieces").append(" The mill is old.");
      find("#joined").append(" The bridge is old.");
      await rest();
      find("#pieces").lastChild.data += " The horse is white.";
      find("#joined").normalize();
      await rest();`,
    shows: {
      "#plus": /^Das Boot .*Brücke/,
      "#data": /^Das Mädchen .*Stuhl/,
      "#append": /^Der Vogel .*Baum/,
      "#front": /Wind.*Mühle/,
      "#pieces": /Fluss.*Mühle.*Pferd/,
      "#made": /Bericht.*herunterladen.*kostenlos/,
      "#joined": /Boot.*Brücke/,
    },
    restored: {
      "#plus": "The boat lies under the bridge.",
      "#data": "The girl sits on the chair.",
      "#append": "The bird sings in the tree.",
      "#front": "The wind turns the old mill.",
      "#pieces": "The river is cold. The mill is old. The horse is white.",
      "#made": "You can download the report It is free.",
      "#joined": "The boat is red. The bridge is old.",
    },
  },

  "an answer that is streamed word by word": {
    html: `<p id="plus"></p><p id="data"></p>`,
    during: `
      find("#data").append("");
      const words = "The captain of the small ship sees the harbour in the morning and calls his daughter.".match(/\\S+\\s*/g);
      for (const word of words) {
        find("#plus").textContent += word;
        find("#data").firstChild.data += word;
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
      for (let i = 0; i < 8; i++) await rest();`,
    shows: { "#plus": /^Der Kapitän .*Tochter/, "#data": /^Der Kapitän .*Tochter/ },
    restored: {
      "#plus": "The captain of the small ship sees the harbour in the morning and calls his daughter.",
      "#data": "The captain of the small ship sees the harbour in the morning and calls his daughter.",
    },
  },

  "what a clock writes again and again stays translated": {
    html: `<p id="a">sent two hours ago</p><p id="b">sent five hours ago</p>`,
    during: `
      for (let i = 0; i < 6; i++) {
        find("#a").firstChild.data = "sent two hours ago";
        find("#b").textContent = "sent five hours ago";
        await new Promise((resolve) => setTimeout(resolve, 550));
      }
      await rest();`,
    shows: { "#a": /Stunden/, "#b": /Stunden/ },
    restored: { "#a": "sent two hours ago", "#b": "sent five hours ago" },
  },

  "copies of what was translated are recognised, and put back too": {
    html: `
      <ul id="list"><li>The <b>red</b> boat is faster than the blue one.</li><li>My uncle sells old clocks.</li></ul>
      <div id="chat"><p>Where did you buy the coat?</p></div>
      <h2 id="name">The garden of my aunt</h2>`,
    during: `
      for (const item of [...find("#list").children]) find("#list").append(item.cloneNode(true));
      find("#chat").innerHTML += "<p>In the town.</p>";
      const value = find("#name").textContent;
      find("#name").textContent = value;
      await rest();`,
    shows: {
      "#list li:nth-child(3)": /^Das rote Boot/,
      "#list li:nth-child(3) b": "rote",
      "#list li:nth-child(4)": /Uhren/,
      "#chat p": /gekauft/,
      "#chat p + p": /Stadt/,
      "#name": /Garten/,
    },
    restored: {
      "#list li:nth-child(3)": "The red boat is faster than the blue one.",
      "#list li:nth-child(3) b": "red",
      "#list li:nth-child(4)": "My uncle sells old clocks.",
      "#chat p": "Where did you buy the coat?",
      "#name": "The garden of my aunt",
    },
  },

  "things side by side are texts of their own": {
    html: `
      <p id="fields"><label for="x">Your street</label> <input id="x"> <small>We send no letters</small></p>
      <p id="facts"><span>From the kitchen</span> <span>Last Friday</span> <span>Food and drink</span></p>
      <p id="choices"><input type="radio"> Yes, with milk <input type="radio"> No, without milk</p>
      <p id="pairs"><strong>Colour:</strong> blue <strong>Size:</strong> very large</p>
      <p id="login"><input type="checkbox"> Stay here <a href="#">Have you lost your key?</a></p>
      <p id="sentence"><b>Only</b> <i>three</i> of the windows are open.</p>
      <p id="boxes">You must <span style="display:inline-block">close the door</span> every evening.</p>
      <p id="flex" style="display:flex"><span>The first morning</span><span>of the long winter</span></p>`,
    shows: {
      "#fields small": /^Wir (senden|schicken) keine Briefe$/,
      "#facts span": /^(Aus|Von) der Küche$/,
      "#facts span + span": /^Letzten Freitag$/,
      "#choices": /Ja, mit Milch\s+Nein, ohne Milch/,
      "#pairs strong": /^Farbe:$/,
      "#login a": /^(Hast|Haben) .*Schlüssel verloren\?$/,
      "#sentence": /^(?=.*[Nn]ur drei).*Fenster.*\.$/,
      "#boxes": /Abend.*Tür|Tür.*Abend/,
      "#flex span + span": /Winter/,
    },
  },

  "named slots are texts of their own": {
    html: `<my-offer id="offer"><span slot="name">Fresh bread</span> <span slot="price">Only on Mondays</span></my-offer>`,
    before: `
      customElements.define("my-offer", class extends HTMLElement {
        constructor() {
          super();
          this.attachShadow({ mode: "open" }).innerHTML = "<h3><slot name=name></slot></h3><p>Price: <slot name=price></slot></p>";
        }
      });`,
    shows: { "#offer span": /^Frisches Brot$/, "#offer span + span": /^Nur (am Montag|montags|an Montagen)$/ },
  },

  "initials and split words are one text": {
    head: `<style>.big{float:left;font-size:3em}.w,.c{display:inline-block}.l{display:block}</style>`,
    html: `
      <p id="initial"><span class="big">T</span>he captain of the ship was an old man.</p>
      <p id="first"><span class="big">Once</span> upon a time there was a poor fisherman.</p>
      <p id="quote"><span class="big">“W</span>e never saw the ship again,” said the fisherman.</p>
      <p id="twice"><span class="big" aria-hidden="true">I</span><span style="position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)">I</span>n the summer the river is warm.</p>
      <h2 id="words"><span class="w">We</span> <span class="w">make</span> <span class="w">shoes</span> <span class="w">for</span> <span class="w">children.</span></h2>
      <h2 id="letters"></h2>
      <h2 id="lines"><span class="l">We bake the bread</span><span class="l">that your children</span><span class="l">like to eat.</span></h2>`,
    before: `
      find("#letters").innerHTML = "We love bread.".split(" ").map((word) =>
        '<span class="w">' + [...word].map((c) => '<span class="c">' + c + "</span>").join("") + "</span>").join(" ");`,
    shows: {
      "#initial": /^Der Kapitän des Schiffes war/,
      "#initial span": "D",
      "#first": /^Es .*Fischer/,
      "#first span": "Es",
      "#quote span": "„W",
      "#twice": /^IIm Sommer/,
      "#words": /^Wir (?=.*Schuhe).*Kinder/,
      "#letters": /^Wir (lieben|mögen) Brot\.$/,
      "#letters .c": "W",
      "#lines": /Brot.*Kinder/,
    },
  },

  "icons, formulas, code, keys and names stay, like words": {
    head: `<style>.mono{font-family:monospace;white-space:pre}</style>`,
    html: `
      <button id="icon"><i class="material-icons">search</i> Search the whole house</button>
      <p id="icons">Press <i class="material-icons">settings</i> to open the window.</p>
      <p id="math">If ${MATH} is the number of the houses, then ${KATEX} is not large.</p>
      <p id="tex">If \\(a_1\\) is a number, then $b = a^2$ is a number and costs $5 or $6.</p>
      <p id="key">Press <kbd>Shift</kbd>+<kbd>Enter</kbd> to send the letter.</p>
      <div id="code" class="highlight mono"><span>while</span> <span>the</span> <span>house</span>: <span>open</span></div>
      <div id="editor" class="monaco-editor"><div>return value if found else none</div></div>
      <p id="mark">The <span class="highlight">red house</span> is open.</p>
      <p id="user">The letter of <a class="username" href="#">Summer</a> was long.</p>
      <p id="note">The tower was built in 1890.<sup><a href="#">[1]</a></sup> It fell in 1920.</p>
      <p id="quantity">The way <i>s</i> is long.</p>
      <address id="address">Green Lane 5, Bath</address>`,
    shows: {
      "#icon": /^search .*Haus/,
      "#icons i": "settings",
      "#math": /^Wenn n=3 /,
      "#tex": /^Wenn \\\(a_1\\\) eine Zahl ist.*\$b = a\^2\$/,
      "#key": /^Drücken Sie Shift\+Enter/,
      "#code": "while the house: open",
      "#editor": "return value if found else none",
      "#mark": /^Das rote Haus ist/,
      "#user a": "Summer",
      "#note": /1890 (gebaut|errichtet)\.\[1\] Es|1890 (gebaut|errichtet)\.\[1\] Er/,
      "#quantity i": "s",
      "#address": "Green Lane 5, Bath",
    },
  },

  "blanks beside icons, fields and pictures stay": {
    html: `
      <p id="svg">The <svg width="9" height="9"><circle r="4"/></svg> circle is black.</p>
      <p id="field">Wake me in <input size="2"> minutes, please.</p>
      <p id="ends"><img alt=""> The house is old. <img alt=""></p>`,
    during: `globalThis.around = (path) => [find(path).previousSibling.data.slice(-1), find(path).nextSibling.data[0]];
      if (around("#svg svg").join() !== " , " || around("#field input").join() !== " , ") throw new Error(document.body.innerHTML);
      if (find("#ends img").nextSibling.data[0] !== " ") throw new Error(find("#ends").innerHTML);`,
    shows: { "#svg": /^Der\s+Kreis ist schwarz\.$/, "#field": /Minuten/, "#ends": /^ Das Haus ist alt\. $/ },
  },

  "documents and pictures that a page embeds": {
    html: `
      <object id="page" type="text/html" data="inner.html" width="300" height="60">The fallback of the page</object>
      <object id="none" type="application/x-unknown" data="nothing.bin"><p>The fallback that is shown</p></object>
      <object id="picture" type="image/svg+xml" data="picture.svg" width="300" height="60"></object>
      <embed id="embed" type="image/svg+xml" src="picture.svg" width="300" height="60">`,
    pages: {
      "inner.html": `<!doctype html><p>The bread lies on the table.</p>`,
      "picture.svg": `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="60"><text y="20">The price of bread</text></svg>`,
    },
    shows: { "#page >> p": /Brot/, "#picture >> text": /Brot/, "#embed >> text": /Brot/ },
  },

  "names of files and what only machines read of a page stay": {
    head: `<meta name="description" content="The letter of the mayor"><meta name="keywords" content="letter, mayor">
      <meta property="og:title" content="The letter of the mayor"><meta property="og:description" content="The mayor has written a letter.">
      <script type="application/ld+json" id="data">{"headline": "The letter of the mayor"}</script>`,
    html: `<p id="text">The mayor has written a letter: <a id="file" href="data:text/plain,x" download="The letter of the mayor.txt"
      title="The letter of the mayor">read it here</a>.</p>`,
    during: `
      find("#file").download = "The second letter of the mayor.txt";
      await rest();
      if (!/Brief/.test(find("#file").title)) throw new Error(find("#file").title);`,
    shows: { "#text": /Bürgermeister.*Brief/, "#data": /The letter of the mayor/ },
    attributes: {
      "#file@download": "The second letter of the mayor.txt",
      "meta[name=description]@content": "The letter of the mayor",
      "meta[name=keywords]@content": "letter, mayor",
      "meta[property='og:title']@content": "The letter of the mayor",
      "meta[property='og:description']@content": "The mayor has written a letter.",
    },
  },

  "comments and instructions keep their places when elements move": {
    html: `<p id="a"><!--first-->We have <!--before--><b>yesterday</b><!--after--> seen <i>the old captain</i><!--last-->.</p>
      <p id="b"><!--if--><b>The red house</b><!--else--><!--end--> is open.<!----></p><p id="c">The dog<!--x--> is asleep.</p>`,
    before: `
      find("#c").append(document.createProcessingInstruction("php", "echo 1"));
      globalThis.marks = () => [...document.querySelectorAll("p")].map((p) =>
        [...p.childNodes].filter(({ nodeType }) => nodeType === Node.COMMENT_NODE || nodeType === Node.PROCESSING_INSTRUCTION_NODE));
      globalThis.before = marks();`,
    during: `
      const isSame = marks().every((list, i) => list.length === before[i].length && list.every((node, k) => node === before[i][k]));
      if (!isSame || !/<b>gestern/.test(find("#a").innerHTML)) throw new Error(document.body.innerHTML);
      if (find("#a").firstChild.data !== "first") throw new Error(find("#a").innerHTML);
      if (find("#b").firstChild.data !== "if" || find("#b").lastChild.data !== "") throw new Error(find("#b").innerHTML);
      if (find("#c").lastChild.data !== "echo 1") throw new Error(find("#c").innerHTML);
      live.restore();
      const html = '<!--first-->We have <!--before--><b>yesterday</b><!--after--> seen <i>the old captain</i><!--last-->.';
      if (find("#a").innerHTML !== html) throw new Error("put back: " + find("#a").innerHTML);
      live.resume();
      await rest();`,
    shows: { "#a": /Kapitän/, "#b": /^Das rote Haus/, "#c": /Hund/ },
    restored: {
      "#a": "We have yesterday seen the old captain.",
      "#b": "The red house is open.",
      "#c": "The dog is asleep.",
    },
  },

  "languages as pages declare them": {
    html: `
      <p id="eng" lang="eng">The river is wide.</p><p id="und" lang="und">The river is wide.</p>
      <p id="word" lang="english">The river is wide.</p><p id="us" lang="EN_us">The river is wide.</p>
      <p id="none" lang="zxx">The river is wide.</p><p id="de" lang="de">Der Fluss ist breit.</p>`,
    shows: {
      "#eng": /Fluss/,
      "#und": /Fluss/,
      "#word": /Fluss/,
      "#us": /Fluss/,
      "#none": "The river is wide.",
      "#de": "Der Fluss ist breit.",
    },
  },

  "exclusions within exclusions": {
    html: `
      <div class="notranslate"><p id="a">The frame stays.</p><p id="b" class="translate">The message is translated.</p></div>
      <div translate="no"><p id="c">The name stays.</p><p id="d" translate="yes">The sentence is translated.</p></div>`,
    shows: { "#a": "The frame stays.", "#b": /Nachricht/, "#c": "The name stays.", "#d": /Satz/ },
  },

  "texts of pictures": {
    html: `
      <svg id="chart" width="300" height="60"><title>The price of bread</title><rect width="9" height="9"/>
        <text id="text" y="20"><tspan>The best</tspan> <tspan>month of the year</tspan></text>
        <foreignObject width="200" height="30"><div id="inner">The letter of the customer</div></foreignObject></svg>`,
    shows: { "#chart title": /Brot/, "#text": /^Der beste Monat des Jahres$/, "#inner": /Brief/ },
  },

  "elements that get their trees late, and closed ones that nobody may see": {
    html: `<div id="plain"></div><late-note id="note"></late-note>`,
    during: `
      await new Promise((resolve) => setTimeout(resolve, 2500));
      find("#plain").attachShadow({ mode: "open" }).innerHTML = "<p>The tree came late.</p>";
      customElements.define("late-note", class extends HTMLElement {
        connectedCallback() { this.attachShadow({ mode: "open" }).innerHTML = "<p>The note came very late.</p>"; }
      });
      await new Promise((resolve) => setTimeout(resolve, 4500));
      await rest();`,
    shows: { "#plain >> p": /Baum/, "#note >> p": /spät/ },
    restored: { "#plain >> p": "The tree came late." },
  },

  "attributes of what is not looked into, and their changes": {
    html: `<img id="img" alt="A red house"><input id="in" placeholder="Your street"><code id="code" title="The name of the file">x</code>
      <div id="slider" role="slider" aria-valuetext="Very loud"></div>`,
    during: `
      find("#img").alt = "The blue house at the river";
      find("#in").placeholder = "The name of your mother";
      find("#code").title = "The date of the file";
      await rest();
      for (const [path, name, pattern] of [["#img", "alt", /Haus/], ["#in", "placeholder", /Mutter/], ["#code", "title", /Datum/], ["#slider", "aria-valuetext", /laut/]]) {
        const value = find(path).getAttribute(name);
        if (!pattern.test(value)) throw new Error(path + " " + value);
      }
      live.restore();
      if (find("#img").alt !== "The blue house at the river") throw new Error(find("#img").alt);
      live.resume();`,
    shows: { "#code": "x" },
  },

  "lines that were broken by hand": {
    html: `<div id="mail" style="white-space:pre-wrap">It was the first cold day of the winter, and the people of
the town had gone down to the river to look at the ice
which the night had made.</div>
      <p id="poem">The house is old.<br>The door is open.<br>The dog is asleep.</p>`,
    shows: { "#mail": /^(?!.*\n).*Eis/s, "#poem": /Das Haus ist alt\./ },
  },
};

inEveryBrowser("situations", ({ withPage }) => {
  for (const [title, situation] of Object.entries(SITUATIONS)) {
    test(title, (t) => {
      const { head = "", html, pages, needs } = situation;
      const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>${head}</head><body>${html}</body></html>`;
      return withPage(
        fixture("situation.html", { pages: { ...pages, "situation.html": page } }),
        async ({ page, errors }) => {
          if (needs && !(await page.evaluate(needs.has))) return t.skip(`this browser has no ${needs.what}`);
          await play(page, situation);
          assert.deepEqual(errors, []);
        },
      );
    });
  }
});
