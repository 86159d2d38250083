/**
 * Lists of models in their forms: what the page's reader makes of them, beside what the command line's makes.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { findRoute, joinLists, parseCatalogue, parseList, targetsFrom } from "../../www/library/catalogue.js";
import { storedForms } from "../../www/library/catalogue.js";

const root = new URL("../../", import.meta.url);
const json = (/** @type {string} */ path) => JSON.parse(readFileSync(new URL(path, root), "utf8"));

const RECORDS =
  "https://firefox.settings.services.mozilla.com/v1/buckets/main/collections/translations-models-v2/records";
const REGISTRY = "https://storage.googleapis.com/moz-fx-translations-data--303e-prod-translations-data/db/models.json";

const records = () => parseList(json("tests/data/registry/records.json"), RECORDS);

test("records become models, each with where its files are and what they are", () => {
  const models = parseCatalogue(json("tests/data/registry/records.json"), RECORDS);
  // As `src/model/catalogue` reads them.
  assert.deepEqual(models.map(({ name }) => name).sort(), [
    "de-en.base-memory",
    "en-de.base-memory",
    "en-fr.base-memory",
    "en-zh-Hans.base-memory",
    "fr-en.base-memory",
    "ja-en.base",
    "ja-en.base-memory",
  ]);
  const french = models.find(({ name }) => name === "en-fr.base-memory");
  const weights = french?.files.find(({ role }) => role === "model");
  assert.equal(weights?.name, "model.enfr.intgemm.alphas.bin");
  assert.equal(weights?.size, 31_561_787);
  assert.equal(weights?.sources[0]?.size, 22_542_574);
  assert.ok(weights?.url.startsWith("https://firefox-settings-attachments.cdn.mozilla.net/main-workspace/"));
  const chinese = models.find(({ target }) => target === "zh-Hans");
  assert.deepEqual(chinese?.files.map(({ role }) => role).sort(), [
    "model",
    "shortlist",
    "sourceVocabulary",
    "targetVocabulary",
  ]);
  // A mirror of the records has the attachments too.
  const [mirrored] = parseCatalogue(json("tests/data/registry/records.json"), "http://127.0.0.1:80/v1/records");
  assert.ok(mirrored?.files[0]?.url.startsWith("http://127.0.0.1/main-workspace/"));
});

test("a registry adds sources to models that another list checks", () => {
  const registry = parseList(json("tests/data/registry/models.json"), REGISTRY);
  assert.deepEqual(joinLists([registry]).models, [], "nothing is used that cannot be checked");
  const { models } = joinLists([records(), registry]);
  const french = models.find(({ name }) => name === "en-fr.base-memory");
  for (const file of french?.files ?? []) {
    assert.equal(file.sources.length, 3, file.name);
    assert.match(
      file.sources[1]?.url ?? "",
      /\/o\/models%2Fen-fr%2F.*\.gz\?alt=media$/,
      "the form that pages may read",
    );
    assert.equal(storedForms(file).length, 1, "what is not described is not kept");
  }
});

test("what is kept of a list is read as it was", () => {
  const { models } = joinLists([records()]);
  const kept = JSON.parse(JSON.stringify({ version: 1, models }));
  assert.deepEqual(JSON.parse(JSON.stringify(parseCatalogue(kept, RECORDS))), kept.models);
});

/** @param {string} fileType @param {object} changes */
const record = (fileType, changes = {}) => ({
  ...{ name: `${fileType}.xxyy.bin`, fileType, version: "3.0", architecture: "tiny" },
  ...{ sourceLanguage: "xx", targetLanguage: "yy", decompressedSize: 5, decompressedHash: "0".repeat(64) },
  attachment: { location: `${fileType}.zst`, size: 3, hash: "1".repeat(64), mimetype: "application/zstd" },
  ...changes,
});

/** @param {object[]} data */
const read = (data) => joinLists([parseList({ data }, RECORDS)]);

test("the newest known version is taken, others are said, and what cannot be used is left out", () => {
  const whole = [record("model"), record("vocab")];
  assert.equal(read(whole).models.length, 1);
  const newest = read([...whole, record("model", { version: "3.2", decompressedSize: 7 })]).models[0];
  assert.equal(newest?.files.find(({ role }) => role === "model")?.size, 7);
  const older = read([...whole, record("model", { version: "3.0a1", decompressedSize: 7 })]).models[0];
  assert.equal(
    older?.files.find(({ role }) => role === "model")?.size,
    5,
    "a release is newer than what came before it",
  );
  const newer = read([...whole, record("model", { version: "4.0" })]);
  assert.equal(newer.models.length, 1);
  assert.match(newer.notes.join(), /xx-yy\.tiny: version 4\.0 needs a newer version/);
  assert.match(read([record("model")]).notes.join(), /xx-yy\.tiny: the list lacks/);
  assert.equal(
    read([...whole, record("poem"), record("lex", { filter_expression: "env.x" })]).models[0]?.files.length,
    2,
  );
  for (const broken of [
    { decompressedHash: "zz" },
    { decompressedSize: -1 },
    { decompressedSize: 1e12 },
    { attachment: null },
    { attachment: { location: "javascript:alert(1)", size: 1, hash: "1".repeat(64) } },
    { sourceLanguage: "not a language" },
    { version: "new" },
  ]) {
    const { models, notes } = read([...whole, record("lex", broken)]);
    assert.equal(models[0]?.files.length, 2, JSON.stringify(broken));
    assert.equal(notes.length, 1, JSON.stringify(broken));
  }
  for (const none of [null, 5, "x", [], {}, { models: 5 }, { data: {} }]) {
    assert.throws(() => parseList(none, RECORDS), /expected a list of models/, JSON.stringify(none));
  }
});

test("a way leads by one model, or by two through a third language", () => {
  const model = (/** @type {string} */ name) => {
    const [source = "", target = ""] = name.split("-");
    const files = [{ role: "package", url: `${name}.wanderwort`, size: 1, sha256: "0".repeat(64) }];
    return { name, source, target, files };
  };
  const names = ["fr-es", "es-de", "fr-en", "en-de", "en-fr", "de-en", "nb-en"];
  const catalogue = parseCatalogue({ version: 1, models: names.map(model) }, "https://a.example/index.json");
  const route = (/** @type {string} */ source, /** @type {string} */ target) =>
    findRoute(catalogue, source, target).map(({ name }) => name);
  assert.deepEqual(route("fr", "en"), ["fr-en"]);
  assert.deepEqual(route("fr", "de"), ["fr-en", "en-de"], "by way of English where there is a choice");
  assert.deepEqual(route("fr-CA", "de-AT"), ["fr-en", "en-de"]);
  assert.deepEqual(route("de", "fr"), ["de-en", "en-fr"]);
  assert.deepEqual(route("en", "es"), ["en-fr", "fr-es"]);
  assert.deepEqual(route("de", "nb"), []);
  assert.deepEqual(route("de", "de"), []);
  assert.deepEqual(route("xx", "de"), []);
  assert.deepEqual(targetsFrom(catalogue, "fr").sort(), ["de", "en", "es"]);
  assert.deepEqual(targetsFrom(catalogue, "nb").sort(), ["de", "en", "fr"]);
});
