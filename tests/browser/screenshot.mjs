/**
 * Takes the picture of the page for the README: `node tests/browser/screenshot.mjs [FILE]`.
 */
import { fileURLToPath } from "node:url";
import { serve } from "../../www/tools/serve.mjs";
import { TIMEOUT_MS, launch } from "./browsers.mjs";

const path = /** @type {`${string}.png`} */ (
  process.argv[2] ?? fileURLToPath(new URL("../../www/screenshot.png", import.meta.url))
);
const server = await serve();
const browser = await launch("chromium");
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
  await page.setViewport({ width: 1120, height: 620 });
  await page.goto(server.url);
  await page.waitForFunction(() => /thread/.test(document.querySelector("#engine")?.textContent ?? ""));
  await page.click("#example");
  await page.waitForFunction(() => document.querySelector("#speed")?.textContent);
  await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished)));
  await page.screenshot({ path });
} finally {
  await browser.close();
  await server.close();
}
console.log(path);
