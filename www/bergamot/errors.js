/**
 * Why a request was not translated.
 */

/** A newer request took the place of this one, which had not been begun. */
export class SupersededError extends Error {}

/** The request was removed from the queue or aborted, or its translator was deleted. */
export class CancelledError extends Error {}

/** Something that `@browsermt/bergamot-translator` has and this does not. */
export class UnsupportedError extends Error {
  name = "UnsupportedError";
}
