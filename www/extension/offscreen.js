/** Chrome's place for the engine: a document nobody sees, cross-origin isolated by the manifest, so that threads work. */
import { hostEngine } from "./engine.js";

hostEngine();
