/**
 * The engine's worker.
 */
import { EngineHost } from "./host.js";

const host = new EngineHost({
  post: (message, transfer = []) => postMessage(message, { transfer }),
  close: () => close(),
  importModule: (script) => import(/* @vite-ignore */ script),
});

onmessage = ({ data }) => host.receive(data);
