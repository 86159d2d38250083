// What the tests put into pages.
declare var translator: any;
declare var Translator: any;
declare var LanguageDetector: any;
declare var CreateMonitor: any;
declare var pair: { sourceLanguage: string; targetLanguage: string };
declare var outcome: (promise: unknown) => Promise<any>;
declare var errorName: (promise: unknown) => Promise<string>;
declare var thrown: (call: () => unknown) => any;
declare var later: (milliseconds?: number) => Promise<unknown>;
declare var read: (stream: ReadableStream<string>) => Promise<string>;
declare var sent: string[];
declare var old: any;
// Live pages.
declare var live: any;
declare var stock: any[];
declare var again: any[];
declare var takeWalk: () => any[];
declare var faults: string[];
declare var troubles: string[];
declare var clicks: number;
declare var loads: number;
declare var fights: number;
declare var tops: number[];
declare var clock: any;
declare var failed: string | undefined;
declare var addTask: () => void;
declare var removeTask: () => void;
declare var sortTasks: () => void;
declare var setPage: (page: string) => void;
declare var goods: { value: string[] };
declare var attack: () => void;
declare var find: (path: string) => any;
declare var textAt: (path: string) => string;
// Documents.
declare var saved: { name: string; blob: Blob };
declare var longestBlock: () => number;
