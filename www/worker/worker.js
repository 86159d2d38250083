/**
 * The engines' worker.
 */
import { EngineHosts } from "./host.js";

const hosts = new EngineHosts({
  post: (message, transfer = []) => postMessage(message, { transfer }),
  close: () => close(),
  importModule: (script) => import(/* @vite-ignore */ script),
});

onmessage = ({ data }) => hosts.receive(data);
