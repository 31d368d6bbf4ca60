/** The sector identifier of a client that registers itself (OpenID Connect Registration §5). */

import { metadataOf } from "../../config/client_metadata.ts";
import { FetchLimitError } from "../../fetching/fetch_limiter.ts";
import { DocumentError, fetchDocument, parseJsonDocument } from "../../fetching/outbound.ts";
import type { Client } from "../../../core/clients/clients.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { reject } from "./rules.ts";

const sectorLimits = { accept: "application/json", maxBytes: 64 * 1024, timeoutMs: 5000 };

/**
 * Verifies that the document at the `sector_identifier_uri` lists every redirect URI of the client. Otherwise a client
 * could choose the sector of another client and correlate its users. A server without pairwise subjects has no sectors.
 *
 * @throws {OAuthError} `invalid_client_metadata`.
 */
export async function assertSector(
  server: HostedServer,
  client: Pick<Client, "id" | "metadata" | "redirectUris">,
): Promise<void> {
  const { id, redirectUris } = client;
  const { sector_identifier_uri: uri } = metadataOf(client);
  if (uri === undefined || !server.policy.subjectTypes.includes("pairwise")) return;
  let listed: unknown;
  try {
    const { limiter, isInUse, send } = server.fetching;
    const cause = { isInUse: isInUse(id), address: server.sender?.address };
    const { text } = await limiter.run(uri, cause, () => fetchDocument(send, uri, sectorLimits));
    listed = parseJsonDocument(text, uri);
  } catch (cause) {
    if (!(cause instanceof DocumentError || cause instanceof FetchLimitError)) throw cause;
    throw reject("DR-08", { sector: "unfetched", expected: cause.expected, received: cause.received }, { cause });
  }
  const missing = Array.isArray(listed) ? redirectUris.filter((redirectUri) => !listed.includes(redirectUri)) : [];
  if (Array.isArray(listed) && missing.length === 0) return;
  throw reject("DR-08", { sector: "incomplete", redirectUris, missing });
}
