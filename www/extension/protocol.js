/**
 * What the extension's parts say to each other: the background, its engine, its windows, and its script in pages.
 */
import { api } from "./api.js";

/**
 * The language of a text and the one wanted, and the names of the models that translate, if it matters which.
 * @typedef {{source: string, target: string, models?: string[]}} Pair
 */

/** How a translated page looks. @typedef {"translation" | "both"} Show */

/**
 * What went wrong: the message that says it, and what goes into that; of `failed`, which stands for everything that has no message of its own,
 * the error's own words.
 * @typedef {{kind: "noModel" | "noEngine" | "failed", parts: string[]}} ProblemParts
 */

/** What a page's language is told from. @typedef {{declared: string, text: string}} Sample */

/**
 * What a page is translated from and into. `models`: those of the pair, none if there is no way; `isHere`: whether nothing has to be
 * downloaded first; `isRead`: whether it is in a language that the reader reads.
 * @typedef {Pair & {models: string[], isHere: boolean, isRead: boolean}} FittingPair
 */

/**
 * The state of a page.
 * @typedef {object} PageState
 * @property {string} page tells this page from others that a tab has shown
 * @property {boolean} active whether a translation is shown
 * @property {boolean} stale whether it is one of a script that has ended with an earlier version of the extension
 * @property {import("../page/page.js").Progress | null} progress
 * @property {number} loaded share of the model that is loaded
 * @property {Show} show
 * @property {(Pair & {show?: Show}) | null} pair
 * @property {ProblemParts | null} problem what went wrong, if anything did
 */

/**
 * What the script in pages is asked: by type, what comes with the question, and the answer.
 * @typedef {object} PageQuestions
 * @property {[Pair & {show?: Show}, PageState]} translate
 * @property {[{}, PageState]} restore
 * @property {[{show: Show}, PageState]} show
 * @property {[{}, PageState]} state
 * @property {[{}, Sample]} sample
 * @property {[Pair, null]} selection translates what is selected
 * @property {[Pair, null]} typed translates what is typed in the field that has the focus
 */

/**
 * What the background is asked.
 * @typedef {object} BackgroundQuestions
 * @property {[{}, null]} engine starts the engine where it does not run by itself
 * @property {[{}, null]} engine-idle no page uses the engine any more
 * @property {[{}, import("./settings.js").Settings]} settings
 * @property {[Sample, (Pair & {show?: Show}) | null]} arrived what is to be done with a page that has just been opened
 * @property {[{sample: Sample}, FittingPair | null]} pair
 * @property {[Pair, boolean]} has-model whether the reader wants texts of another language translated, and a model for it is here
 * @property {[{}, boolean]} engine-runs
 * @property {[{order: Order}, null]} installed the models for a tab are here
 * @property {[{}, null]} complete
 * @property {[{}, null]} restored
 */

/** @template Q @template {keyof Q} T @typedef {Q[T] extends [infer P, unknown] ? {type: T} & P : never} Question */
/** @template Q @template {keyof Q} T @typedef {Q[T] extends [unknown, infer A] ? A : never} Answer */

/** Any question of a kind. @template Q @typedef {{[T in keyof Q]: Question<Q, T>}[keyof Q]} AnyQuestion */

/**
 * What the engine is told over a port, `open` first.
 * @typedef {({type: "open"} & Pair)
 *   | {type: "block", id: number, text: string, nodes: number[], priority: number}
 *   | {type: "priority", id: number, priority: number}
 *   | {type: "cancel", id: number}} ToEngine
 */

/**
 * What comes back.
 * @typedef {{type: "translated", id: number, text: string, places: number[]}
 *   | {type: "refused", id: number, problem: ProblemParts}
 *   | {type: "loading", loaded: number, total: number}} FromEngine
 */

/** The name of such ports. */
export const ENGINE_PORT = "wanderwort-engine";

/** A tab to translate once its models are here: `page` as in its state. @typedef {Pair & {tab: number, page: string, show: Show}} Order */

/**
 * What the engine is asked about downloads, over ports of their own.
 * @typedef {{type: "install", order: Order} | {type: "watch", tab: number} | {type: "cancel"}} ToInstaller
 */

/**
 * What comes back: `none` if there is no download for the tab.
 * @typedef {{type: "progress", loaded: number, total: number}
 *   | {type: "installed" | "cancelled" | "none"}
 *   | {type: "failed", problem: ProblemParts}} FromInstaller
 */

export const INSTALL_PORT = "wanderwort-install";

/**
 * Asks the background.
 * @template {keyof BackgroundQuestions} T
 * @param {Question<BackgroundQuestions, T>} question
 * @returns {Promise<Answer<BackgroundQuestions, T>>}
 */
export const askBackground = (question) => api.runtime.sendMessage(question);

/**
 * Asks a tab's page; its top frame answers, or another one.
 * @template {keyof PageQuestions} T
 * @param {number} tabId
 * @param {Question<PageQuestions, T>} question
 * @param {number} [frameId]
 * @returns {Promise<Answer<PageQuestions, T>>}
 */
export const askPage = (tabId, question, frameId = 0) => api.tabs.sendMessage(tabId, question, { frameId });

/**
 * Asks all frames of a tab; the first to answer is heard.
 * @template {keyof PageQuestions} T
 * @param {number} tabId
 * @param {Question<PageQuestions, T>} question
 * @returns {Promise<Answer<PageQuestions, T>>}
 */
export const askFrames = (tabId, question) => api.tabs.sendMessage(tabId, question);
