/**
 * Ways of reading: how the page shows a block's translation. A new way is a row here, with a class that does what `Shown` says.
 */
import { Applied } from "./apply.js";
import { Beside, hasRoom } from "./beside.js";

/** @typedef {import("./apply.js").Shown} Shown */
/** @typedef {import("./apply.js").TranslatedBlock} TranslatedBlock */
/** @typedef {(block: import("./blocks.js").Block, translation: TranslatedBlock, page: import("./run.js").Page) => Shown} Way */

/** @type {Way} */
const inPlace = (block, translation, { originals }) => new Applied(block, translation, originals);

export const WAYS = {
  /** The translation in the place of the original. @type {Way} */
  translation: inPlace,

  /** The translation under the original, where there is room for it. @type {Way} */
  both: (block, translation, page) =>
    hasRoom(block) ? new Beside(block, translation, page.translator) : inPlace(block, translation, page),
};
