/**
 * The pages for developers: a plugin with the home page, the pages of clients and users, and the steps after the page
 * `/authorized`. The {@link inspector} adds the pages of recorded flows and of tokens.
 *
 * @example
 * ```ts
 * import { latchkey } from "@latchkey/latchkey";
 * import { developerPages, inspector } from "@latchkey/latchkey/inspector";
 *
 * await using as = await latchkey({ plugins: [developerPages(), inspector()] });
 * const { url } = await as.listen({ port: 0 }); // and open it in a browser
 * ```
 *
 * @module
 */

export { developerPages } from "./developer_pages.ts";
export * from "./requests/mod.ts";
