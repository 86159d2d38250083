/**
 * The memory that the browser's processes take.
 */
import { readFileSync } from "node:fs";

/**
 * Megabytes that the processes of Chromium's pages take, including workers: their proportional set size (Linux).
 * @param {import("puppeteer-core").Browser} browser
 */
export async function processMegabytes(browser) {
  const session = await browser.target().createCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  let sum = 0;
  for (const { type, id } of processInfo) {
    if (type !== "renderer") continue;
    let memory = "";
    try {
      memory = readFileSync(`/proc/${id}/smaps_rollup`, "utf8");
    } catch {
      // It has ended meanwhile.
    }
    sum += (Number(/^Pss:\s+(\d+) kB/m.exec(memory)?.[1] ?? 0) * 1024) / 1e6;
  }
  return sum;
}
