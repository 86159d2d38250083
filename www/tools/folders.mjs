/**
 * Which folders of `www/` each product consists of.
 */

/** What translates, in whatever product: the library, whole pages, what runs in workers, the WebAssembly modules. */
const LIBRARY = ["library", "page", "worker", "pkg"];

/** The site: its own scripts beside that; the pages and all else that needs an address at the top lie in `www/` itself. */
export const SITE = [...LIBRARY, "site"];

/** The extension. */
export const EXTENSION = [...LIBRARY, "extension"];

/** The npm package: for servers too, and in the shape of another one. */
export const PACKAGE = [...LIBRARY, "node", "bergamot"];
