/**
 * Which folders of `www/` each product consists of.
 */

/** What translates, in whatever product: the library, whole pages, what runs in workers, the WebAssembly modules. */
const LIBRARY = ["library", "page", "worker", "pkg"];

/** The site: its own scripts besides that; the pages and everything else that needs an address at the top are in `www/` itself. */
export const SITE = [...LIBRARY, "site"];

/** The extension. */
export const EXTENSION = [...LIBRARY, "extension"];

/** The npm package: also for servers, and also in the shape of another package. */
export const PACKAGE = [...LIBRARY, "node", "bergamot"];
