/** Access tokens in unusual forms that the server accepts; a client must not read them (RFC 6749 §1.4). */

import { wrapIssueStep } from "../../core/token/table.ts";
import { storageKey } from "../../core/keys/secrets.ts";
import type { Fault } from "../../testing/faults/fault.ts";

/** A fault that issues an opaque access token. `choose` receives a random token, and returns a text without a dot. */
export function opaqueAccessToken(name: string, choose: (token: string) => string): Fault {
  return {
    name,
    waitsFor: "issued an access token",
    extend: (server, context) => ({
      ...server,
      steps: wrapIssueStep(server.steps, "access_token", (issue) => async (inner, before, authorization, ...others) => {
        const { client } = authorization;
        const opaqueClient = { ...client, metadata: { ...client.metadata, access_token_format: "opaque" as const } };
        const issued = await issue(inner, before, { ...authorization, client: opaqueClient }, ...others);
        if (issued.access_token === undefined || !context.consume()) return issued;
        const record = (await server.store.get("access_token", await storageKey(server, issued.access_token)))!;
        const token = choose(issued.access_token);
        await server.store.put("access_token", await storageKey(server, token), record.value, record);
        return { ...issued, access_token: token };
      }),
    }),
  };
}
