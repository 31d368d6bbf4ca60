/** Every entry that needs no types of Node, and the claims of a login, for a compiler without further types. */

import { testLatchkey } from "@latchkey/latchkey/testing";

export type * as server from "@latchkey/latchkey";
export type * as check from "@latchkey/latchkey/check";
export type * as control from "@latchkey/latchkey/control";
export type * as extension from "@latchkey/latchkey/extension";
export type * as inspector from "@latchkey/latchkey/inspector";
export type * as operating from "@latchkey/latchkey/operating";
export type * as pages from "@latchkey/latchkey/pages";
export type * as resource from "@latchkey/latchkey/resource";
export type * as stores from "@latchkey/latchkey/stores";
export type * as sqlite from "@latchkey/latchkey/stores/sqlite";

/** The subject of a login. */
export async function subject(): Promise<string | undefined> {
  await using as = await testLatchkey();
  const { claims } = await as.logIn(as.client());
  return claims?.sub;
}
