/** The authorization_code grant type (OAuth 2.1 §4.1.3). */

import type { CodeRecord, StoredRecord } from "../../store/store.ts";
import { type Client, policyOf } from "../../clients/clients.ts";
import type { OAuthError } from "../../rules/errors.ts";
import { reject } from "../../rules/reject.ts";
import { parameters, type Params } from "../../http/params.ts";
import { verifyCodeVerifier } from "../../authorize/pkce.ts";
import { storageKey } from "../../keys/secrets.ts";
import type { GrantType, Server } from "../../server.ts";
import { invalidGrantBy, narrowGrant, requireValid } from "./narrow_grant.ts";
import { revokeGrant } from "../../store/grant.ts";
import type { AuthenticatedRequest } from "./authenticated_request.ts";

/** The message of all errors of a code that cannot be exchanged. */
export const unusableCode = "code is unknown, expired, used, or was issued to another client";
const invalidGrant = invalidGrantBy("TK-16", unusableCode);

/**
 * Exchanges a code. A failed attempt neither consumes the code nor revokes anything, so an attacker cannot invalidate a
 * code that they cannot exchange (§7.5.3). A second valid attempt revokes everything issued for the first one.
 */
export const authorizationCode: GrantType = {
  type: "authorization_code",
  parameters: parameters(
    { name: "code", secret: "code", linksFlow: true },
    "redirect_uri",
    { name: "code_verifier", secret: "code_verifier" },
  ),
  async authorize(server, request) {
    const { client, params } = request;
    const code = params.get("code");
    if (code === undefined) throw reject("TK-16", { isEmpty: params.has("code") });
    const { tokenRedirectUri, lifetimes } = policyOf(server, client);
    if (tokenRedirectUri !== "optional" && params.get("redirect_uri") === undefined) throw reject("TK-14");
    const id = await storageKey(server, code);
    const stored = await server.store.get("code", id);
    if (stored === undefined) throw invalidGrant({ rule: "TK-16", lifetime: lifetimes.code });
    server.passed("TK-16");
    const record = stored.value;
    await server.grants.checkCode(server, request, record);
    if (stored.consumedAt !== undefined) {
      throw await revokeReplayed(server, client, stored, stored.consumedAt);
    }
    const now = server.now();
    if (now >= record.validUntil) throw invalidGrant({ rule: "CI-02", validUntil: record.validUntil, now });
    server.passed("CI-02", record.validUntil);
    const scope = await requireValid(server, request, stored, async (reason) => {
      // Since the code was read, another request may have used it, and a third one revoked the grant.
      const consumedAt = (await server.store.get("code", id))?.consumedAt;
      return consumedAt === undefined ? invalidGrant(reason) : await revokeReplayed(server, client, stored, consumedAt);
    });
    const authorization = await narrowGrant(server, request, stored, scope);
    return {
      ...authorization,
      async consume() {
        if (!await server.store.consume("code", id, server.now())) {
          throw await revokeReplayed(server, client, stored, server.now());
        }
        server.passed("CI-06");
        if (isUnbound(params, record)) server.observe(server, client.id, "TK-14", undefined);
        return true;
      },
    };
  },
};

/** Requires that the client got the code, in a response to the request whose verifier and redirect URI it sends. */
export async function checkCode(
  server: Server,
  { client, params }: AuthenticatedRequest,
  record: CodeRecord,
): Promise<void> {
  const { clientId } = record.grant;
  if (clientId !== client.id) throw invalidGrant({ rule: "CI-05", issuedTo: clientId, sentBy: client.id });
  server.passed("CI-05", client.id);
  const policy = policyOf(server, client);
  const redirectUri = params.get("redirect_uri");
  if (redirectUri !== undefined || isUnbound(params, record) && !policy.pkce.insecureAllowMissing) {
    const { redirectUri: expected, grant: { approvedAt } } = record;
    if (redirectUri === undefined) throw reject("TK-14");
    if (redirectUri !== expected) throw reject("TK-15", { expected, received: redirectUri, approvedAt });
    server.passed("TK-15", redirectUri);
  }
  await verifyCodeVerifier(policy, client, record, params.get("code_verifier"), server.passed);
}

/** Whether neither a code challenge nor redirect_uri binds the code to the request. */
function isUnbound(params: Params, { codeChallenge }: CodeRecord): boolean {
  return codeChallenge === undefined && params.get("redirect_uri") === undefined;
}

/**
 * Revokes the grant of a replayed code: one of the two clients that sent the code is an attacker (§4.1.3).
 *
 * @returns The error of the request.
 */
async function revokeReplayed(
  server: Server,
  client: Client,
  stored: StoredRecord<CodeRecord>,
  consumedAt: number,
): Promise<OAuthError> {
  // The clock may have been set back since the first use.
  const until = Math.max(server.now(), consumedAt) + server.policy.lifetimes.refresh_token * 1000;
  await revokeGrant(server, stored.grantId!, "authorization code used twice", until);
  return invalidGrant({ rule: "CI-06", usedAt: consumedAt, clientId: client.id });
}
