/** Changes single members of the metadata of a client. */

import type { ClientEntry, ClientMetadata, HostedClient } from "../../server/config/client_metadata.ts";
import { clientField } from "../../server/hosting/extensions.ts";
import { hasNewIdentity } from "../../server/entries/client_identity.ts";
import { assertNoIssues, quote } from "../../server/config/config_issue.ts";
import { validate } from "../../server/config/field.ts";
import { randomId } from "../../core/secrets.ts";
import type { HostedServer } from "../../server/hosted_server.ts";
import { changeRecord } from "./change_record.ts";
import { ControlError } from "./control_error.ts";

/** @internal The members of client metadata to set, and `null` for each member to remove (RFC 7396). */
export type MetadataChanges = { readonly [Name in keyof ClientMetadata]?: ClientMetadata[Name] | null };

/**
 * Changes a client. Members that are not named stay, including the secret.
 *
 * @throws {ControlError} If the client is not registered, or must sign assertions with a secret of which the server has
 * only the digest.
 * @throws {ConfigurationError} With one sentence for each issue of the changed metadata.
 */
export function changeClient(server: HostedServer, client_id: string, changes: MetadataChanges): Promise<HostedClient> {
  return changeRecord(server, "client", client_id, () => replaceClient(server, client_id, changes));
}

async function replaceClient(server: HostedServer, client_id: string, changes: MetadataChanges): Promise<HostedClient> {
  const { registered } = server.clients;
  const former = await registered.find(client_id);
  if (former === undefined) throw unknownClient(client_id);
  const merged = Object.entries({ ...former.metadata, ...changes, client_id }).filter(([, value]) => value !== null);
  const metadata = Object.fromEntries(merged) as unknown as ClientEntry;
  assertNoIssues([
    ...validate(clientField, metadata),
    ..."client_id" in changes
      ? [{
        path: "changes.client_id",
        expected: "nothing, because the identifier of a client does not change",
        received: quote(changes.client_id),
        hint: "Remove it, or create another client by /clients/set.",
      }]
      : [],
  ]);
  const { registration } = former;
  const identity = hasNewIdentity(former.metadata, metadata) ? { identity: randomId(server.randomBytes) } : {};
  return await registered.set({
    ...metadata,
    ..."client_secret" in changes ? {} : await storedSecret(former, metadata),
    ...registration && { registration: { ...registration, ...identity } },
  } as ClientEntry);
}

/** The secret as it is stored: a digest, unless it is the HMAC key of client assertions (`client_secret_jwt`). */
async function storedSecret(
  { assertionSecret, secretDigest }: HostedClient,
  { token_endpoint_auth_method: method }: ClientEntry,
): Promise<Pick<ClientEntry, "client_secret" | "client_secret_digest">> {
  if (assertionSecret !== undefined) return { client_secret: assertionSecret };
  if (secretDigest === undefined) return {};
  if (method !== "client_secret_jwt") return { client_secret_digest: await secretDigest };
  throw new ControlError(422, "The server has only a digest of the secret, which cannot verify client assertions.", [{
    place: "changes.client_secret",
    expected: `the secret, because token_endpoint_auth_method is "client_secret_jwt"`,
    received: "nothing",
    fix: "Add client_secret.",
  }]);
}

/** The rejection of a client that is not registered. */
export function unknownClient(clientId: string): ControlError {
  const errors = [{ place: "client_id", expected: "a registered client", received: quote(clientId) }];
  return new ControlError(404, "No client has this client_id.", errors);
}
