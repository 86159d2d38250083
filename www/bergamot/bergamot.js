/**
 * The classes of `@browsermt/bergamot-translator` 0.4.9 over this engine: only the line that imports them changes.
 *
 *     import { BatchTranslator } from "wanderwort/bergamot";
 *     const translator = new BatchTranslator({ registryUrl: "/models/registry.json" });
 *     const { target } = await translator.translate({ from: "en", to: "de", text: "The <b>house</b> is big.", html: true });
 *     translator.delete();
 *
 * `www/README.md` lists the differences.
 */
export { TranslatorBacking } from "./backing.js";
export { BatchTranslator } from "./batch-translator.js";
export { CancelledError, SupersededError, UnsupportedError } from "./errors.js";
export { LatencyOptimisedTranslator } from "./latency-optimised-translator.js";

/** @typedef {import("./backing.js").BackingOptions} BackingOptions */
/** @typedef {import("./backing.js").LoadedWorker} LoadedWorker */
/** @typedef {import("./backing.js").RegistryFile} RegistryFile */
/** @typedef {import("./backing.js").RegistryModel} RegistryModel */
/** @typedef {import("./batch-translator.js").BatchOptions} BatchOptions */
/** @typedef {import("./model-files.js").ModelBuffers} ModelBuffers */
/** @typedef {import("./model-files.js").ModelConfig} ModelConfig */
/** @typedef {import("./requests.js").TranslationRequest} TranslationRequest */
/** @typedef {import("./requests.js").TranslationResponse} TranslationResponse */
/** @typedef {import("./translation-worker.js").LanguagePair} LanguagePair */
