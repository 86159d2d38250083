/**
 * The engine's threads: started by the page on behalf of the engine's worker.
 *
 * Firefox at times never returns from starting a worker within a worker that is fetching at the same moment, which would leave
 * the engine waiting forever; and it collects workers that share memory but are referred to by nothing but their own
 * events (bug 1702191). A page's workers have neither trouble.
 */
export type StartThread = {
  type: "thread";
  thread: number;
  url: string;
  message: unknown;
};
/**
 * Runs what starts the threads.
 * @template T
 * @param {() => T} action
 * @returns {T}
 */
export declare function withPageThreads<T>(action: () => T): T;
/**
 * What a thread has answered.
 * @param {number} thread
 * @param {unknown} data
 */
export declare function threadAnswered(thread: number, data: unknown): void;
