/**
 * The list of models that a site offers: `index.json`, read, checked and searched.
 */
export type ModelFile = {
  /**
   * missing for Marian's files
   */
  role?: "package";
  /**
   * absolute
   */
  url: string;
  /**
   * in bytes
   */
  size: number;
  /**
   * as 64 hexadecimal digits; also the name under which the browser keeps the file
   */
  sha256: string;
};
export type ModelEntry = {
  name: string;
  /**
   * BCP 47 language tag
   */
  source: string;
  /**
   * BCP 47 language tag
   */
  target: string;
  files: ModelFile[];
  licence?: string;
  /**
   * what a reader should know about this model
   */
  note?: string;
  /**
   * by test set
   */
  scores?: Record<
    string,
    {
      bleu?: number;
      chrf?: number;
    }
  >;
};
/**
 * Checks what a server sent as its list of models.
 *
 * @param {unknown} json
 * @param {string} base the list's own address; the files' addresses are relative to it
 * @returns {ModelEntry[]}
 * @throws {TypeError} naming the entry and field that is not as it should be
 */
export declare function parseCatalogue(json: unknown, base: string): ModelEntry[];
/**
 * The model for a pair of languages: the first whose tags are the wanted ones, or else the first for the same
 * languages in another region or script ("en" serves "en-GB").
 *
 * @param {ModelEntry[]} catalogue
 * @param {string} source BCP 47 language tag
 * @param {string} target BCP 47 language tag
 * @returns {ModelEntry | undefined}
 */
export declare function findModel(catalogue: ModelEntry[], source: string, target: string): ModelEntry | undefined;
/**
 * @param {string} tag
 * @returns {string} the tag as BCP 47 writes it
 * @throws {RangeError} if it is no language tag
 */
export declare function canonicalTag(tag: string): string;
/**
 * The sum of a model's files in bytes.
 * @param {ModelEntry} model
 */
export declare function modelSize(model: ModelEntry): number;
