/** Firefox's background page, which holds the engine too: it can have workers, but not share memory with them. */
import "./background.js";
import { hostEngine } from "./engine.js";

hostEngine();
