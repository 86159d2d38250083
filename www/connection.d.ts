export type ModelFile = import("./catalogue.js").ModelFile;
export type Variant = import("./worker/engine.js").Variant;
export type ModuleAddresses = import("./assets.js").ModuleAddresses;
export type StartThread = import("./worker/threads.js").StartThread;
export type Bits = "log4" | "int8" | "float32";
export type ModelSource = {
  files: ModelFile[];
  own?: File[];
  source: string;
  keep?: string[];
  threads?: number;
  variant?: Variant;
};
export type Conversion = {
  own: File[];
  bits: Bits;
  name: string;
  source: string;
  target: string;
};
export type ToWorker =
  | ({
      type: "load";
      modules: Record<Variant, ModuleAddresses>;
    } & ModelSource)
  | ({
      type: "convert";
      modules: Record<Variant, ModuleAddresses>;
    } & Conversion)
  | {
      type: "translate";
      id: number;
      text: string;
      priority: number;
      details: boolean;
      scores: boolean;
    }
  | {
      type: "translate-block";
      id: number;
      text: string;
      nodes: Uint32Array;
      priority: number;
    }
  | {
      type: "cancel";
      id: number;
    }
  | {
      type: "priority";
      id: number;
      priority: number;
    }
  | {
      type: "thread";
      thread: number;
      data: unknown;
    };
export type FromWorker =
  | StartThread
  | {
      type: "progress";
      loaded: number;
      total: number;
      fromNetwork: number;
    }
  | {
      type: "waiting";
    }
  | {
      type: "loaded";
      info: EngineInfo;
    }
  | {
      type: "converted";
      bytes: Uint8Array<ArrayBuffer>;
    }
  | {
      type: "failed";
      error: {
        name: string;
        message: string;
      };
    }
  | {
      type: "translated";
      id: number;
      text: string;
      sentences: Uint32Array;
      tokens: Uint32Array;
      scores: Float32Array;
      places: Uint32Array;
      busy: number;
    }
  | {
      type: "refused";
      id: number;
      error: {
        name: string;
        message: string;
      };
    };
export type EngineInfo = {
  /**
   * the WebAssembly module in use
   */
  variant: Variant;
  threads: number;
  /**
   * the instruction set of its kernels
   */
  backend: string;
  /**
   * `int8` or `float32`
   */
  precision: string;
  /**
   * memory that the weights take
   */
  weightBytes: number;
  /**
   * all memory of the engine once the model was loaded
   */
  memoryBytes: number;
  /**
   * whether the browser keeps the model, so that it is there without a network next time
   */
  stored: boolean;
  /**
   * why not
   */
  notStored?: string;
  /**
   * why an earlier version of the model is in use instead of the list's
   */
  notCurrent?: string;
  /**
   * the addresses of the scripts and modules that the worker loaded
   */
  resources: string[];
};
export type LoadingEvents = {
  /**
   * in bytes
   */
  progress?: (loaded: number, total: number, fromNetwork: number) => void;
  /**
   * another tab is downloading the same model
   */
  waiting?: () => void;
};
export type Translated = Extract<
  FromWorker,
  {
    type: "translated";
  }
>;
export type BlockRequest = {
  result: Promise<Translated>;
  /**
   * moves what has not been started of it to another place in the queue
   */
  setPriority: (priority: number) => void;
  /**
   * drops it; the promise is rejected with `reason`
   */
  cancel: (reason?: unknown) => void;
};
export declare class EngineConnection {
  #private;
  /**
   * Starts a worker and has it load a model.
   * @param {ModelSource} model
   * @param {LoadingEvents} [events]
   */
  constructor(model: ModelSource, events?: LoadingEvents);
  /** Settles when the model is loaded or has failed to. */
  get loaded(): Promise<EngineInfo>;
  /** Why nothing more can be translated, if so. */
  get closed(): DOMException | undefined;
  /**
   * @param {string} text
   * @param {{priority?: number, details?: boolean, scores?: boolean, signal?: AbortSignal}} options
   * @returns {Promise<Translated>}
   */
  translate(
    text: string,
    {
      priority,
      details,
      scores,
      signal,
    }: {
      priority?: number;
      details?: boolean;
      scores?: boolean;
      signal?: AbortSignal;
    },
  ): Promise<Translated>;
  /**
   * Translates a block of text with inline markup.
   * @param {string} text
   * @param {Uint32Array} nodes the block's tree, see `Engine.submitBlock`; it is given away
   * @param {number} priority
   * @returns {BlockRequest}
   */
  translateBlock(text: string, nodes: Uint32Array, priority: number): BlockRequest;
  /**
   * Ends the worker; what is under way is rejected with `reason`.
   * @param {DOMException} reason
   */
  close(reason: DOMException): void;
}
/**
 * Makes a package of a reader's own Marian files, in a worker of its own.
 * @param {Conversion} conversion
 * @param {{signal?: AbortSignal, progress?: (loaded: number, total: number) => void}} [options]
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export declare function convertInWorker(
  conversion: Conversion,
  {
    signal,
    progress,
  }?: {
    signal?: AbortSignal;
    progress?: (loaded: number, total: number) => void;
  },
): Promise<Uint8Array<ArrayBuffer>>;
