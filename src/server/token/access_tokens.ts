/** The forms of access tokens: JWTs, and opaque tokens that are stored. */

import { type Client, policyOf } from "../../core/clients/clients.ts";
import type { Authorization } from "../../core/token/grants/authenticated_request.ts";
import type { GrantFunctions } from "../../core/token/grants/grant_functions.ts";
import type { TokenSteps } from "../../core/token/steps.ts";
import { storageKey } from "../../core/keys/secrets.ts";
import type { Server } from "../../core/server.ts";
import { metadataOf } from "../config/client_metadata.ts";
import type { HostedServer } from "../hosted_server.ts";
import { detailsName } from "./authorization_details.ts";
import { resourcesOf } from "./resources.ts";
import { storeOf } from "../stored/records.ts";
import { signLimitedToken } from "./limit_token.ts";
import { isPairwise } from "./subjects.ts";
import { userOf, verifyAccessToken } from "../../core/token/tokens/read_access_token.ts";
import { asIssued, claimsToSign } from "./claim_change.ts";

/** An opaque access token, stored under the digest of its value. */
export interface AccessTokenRecord {
  /** The claims that a JWT access token would have (RFC 9068 §2.2). */
  readonly claims: Readonly<Record<string, unknown>>;
  /** The subject of the user on this server; absent if the client acts on its own behalf. */
  readonly user?: string;
}

const accessTokenStore = storeOf<{
  /** Opaque access tokens, by the digest of the token. */
  access_token: AccessTokenRecord;
}>;

/** Three parts: the prefix of an opaque token may have a dot. */
const jwtShape = /^[^.]*\.[^.]*\.[^.]*$/;

/** The functions about access tokens, of a server that can store them. */
export const accessTokenFunctions = {
  async formatToken(server: HostedServer, authorization, issued, exp) {
    const claims = await claimsToSign(server, "access_token", issued, authorization);
    const { client } = authorization;
    if (!mustStore(server, client, resourcesOf(authorization))) {
      return await signLimitedToken(server, client, "access_token", policyOf(server, client).alg, claims);
    }
    return storeOpaque(server, server.newToken(server, "access_token"), claims, authorization, exp);
  },
  async readToken(server: HostedServer, token) {
    if (jwtShape.test(token)) {
      const payload = await verifyAccessToken(server, token);
      if (payload === undefined) return undefined;
      const { claims, sub, audience } = asIssued(server, payload);
      return { claims, user: userOf(claims, sub), audience };
    }
    const record = (await accessTokenStore(server).get("access_token", await storageKey(server, token)))?.value;
    if (record === undefined) return undefined;
    const { claims, audience } = asIssued(server, record.claims);
    return { claims, user: record.user, audience };
  },
  async formatIdToken(server: HostedServer, authorization, issued) {
    const claims = await claimsToSign(server, "id_token", issued, authorization);
    const { client } = authorization;
    return await signLimitedToken(server, client, "id_token", client.idTokenAlg, claims);
  },
} satisfies Partial<GrantFunctions<Server>>;

/** The extension shows the access that a client may see; without it, older tokens may still have some. */
export const hiddenDetails: TokenSteps<Server>["visibleClaims"][number] = {
  name: `hidden ${detailsName}`,
  place: { after: "claims" },
  run: () => ({ [detailsName]: undefined }),
};

/** Whether a token is opaque. A pairwise subject does not identify the user: a stored token does. */
function mustStore({ policy, resources: { isOpaque } }: HostedServer, client: Client, resources: readonly string[]) {
  const { access_token_format: format } = metadataOf(client);
  if (format === "opaque" || isPairwise(client)) return true;
  return resources.length === 0 ? policy.accessTokenFormat === "opaque" && format === undefined : isOpaque(resources);
}

async function storeOpaque(
  server: HostedServer,
  token: string,
  claims: Readonly<Record<string, unknown>>,
  { grantId, subject }: Authorization,
  exp: number,
): Promise<string> {
  const id = await storageKey(server, token);
  await accessTokenStore(server).put("access_token", id, { claims: { ...claims }, user: subject?.sub }, {
    grantId,
    expiresAt: (typeof claims.exp === "number" ? claims.exp : exp) * 1000,
  });
  return token;
}
