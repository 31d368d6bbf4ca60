/** Authorizes requests to the control: programs on a test host or with the secret, never pages of another origin. */

import type { Context } from "../../core/http/context.ts";
import { rejectUntrustedHost } from "../../core/http/cross_site.ts";
import { HttpError } from "../../core/http/message.ts";
import { isSameOrigin } from "../../server/pages/same_origin.ts";
import { quote } from "../../server/config/config_issue.ts";
import { constantTimeEqual, digest } from "../../core/keys/secrets.ts";
import { readAuthorization } from "../../core/token/tokens/sent_token.ts";

/**
 * Rejects a request that may not use the control.
 *
 * @param secret The required bearer token (RFC 6750 §2.1). Absent: none is required, on test hosts only.
 * @throws {HttpError} 403 for an untrusted host (DNS rebinding) or a page of another origin (CSRF), 401 without secret.
 */
export async function authorizeRequest({ server, request }: Context, secret: string | undefined): Promise<void> {
  rejectUntrustedHost(server, request, "CO-02");
  if (!isSameOrigin(request, new URL(server.issuer).origin)) {
    throw new HttpError(403, "CO-03", "A page of another origin may not use the control", {
      expected: "a request without Origin, or with the origin of the issuer",
      received: quote(request.headers.get("origin") ?? request.headers.get("sec-fetch-site")),
    });
  }
  if (secret === undefined) return;
  const { token: sent } = readAuthorization(request.headers.get("authorization"));
  if (sent !== undefined && constantTimeEqual(await digest(sent), await digest(secret))) return;
  throw new HttpError(401, "CO-01", "The control requires its secret", {
    expected: "Authorization: Bearer, followed by the secret",
    received: sent === undefined ? "no bearer token" : "a bearer token that is not the secret",
  });
}
