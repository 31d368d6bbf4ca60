/**
 * The inspector: a plugin with the pages for developers. They connect an application, show its requests as they
 * happened on the wire, with checks and reasons, and decode tokens.
 *
 * @example
 * ```ts
 * import { latchkey } from "@latchkey/latchkey";
 * import { inspector } from "@latchkey/latchkey/inspector";
 *
 * await using as = await latchkey({ plugins: [inspector()] });
 * const { url } = await as.listen({ port: 0 }); // and open it in a browser
 * ```
 *
 * @module
 */

export { inspector } from "./inspector.ts";
export type { Inspector } from "./inspector.ts";
