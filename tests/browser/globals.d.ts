// What the tests put into pages.
declare var translator: any;
declare var Translator: any;
declare var sent: string[];
declare var old: any;
