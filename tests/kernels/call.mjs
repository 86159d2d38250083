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
  const message = () => new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, wasm.message(), wasm.message_length()));
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
