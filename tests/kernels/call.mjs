// Calls the module of tests/kernels/lib.rs, under Node and in a page alike.

/**
 * @typedef {object} Kernels
 * @property {() => string} backends names of the backends in the module, slowest first
 * @property {(first: number, end: number) => number} check compares all backends; throws where one differs
 * @property {(rows: number, inner: number, columns: number, largest: number, kind: number) => number} measure
 *   billions of multiply-adds a second
 */

/**
 * @param {BufferSource} bytes a compiled module
 * @returns {Promise<Kernels>}
 */
export async function load(bytes) {
  const { instance } = await WebAssembly.instantiate(bytes, {});
  const wasm = /** @type {any} */ (instance.exports);
  const message = () =>
    new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, wasm.message(), wasm.message_length()));
  return {
    backends() {
      wasm.backends();
      return message();
    },
    check(first, end) {
      let count = -1;
      try {
        count = wasm.check(first, end);
      } catch (error) {
        throw new Error(`${error}: ${message()}`);
      }
      if (count < 0) throw new Error(message());
      return count;
    },
    measure(rows, inner, columns, largest, kind) {
      wasm.bench_prepare(rows, inner, columns, largest);
      const work = rows * inner * columns;
      let times = 1;
      let best = Infinity;
      // Many short runs, of which other programs on the machine leave some alone.
      for (let round = 0; round < 40; round++) {
        const start = performance.now();
        wasm.bench_run(kind, times);
        const milliseconds = performance.now() - start;
        if (milliseconds < 4) times *= 2;
        else best = Math.min(best, milliseconds / 1000 / times);
      }
      return work / best / 1e9;
    },
  };
}

/**
 * @param {Kernels} kernels
 * @returns {string} a table of billions of multiply-adds a second
 */
export function bench(kernels) {
  const rows = [1, 2, 4, 8, 32];
  let table = `GMAC/s, ${kernels.backends().split(" ").at(-1)}\n`;
  for (const largest of [127, 63]) {
    table += `weights ±${largest}`.padEnd(26) + rows.map((count) => `${count} rows`.padStart(9)).join("") + "\n";
    for (const [inner, columns, kind, what] of /** @type {[number, number, number, string][]} */ ([
      [256, 256, 0, ""],
      [256, 1536, 2, ", to int8"],
      [1536, 256, 0, ""],
      [256, 16000, 1, ", arg-max"],
    ])) {
      const speeds = rows.map((count) => kernels.measure(count, inner, columns, largest, kind));
      table += `${inner} × ${columns}${what}`.padEnd(26) + speeds.map((x) => x.toFixed(1).padStart(9)).join("") + "\n";
    }
  }
  return table;
}
