#!/usr/bin/env node
/**
 * Writes `cldr.rs` beside this file: what the Unicode Common Locale Data Repository (npm's `cldr-*` packages) and pySBD's lists of abbreviations
 * (PyPI) say about the languages that the other files here name as `cldr::XX`.
 *
 *   node src/text/language/generate.mjs
 *
 * Both are downloaded at the versions below into a folder that is removed afterwards.
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CLDR = "48.2.0";
/** The last version that had lists of abbreviations. */
const CLDR_SEGMENTS = "46.1.0";
const PYSBD = "0.3.4";

const here = fileURLToPath(new URL(".", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "cldr-"));

/**
 * Units by the sign that the engine knows them by, and their names in CLDR. Other scripts than Latin write these in their own letters too; where
 * one is not among them, nothing is known of it.
 */
const UNITS = {
  kg: "mass-kilogram",
  g: "mass-gram",
  ml: "volume-milliliter",
  km: "length-kilometer",
  cm: "length-centimeter",
  GB: "digital-gigabyte",
  "°C": "temperature-celsius",
  "%": "concentr-percent",
};
/** Each with others of the same name, which show what of the name is not a country's. */
const CURRENCIES = { "€": ["EUR"], $: ["USD", "AUD", "CAD"], "£": ["GBP", "EGP", "SYP"] };
/** Letters that tell a unit's word from others. */
const BEGINNING = 6;

const SCRIPTS = {
  Latn: "Latin",
  Cyrl: "Cyrillic",
  Grek: "Greek",
  Arab: "Arabic",
  Hebr: "Hebrew",
  Armn: "Armenian",
  Geor: "Georgian",
  Ethi: "Ethiopic",
  Deva: "Devanagari",
  Beng: "Bengali",
  Gujr: "Gujarati",
  Guru: "Gurmukhi",
  Taml: "Tamil",
  Telu: "Telugu",
  Knda: "Kannada",
  Mlym: "Malayalam",
  Sinh: "Sinhala",
  Thai: "Thai",
  Laoo: "Lao",
  Khmr: "Khmer",
  Mymr: "Burmese",
  Hans: "Han",
  Hant: "Han",
  Jpan: "Japanese",
  Kore: "Korean",
};
/** Scripts that put no spaces between words, and those that put none between sentences either. */
const UNSPACED = ["Thai", "Laoo", "Khmr", "Mymr", "Hans", "Hant", "Jpan"];
const CLOSE = ["Hans", "Hant", "Jpan"];

/** @param {string} path */
const read = (path) => JSON.parse(readFileSync(join(scratch, "node_modules", path), "utf8"));

/** @param {string} text */
const withoutMarks = (text) => text.replace(/[\u061c\u200e\u200f]/g, "");

/** @param {string} text */
const literal = (text) =>
  `"${[...text].map((c) => (/[\p{Z}\p{C}]/u.test(c) && c !== " " ? `\\u{${c.codePointAt(0)?.toString(16)}}` : c === "\\" || c === '"' ? `\\${c}` : c)).join("")}"`;

/** @param {string} text */
const character = (text) => {
  const c = [...text][0] ?? "";
  return c === "'" ? "'\\''" : `'${literal(c).slice(1, -1)}'`;
};

/** Each word once, without those that begin with an earlier one of at least four letters. @param {string[]} words */
function stems(words) {
  const kept = /** @type {string[]} */ ([]);
  const sorted = [...new Set(words)].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  for (const word of sorted) {
    if (!kept.some((stem) => [...stem].length >= 4 && word.startsWith(stem))) kept.push(word);
  }
  return kept;
}

/** How the forms of a word begin, each beginning once. @param {string[]} forms */
function beginnings(forms) {
  const short = forms.map((form) => {
    const [first = "", second] = form.split(" ");
    // "pour cent"
    return first.length <= 4 && second ? `${first} ${second}` : first.slice(0, BEGINNING);
  });
  const sorted = [...new Set(short)].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return sorted.filter((form, index) => !sorted.slice(0, index).some((other) => form.startsWith(other)));
}

/** @param {string} set a set of characters as CLDR writes it */
function charactersOf(set) {
  const content = set.slice(1, -1).replace(/\{[^}]*\}/g, " ");
  const found = /** @type {string[]} */ ([]);
  for (const [, from = "", to] of content.matchAll(/([^\s\\-])(?:-([^\s\\]))?/gu)) {
    const last = (to ?? from).codePointAt(0) ?? 0;
    for (let code = from.codePointAt(0) ?? 0; code <= last; code += 1) found.push(String.fromCodePoint(code));
  }
  return found;
}

/** @param {string} tag @param {string} script */
function letters(tag, script) {
  if (script !== "Latn") return "";
  const { exemplarCharacters, auxiliary } = read(`cldr-misc-full/main/${tag}/characters.json`).main[tag].characters;
  const all = [exemplarCharacters, auxiliary].flatMap((set) => charactersOf(set.normalize("NFC")));
  return [...new Set(all)]
    .filter((c) => c > "\x7f" && /\p{L}/u.test(c))
    .sort()
    .join("");
}

/** @param {string} pattern a pattern of numbers with a sign in place of `sign` */
function signPlace(pattern, sign) {
  const [positive = ""] = withoutMarks(pattern).split(";");
  const [before = "", after = ""] = positive.split(sign);
  const inFront = /[#0]/.test(after);
  return { before: inFront, gap: (inFront ? /^[^#0]*/.exec(after) : /[^#0]*$/.exec(before))?.[0] ?? "" };
}

/** The numbers of a language's own digits. @param {string} tag */
function numbers(tag) {
  const data = read(`cldr-numbers-full/main/${tag}/numbers.json`).main[tag].numbers;
  const system = data.defaultNumberingSystem;
  const digits = read("cldr-core/supplemental/numberingSystems.json").supplemental.numberingSystems[system]._digits;
  const symbols = data[`symbols-numberSystem-${system}`];
  const pattern = data[`decimalFormats-numberSystem-${system}`].standard.split(".")[0];
  const groups = pattern.split(",").slice(1);
  const percent = signPlace(data[`percentFormats-numberSystem-${system}`].standard, "%");
  const currency = signPlace(data[`currencyFormats-numberSystem-${system}`].standard, "¤");
  const words = ["long", "short"].flatMap((length) =>
    Object.values(data[`decimalFormats-numberSystem-${system}`][length].decimalFormat)
      .map((form) => withoutMarks(/** @type {string} */ (form)).replace(/[0'’]/g, " "))
      .flatMap((form) => form.toLowerCase().split(/\s+/))
      .map((word) => word.replace(/\.$/, "")),
  );
  return {
    form: `NumberForm { decimal: ${character(withoutMarks(symbols.decimal))}, group: ${character(withoutMarks(symbols.group))}, zero: '${[...digits][0]}', least_grouped: ${3 + Number(data.minimumGroupingDigits)}, group_size: ${groups.length > 1 ? groups[0].length : 3}, percent_gap: ${literal(percent.gap)}, percent_before: ${percent.before} }`,
    currency: `CurrencyForm { before: ${currency.before}, gap: ${literal(currency.gap)} }`,
    sizes: stems(words.filter((word) => /\p{L}/u.test(word) && word !== "de")).join(" "),
  };
}

/** @param {string} tag */
function dates(tag) {
  const { dateFormats, dateTimeFormats } = read(`cldr-dates-full/main/${tag}/ca-gregorian.json`).main[tag].dates
    .calendars.gregorian;
  const short = withoutMarks(dateTimeFormats.availableFormats.yMd ?? dateFormats.short);
  const order = short.replace(/[^dMy]/g, "").replace(/(.)\1+/g, "$1");
  const name = { dMy: "DayMonthYear", Mdy: "MonthDayYear", yMd: "YearMonthDay" }[order] ?? "DayMonthYear";
  const separator = /(?:[dM]|y+)([^dMy]+)[dMy]/.exec(short)?.[1] ?? "/";
  const long = withoutMarks(dateFormats.long);
  // What stands behind the day, up to a space or the month's name; quoted as CLDR writes it.
  const suffix = /d+((?:'[^']*'|[^\sMy'])*)/.exec(long)?.[1]?.replaceAll("'", "").replace(/,$/, "") ?? "";
  return {
    form: `DateForm { order: DateOrder::${name}, separator: ${literal(separator)}, padded: ${/dd/.test(short)}, day_suffix: ${literal(suffix)} }`,
    ordinalStop: suffix === ".",
  };
}

/** @param {string} tag */
function quotes(tag) {
  const q = read(`cldr-misc-full/main/${tag}/delimiters.json`).main[tag].delimiters;
  const marks = [q.quotationStart, q.quotationEnd, q.alternateQuotationStart, q.alternateQuotationEnd].map(character);
  return `Quotes { open: ${marks[0]}, close: ${marks[1]}, inner_open: ${marks[2]}, inner_close: ${marks[3]}, gap: "" }`;
}

/** The words between the last two items of a list. @param {string} tag */
function conjunctions(tag) {
  const patterns = read(`cldr-misc-full/main/${tag}/listPatterns.json`).main[tag].listPatterns;
  const words = ["standard", "or"].flatMap((type) => {
    const pattern = patterns[`listPattern-type-${type}`];
    return [pattern["2"], pattern.end].flatMap((text) => / (\p{L}[\p{L}\p{M}]*) \{1\}/u.exec(text)?.[1] ?? []);
  });
  return [...new Set(words)].join(" ");
}

/** Beginnings that hold in all languages with Latin letters. @type {Map<string, string[]>} */
const shared = new Map(
  (/SHARED: UnitWords = UnitWords\(\s*"([^"]*)"/.exec(readFileSync(join(here, "data.rs"), "utf8"))?.[1] ?? "")
    .replace(/\\\n\s*/g, "")
    .split("; ")
    .map((row) => row.split(": "))
    .map(([symbol = "", words = ""]) => [symbol, words.split(", ")]),
);

/** @param {string} tag @param {boolean} latin */
function units(tag, latin) {
  const { long, short } = read(`cldr-units-full/main/${tag}/units.json`).main[tag].units;
  const { currencies } = read(`cldr-numbers-full/main/${tag}/currencies.json`).main[tag].numbers;
  const rows = /** @type {string[]} */ ([]);
  /** @param {string} symbol @param {string[]} forms */
  const add = (symbol, forms) => {
    const known = latin ? (shared.get(symbol) ?? []) : [];
    const words = forms
      .map(
        (form) =>
          withoutMarks(form)
            .split("{0}")
            .map((part) => part.trim().toLowerCase())
            .find((part) => part !== "") ?? "",
      )
      .filter((form) => (latin ? /^\p{L}{2}/u : /^[^\x00-\xff]/u).test(form) && form !== symbol.toLowerCase());
    // Romanian: "20 de kilograme"
    const isKnown = (/** @type {string} */ word) =>
      known.some((beginning) => new RegExp(`^(de |unui )?${beginning.replace("$", "\\$")}`).test(word));
    const own = beginnings(words.filter((word) => !isKnown(word)));
    if (own.length > 0) rows.push(`${symbol}: ${own.join(", ")}`);
  };
  for (const [symbol, id] of Object.entries(UNITS)) {
    const forms = [long, ...(latin ? [] : [short])].flatMap((names) => Object.entries(names[id] ?? {}));
    add(
      symbol,
      forms.filter(([key]) => /-count-/.test(key)).map(([, form]) => form),
    );
  }
  for (const [symbol, codes] of Object.entries(CURRENCIES)) {
    const names = codes.map((code) =>
      Object.entries(currencies[code] ?? {})
        .filter(([key]) => /^displayName/.test(key))
        .flatMap(([, name]) => name.toLowerCase().split(/[\s()-]+/)),
    );
    const [first = [], ...others] = names;
    add(
      symbol,
      first.filter((word) => others.every((name) => name.includes(word))),
    );
  }
  return rows.join("; ");
}

/** Words behind which CLDR ends no sentence. @param {string} tag @returns {string[]} */
function suppressions(tag) {
  const path = `cldr-segments-full/segments/${tag}/suppressions.json`;
  if (!existsSync(join(scratch, "node_modules", path))) return [];
  const entries = read(path).segments.segmentations?.SentenceBreak?.standard ?? [];
  return entries.map((/** @type {{suppression: string}} */ entry) => entry.suppression);
}

/** @param {string} tag */
function abbreviations(tag) {
  /** Initials and the like are known by rule. @param {string} word */
  const isListed = (word) =>
    /^[\p{L}\p{M}.-]+$/u.test(word) &&
    !word.split(".").every((part) => [...part].length <= 2 && word.includes(".")) &&
    [...word].length > 1;
  const suppressed = suppressions(tag).map((word) => word.replace(/\.$/, ""));
  const lists = pysbd.get(tag) ?? { doubtful: [], always: [], beforeNumber: [] };
  const beforeNumber = lists.beforeNumber.filter(isListed);
  const always = lists.always.filter(isListed).filter((word) => !beforeNumber.includes(word));
  const doubtful = [...suppressed, ...lists.doubtful]
    .filter(isListed)
    .filter((word) => !always.includes(word) && !beforeNumber.includes(word));
  // A capital in front is allowed for.
  const unique = [...new Set(doubtful)].filter(
    (word, _, all) => !all.includes(word[0]?.toLowerCase() + word.slice(1)) || word[0] === word[0]?.toLowerCase(),
  );
  return [always, beforeNumber, unique].map((words) => literal([...new Set(words)].sort().join(" ")));
}

/**
 * pySBD's lists, for languages of which CLDR has none. What is longer than four letters hardly ever ends in a stop in running text, and
 * of the longest lists, which are those of dictionaries, that holds for what is longer than three.
 */
function readPysbd() {
  const found = new Map();
  const folder = join(scratch, "pysbd", "pysbd", "lang");
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".py"))) {
    const text = readFileSync(join(folder, file), "utf8");
    const tag = /iso_code = '(\w+)'/.exec(text)?.[1];
    /** @param {string} name */
    const list = (name) => {
      const content = new RegExp(`\\b${name} = (?:set\\()?\\[([^\\]]*)\\]`).exec(text)?.[1] ?? "";
      const words = [...content.matchAll(/"([^"]+)"|'([^']+)'/g)].map(([, a, b]) => (a ?? b ?? "").replace(/\.$/, ""));
      const most = words.length > 200 ? 3 : 4;
      return words.filter((word) => word.length <= most);
    };
    if (!tag || suppressions(tag).length > 0) continue;
    found.set(tag, {
      doubtful: list("ABBREVIATIONS"),
      always: list("PREPOSITIVE_ABBREVIATIONS"),
      beforeNumber: list("NUMBER_ABBREVIATIONS"),
    });
  }
  return found;
}

const packages = ["core", "dates-full", "misc-full", "numbers-full", "units-full"].map(
  (name) => `cldr-${name}@${CLDR}`,
);
execFileSync("npm", [
  "install",
  "--prefix",
  scratch,
  "--no-audit",
  "--no-fund",
  "--legacy-peer-deps",
  ...packages,
  `cldr-segments-full@${CLDR_SEGMENTS}`,
]);
execFileSync("pip", ["install", "--quiet", "--no-deps", "--target", join(scratch, "pysbd"), `pysbd==${PYSBD}`]);
const pysbd = readPysbd();

const sources = readdirSync(here).filter((name) => name.endsWith(".rs") && name !== "cldr.rs");
const named = sources.flatMap((name) =>
  [...readFileSync(join(here, name), "utf8").matchAll(/\bcldr::([A-Z_]+)\b/g)].map((match) => match[1] ?? ""),
);
const likely = read("cldr-core/supplemental/likelySubtags.json").supplemental.likelySubtags;
const aliases = Object.entries(read("cldr-core/supplemental/aliases.json").supplemental.metadata.alias.languageAlias);

const entries = [...new Set(named)].sort().map((name) => {
  const tag = name.toLowerCase().replace(/_(.)(.*)$/, (_, first, rest) => `-${first.toUpperCase()}${rest}`);
  const script = tag.includes("-") ? (tag.split("-")[1] ?? "") : (likely[tag] ?? "").split("-")[1];
  const codes = aliases
    .filter(([, alias]) => /** @type {any} */ (alias)._replacement === tag)
    .map(([code]) => code.toLowerCase());
  const { form, currency, sizes } = numbers(tag);
  const date = dates(tag);
  const [always, beforeNumber, doubtful] = abbreviations(tag);
  return `pub(super) const ${name}: LanguageData = LanguageData {
    tag: "${tag}",
    codes: Words("${codes.filter((code) => /^[a-z]{2,3}$/.test(code)).join(" ")}"),
    script: Script::${SCRIPTS[/** @type {keyof typeof SCRIPTS} */ (script)]},
    spaced: ${!UNSPACED.includes(script)},
    sentence_gap: "${CLOSE.includes(script) ? "" : " "}",
    numbers: ${form},
    currency: ${currency},
    quotes: ${quotes(tag)},
    dates: ${date.form},
    ordinal_stop: ${date.ordinalStop},
    units: UnitWords(${literal(units(tag, script === "Latn"))}),
    size_words: Words(${literal(sizes)}),
    conjunctions: Words(${literal(conjunctions(tag))}),
    abbreviations: Abbreviations { always: Words(${always}), before_number: Words(${beforeNumber}), doubtful: Words(${doubtful}), ..Abbreviations::NONE },
    letters: ${literal(letters(tag, script))},
    ..UNKNOWN
};
`;
});

writeFileSync(
  join(here, "cldr.rs"),
  `// Written by generate.mjs; do not edit.
//
// Forms of numbers, dates, quotations and lists, words of units and sizes, letters, and abbreviations of the languages of which pySBD has none
// here: Unicode Common Locale Data Repository ${CLDR} (segments ${CLDR_SEGMENTS}), Copyright © 1991-2025 Unicode, Inc., Unicode License v3
// (SPDX: Unicode-3.0, https://www.unicode.org/license.txt).
// Other abbreviations: pySBD ${PYSBD}, Copyright © 2019 Nipun Sadvilkar, MIT License.

//! What the Unicode Common Locale Data Repository says about languages.

use super::data::{
    Abbreviations, CurrencyForm, DateForm, DateOrder, LanguageData, NumberForm, Quotes, UnitWords, Words,
};
use super::script::Script;
use super::unknown::UNKNOWN;

${entries.map((entry) => `#[rustfmt::skip]\n${entry}`).join("\n")}`,
);
rmSync(scratch, { recursive: true });
