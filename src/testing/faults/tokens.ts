/** Token responses that do not describe the issued tokens (OAuth 2.1 §3.2.3, §4.3). */

import type { GrantType, Server } from "../../core/server.ts";
import type { Issue } from "../../core/token/steps.ts";
import { defineFault, type FaultFactory } from "./definition.ts";
import { anyParameter, textParameter } from "./parameters.ts";
import { editJsonBody } from "./response_body.ts";
import type { Fault, FaultContext } from "./fault.ts";
import { mustAuthenticate } from "../../server/config/client_metadata.ts";
import { withPolicy } from "../with_policy.ts";

/**
 * Changes `expires_in`; the token itself does not change. Some servers send a string such as `"3600"`; `null`, the
 * default, removes the member.
 */
export const expiresIn: FaultFactory<(value?: number | string | null) => Fault> = defineFault({
  id: "tokens.expiresIn",
  title: "expires_in of the token response is wrong, a string, or missing",
  endpoints: ["token"],
  correctClient: "The client accepts the tokens, and refreshes when the resource server rejects the access token.",
  parameters: [
    anyParameter<"value", number | string | null>(
      "value",
      null,
      "The member expires_in, a number or a string; null removes it.",
      { label: "Announced lifetime" },
    ),
  ],
  create: ({ value }) =>
    editJsonBody(
      value === null ? "no expires_in" : `expires_in ${JSON.stringify(value)}`,
      (body) => ({ ...body, expires_in: value ?? undefined }),
    ),
});

/** Changes `token_type`; by default only its letter case, which a client must accept (OAuth 2.1 §1.4.3). */
export const tokenType: FaultFactory<(type?: string) => Fault> = defineFault({
  id: "tokens.tokenType",
  row: "token/type-case",
  endpoints: ["token"],
  parameters: [textParameter("type", "bEARER", "The member token_type.", "Token type")],
  create: ({ type }) => editJsonBody(`token_type ${type}`, (body) => ({ ...body, token_type: type })),
});

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
