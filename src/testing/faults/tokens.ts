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

/** A fault that wraps every token issuer. */
function wrapIssuers(
  name: string,
  waitsFor: string,
  wrap: (issue: Issue<Server>, context: FaultContext) => Issue<Server>,
): Fault {
  return {
    name,
    waitsFor,
    extend: (server, context) => ({
      ...server,
      steps: {
        ...server.steps,
        issuers: server.steps.issuers.map((row) => ({ ...row, run: wrap(row.run, context) })),
      },
    }),
  };
}

/** No refresh token, although the client may have one. After a refresh the old one stays valid (RFC 6749 §6). */
export const withoutRefreshToken: FaultFactory<() => Fault> = defineFault({
  id: "tokens.withoutRefreshToken",
  row: "refresh/token-omitted",
  endpoints: ["token"],
  create: () => {
    const name = "no refresh token";
    const waitsFor = "got a refresh token";
    const { extend: wrap } = wrapIssuers(name, waitsFor, (issue, context) => async (...issued) => {
      const { refresh_token, ...others } = await issue(...issued);
      return refresh_token !== undefined && !context.consume() ? { ...others, refresh_token } : others;
    });
    return {
      name,
      waitsFor,
      extend: (server, context) => ({
        ...wrap!(server, context),
        grantTypes: server.grantTypes.map((grant) => withoutRotation(grant, context)),
      }),
    };
  },
});

/** The tokens lack the last requested scope value, and so does `scope` of the response. */
export const scopeNarrowed: FaultFactory<() => Fault> = defineFault({
  id: "tokens.scopeNarrowed",
  title: "Scope of the tokens is narrower than requested",
  endpoints: ["token"],
  correctClient:
    "The client relies on the scope of the response, and requests the missing scope value again at most once.",
  create: () =>
    wrapIssuers("narrowed scope", waitsForScope, (issue, context) => async (server, granted, ...others) => {
      const scope = withoutLastScope(granted.scope);
      if (scope === undefined || !context.consume()) return await issue(server, granted, ...others);
      return await issue(server, { ...granted, scope }, ...others);
    }),
});

/** The tokens lack the last requested scope value, although `scope` of the response has it. */
export const scopeOverstated: FaultFactory<() => Fault> = defineFault({
  id: "tokens.scopeOverstated",
  title: "Scope of the tokens is narrower than the response states",
  endpoints: ["token"],
  correctClient:
    "The client handles insufficient_scope from the resource server, although the response stated the scope.",
  create: () =>
    wrapIssuers("overstated scope", waitsForScope, (issue, context) => async (server, granted, ...others) => {
      const scope = withoutLastScope(granted.scope);
      if (scope === undefined || !context.consume()) return await issue(server, granted, ...others);
      const issued = await issue(server, { ...granted, scope }, ...others);
      return issued.scope === undefined ? issued : { ...issued, scope: granted.scope.join(" ") };
    }),
});

/** The tokens have every requested scope value, although `scope` of the response lacks the last one. */
export const scopeUnderstated: FaultFactory<() => Fault> = defineFault({
  id: "tokens.scopeUnderstated",
  title: "Scope of the tokens is wider than the response states",
  endpoints: ["token"],
  correctClient: "The client relies on the scope of the response, and works without the missing scope value.",
  create: () =>
    wrapIssuers("understated scope", waitsForScope, (issue, context) => async (server, granted, ...others) => {
      const issued = await issue(server, granted, ...others);
      const scope = withoutLastScope(granted.scope);
      return issued.scope === undefined || scope === undefined || !context.consume()
        ? issued
        : { ...issued, scope: scope.join(" ") };
    }),
});

const waitsForScope = "was granted a scope value besides openid and offline_access";

/** Without the last value that is not about which tokens are issued; `undefined` if the scope has no other values. */
function withoutLastScope(scope: readonly string[]): readonly string[] | undefined {
  const last = scope.findLastIndex((value) => value !== "openid" && value !== "offline_access");
  return last < 0 ? undefined : scope.toSpliced(last, 1);
}

/**
 * The refresh token of a public client is not rotated: the response has the one that was sent, and it stays valid. For
 * a confidential client that is correct (OAuth 2.1 §4.3.1), so the fault applies to it only with `rotateConfidential`.
 */
export const refreshTokenNotRotated: FaultFactory<() => Fault> = defineFault({
  id: "tokens.refreshTokenNotRotated",
  title: "Refresh token of a public client is not rotated",
  endpoints: ["token"],
  correctClient:
    "The client stores the refresh token of the response, new or old, and keeps the old one if the response has none.",
  create: () => ({
    name: "refresh token not rotated",
    waitsFor: "was a refresh that rotates the refresh token",
    extend: (server, context) => ({
      ...server,
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
