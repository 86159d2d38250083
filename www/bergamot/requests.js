/**
 * What is asked of a translator, and what it answers.
 */

/**
 * @typedef {object} TranslationRequest
 * @property {string} from language of the text, as the registry names it
 * @property {string} to
 * @property {string} text
 * @property {boolean} [html] whether the text is HTML; false unless given
 * @property {boolean} [qualityScores] not offered for HTML, and without effect for plain text
 * @property {number} [priority] lower ones are translated first; 0 unless given. Only for batches
 */

/**
 * @template {TranslationRequest} [R=TranslationRequest]
 * @typedef {{request: R, target: {text: string}}} TranslationResponse
 */

/**
 * Has a worker load the models that it lacks.
 * @param {import("./translation-worker.js").LanguagePair[]} models
 * @param {import("./backing.js").LoadedWorker["exports"]} worker
 * @param {import("./backing.js").TranslatorBacking} backing
 * @param {{signal?: AbortSignal}} [options]
 */
export async function loadModels(models, worker, backing, options) {
  const load = async (/** @type {import("./translation-worker.js").LanguagePair} */ { from, to }) => {
    if (await worker.hasTranslationModel({ from, to })) return;
    const buffers = await backing.getTranslationModel({ from, to }, options);
    await worker.loadTranslationModel({ from, to }, buffers);
  };
  await Promise.all(models.map(load));
}
