/** Prints how many modules the first import of an entry loads from packages, and their size in bytes. */

import { registerHooks } from "node:module";
import process from "node:process";

const sizes = [];
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (url.startsWith("file:") && url.includes("/node_modules/")) sizes.push(Buffer.byteLength(loaded.source ?? ""));
    return loaded;
  },
});
await import(process.argv[2]);
console.log(JSON.stringify({ modules: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }));
