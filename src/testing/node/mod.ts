/**
 * The mock for clients that use `node:https` instead of `fetch`, such as axios and got.
 *
 * @example
 * ```ts
 * import { get } from "node:https";
 * import { testLatchkey } from "@latchkey/latchkey/testing";
 * import { httpsAgent } from "@latchkey/latchkey/testing/node";
 *
 * await using as = await testLatchkey();
 * get(`${as.issuer}/oauth2/jwks`, { agent: httpsAgent(as) }, (response) => response.resume());
 * ```
 *
 * @module
 */

export { httpsAgent } from "./https_agent.ts";
