/**
 * ID tokens that their client may exchange for ID-JAGs. They are stored with their grant, because they name neither the
 * grant nor the consent and the password that it depends on. Loaded with the first one.
 */

import type { Grant, GrantRecord, StoredRecord, Subject } from "../../store/store.ts";
import type { Authorization } from "../grants/token_request.ts";
import { storageKey } from "../secrets.ts";
import type { Server } from "../server.ts";
import { createGrant } from "./refresh_token.ts";

/**
 * Stores the grant of an ID token under the digest of the token.
 *
 * @param exp When the token expires, in seconds since the epoch.
 */
export async function storeIdToken(
  server: Server,
  token: string,
  authorization: Authorization,
  subject: Subject,
  exp: number,
): Promise<void> {
  const grant: Grant = authorization.grant ?? await createGrant(server, authorization, subject);
  const { grantId } = authorization;
  await server.store.put("id_token", await storageKey(server, token), { grant }, { grantId, expiresAt: exp * 1000 });
}

/** The grant of an ID token; `undefined` if the token was not stored. */
export async function findIdToken(server: Server, token: string): Promise<StoredRecord<GrantRecord> | undefined> {
  return await server.store.get("id_token", await storageKey(server, token));
}
