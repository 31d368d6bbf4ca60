/**
 * ID tokens that their client may exchange for ID-JAGs. Each is stored with its grant, because an ID token names
 * neither its grant nor the consent and the password on which the grant depends.
 */

import type { GrantRecord, StoredRecord } from "../../../core/store/store.ts";
import { storageKey } from "../../../core/keys/secrets.ts";
import type { Server } from "../../../core/server.ts";
import type { Authorization, TokenResponse } from "../../../core/token/grants/authenticated_request.ts";
import { grantOf } from "../../../core/store/grant.ts";
import { storeOf } from "../../stored/records.ts";
import { type TokenExchangePolicy, tokenExchangeType } from "./settings.ts";

const idTokenStore = storeOf<{
  /** The grants of ID tokens, by the digest of the token. */
  id_token: GrantRecord;
}>;

/**
 * Stores the grant of each ID token that the token endpoint issues, under the digest of the token. An ID token in an
 * authorization response grants nothing.
 */
export async function storeIdToken(
  server: Server & { readonly policy: Partial<TokenExchangePolicy> },
  { id_token: token }: Partial<TokenResponse>,
  authorization: Authorization,
  now: number,
): Promise<void> {
  const { client, grantId, subject, issue } = authorization;
  const { resourceAuthorizationServers = [] } = server.policy;
  if (
    resourceAuthorizationServers.length === 0 || token === undefined || issue !== undefined || subject === undefined ||
    !client.grantTypes.includes(tokenExchangeType)
  ) return;
  const grant = await grantOf(server, authorization, subject);
  const expiresAt = (now + server.policy.lifetimes.id_token) * 1000;
  await idTokenStore(server).put("id_token", await storageKey(server, token), { grant }, { grantId, expiresAt });
}

/** The grant of an ID token; `undefined` if the token was not stored. */
export async function findIdToken(server: Server, token: string): Promise<StoredRecord<GrantRecord> | undefined> {
  return await idTokenStore(server).get("id_token", await storageKey(server, token));
}
