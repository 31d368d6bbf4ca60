/** Token responses with fewer tokens than the client may have (OAuth 2.1 §4.3). */

import type { GrantType, Server } from "../../core/server.ts";
import type { Issue } from "../../core/token/steps.ts";
import { defineFault, type FaultFactory } from "./definition.ts";
import type { Fault, FaultContext } from "./fault.ts";
import { mustAuthenticate } from "../../server/config/client_metadata.ts";
import { withPolicy } from "../with_policy.ts";

/** No refresh token, although the client may have one. After a refresh the old one stays valid (RFC 6749 §6). */
export const withoutRefreshToken: FaultFactory<() => Fault> = defineFault({
  id: "tokens.withoutRefreshToken",
  row: "refresh/token-omitted",
  endpoints: ["token"],
  create: () => ({
    name: "no refresh token",
    waitsFor: "got a refresh token",
    extend: (server, context) => ({
      ...server,
      steps: {
        ...server.steps,
        issue: server.steps.issue.map((row) => ({
          ...row,
          async run(...issued: Parameters<Issue<Server>>) {
            const { refresh_token, ...others } = await row.run(...issued);
            return refresh_token !== undefined && !context.consume() ? { ...others, refresh_token } : others;
          },
        })),
      },
      grantTypes: server.grantTypes.map((grant) => withoutRotation(grant, context)),
    }),
  }),
});

/** Makes the grant type treat the client as one whose refresh tokens are not rotated. */
function withoutRotation(grant: GrantType, context: FaultContext): GrantType {
  if (grant.type !== "refresh_token") return grant;
  return {
    ...grant,
    async authorize(server, request) {
      const { client } = request;
      const rotates = !mustAuthenticate(client) || server.policy.refresh.rotateConfidential;
      if (!rotates || !context.consume()) return await grant.authorize(server, request);
      const refresh = { ...server.policy.refresh, rotateConfidential: false };
      const confidentialRequest = { ...request, client: { ...client, confidential: true, isUnregistered: undefined } };
      const granted = await grant.authorize(withPolicy(server, { refresh }), confidentialRequest);
      return { ...granted, client };
    },
  };
}
