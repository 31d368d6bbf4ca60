/** The sector identifier of a client that registers itself (OpenID Connect Registration §5). */

import { OAuthError } from "../../oauth/errors.ts";
import { FetchLimitError, limiterOf } from "../../oauth/fetch_limiter.ts";
import { DocumentError, fetchDocument, parseJsonDocument } from "../../oauth/outbound.ts";
import type { Server } from "../../oauth/server.ts";
import type { RegisteringClient } from "../../oauth/users/subject_type.ts";

/** The limits of the document. */
const sectorLimits = { accept: "application/json", maxBytes: 64 * 1024, timeoutMs: 5000 };

/**
 * Verifies that the document at the `sector_identifier_uri` lists every redirect URI of the client. Otherwise a client
 * could choose the sector of another client and correlate its users.
 *
 * @throws {OAuthError} `invalid_client_metadata`.
 */
export async function assertSector(server: Server, { id, metadata, redirectUris }: RegisteringClient): Promise<void> {
  const { sector_identifier_uri: uri } = metadata;
  if (uri === undefined) return;
  let listed: unknown;
  try {
    limiterOf(server).count(uri, { isInUse: server.clients.isInUse(id), address: server.sender?.address });
    listed = parseJsonDocument((await fetchDocument(server.outbound, uri, sectorLimits)).text);
  } catch (cause) {
    if (!(cause instanceof DocumentError || cause instanceof FetchLimitError)) throw cause;
    throw invalidSector("the document cannot be fetched", cause.expected, cause.received, cause);
  }
  const missing = Array.isArray(listed) ? redirectUris.filter((redirectUri) => !listed.includes(redirectUri)) : [];
  if (Array.isArray(listed) && missing.length === 0) return;
  throw invalidSector(
    "the document does not list every redirect URI of the client",
    redirectUris.join(" "),
    missing.length > 0 ? `a list without ${missing.join(" ")}` : "no JSON array",
  );
}

/** The same sentence for the client, whatever was fetched (SSRF); the trace has the reason. */
function invalidSector(reason: string, expected: string, received: string, cause?: unknown): OAuthError {
  const sentence = "the document there cannot be fetched, or does not list every redirect URI";
  return new OAuthError("invalid_client_metadata", `sector_identifier_uri: ${sentence}`, {
    rule: "DR-08",
    reason: `sector_identifier_uri: ${reason}`,
    expected,
    received,
    cause,
  });
}
