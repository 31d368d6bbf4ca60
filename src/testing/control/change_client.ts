/** Changes single members of the metadata of a client. */

import type { ClientEntry, ClientMetadata, HostedClient } from "../../server/config/client_metadata.ts";
import { asServerPolicy } from "../../server/config/server_policy.ts";
import { keptRegistration, keptSecret } from "../../server/clients/changed_client.ts";
import { assertNoIssues } from "../../core/rules/configuration_error.ts";
import { quote, validate } from "../../server/config/config_issue.ts";
import type { HostedServer } from "../../server/hosted_server.ts";
import { ControlError, notFound } from "./control_error.ts";

/** @internal The members of client metadata to set, and `null` for each member to remove (RFC 7396). */
export type MetadataChanges = { readonly [Name in keyof ClientMetadata]?: ClientMetadata[Name] | null };

/**
 * Changes a client. Members that are not named stay, including the secret.
 *
 * @throws {ControlError} If the client is not registered, or must sign assertions with a secret of which the server has
 * only the digest.
 * @throws {ConfigurationError} With one sentence for each issue of the changed metadata.
 */
export async function changeClient(
  server: HostedServer,
  client_id: string,
  changes: MetadataChanges,
): Promise<HostedClient> {
  const { registered } = server.clients;
  const changed = await registered.update(client_id, (current) => changedEntry(server, current, changes));
  if (changed !== undefined) return changed;
  throw unknownClient(client_id);
}

async function changedEntry(
  server: HostedServer,
  former: HostedClient,
  changes: MetadataChanges,
): Promise<ClientEntry> {
  const client_id = former.id;
  const merged = Object.entries({ ...former.metadata, ...changes, client_id }).filter(([, value]) => value !== null);
  const metadata = Object.fromEntries(merged) as unknown as ClientEntry;
  assertNoIssues([
    ...validate(asServerPolicy(server.policy).clientField, metadata),
    ..."client_id" in changes
      ? [{
        path: "changes.client_id",
        expected: "nothing, because the identifier of a client does not change",
        received: quote(changes.client_id),
        hint: "Remove it, or create another client by /clients/set.",
      }]
      : [],
  ]);
  const { token_endpoint_auth_method: method } = metadata;
  const secret = "client_secret" in changes ? {} : await keptSecret(former, method);
  const hasDigestOnly = secret === undefined && former.secretDigest !== undefined;
  if (hasDigestOnly && method === "client_secret_jwt") throw unknownSecret();
  return { ...metadata, ...secret, ...keptRegistration(server, former, metadata) };
}

function unknownSecret(): ControlError {
  return new ControlError(422, "The server has only a digest of the secret, which cannot verify client assertions.", [{
    place: "changes.client_secret",
    expected: `the secret, because token_endpoint_auth_method is "client_secret_jwt"`,
    received: "nothing",
    fix: "Add client_secret.",
  }]);
}

/** The rejection of a client that is not registered. */
export function unknownClient(clientId: string): ControlError {
  return notFound("No client has this client_id.", "client_id", "a registered client", clientId);
}
