/** The live page and the reader of files go by the same table of what is text. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { TABLE } from "../../www/page/table.js";

test("the module of the rules is the table", async () => {
  const table = await readFile(new URL("../../src/text/html/rules.json", import.meta.url), "utf8");
  assert.deepEqual(TABLE, JSON.parse(table));
});
