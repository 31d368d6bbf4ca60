/** Introspection at Okta, which a client without a secret may use too. */

import { clientEndpoint } from "../../core/client_endpoint.ts";
import { describeToken } from "../../core/introspect.ts";
import type { Handlers } from "../../core/route.ts";
import { warn } from "../trace.ts";

/** A public client sees only its own tokens, and needs the token to see it. */
export const introspection: Handlers = clientEndpoint(async (server, request) => {
  const { client } = request;
  const response = await server.responses.introspection(server, request, await describeToken(server, request));
  if (!client.confidential) {
    warn(server, client.id, {
      rule: "CA-07",
      reason: "Okta lets a client without a secret introspect its own tokens; other servers do not",
      expected: "a client that authenticates (RFC 7662 §2.1)",
      received: "a public client",
      fix: "Verify access tokens by their signature, or introspect them at your API, with a secret.",
    });
  }
  return response;
}, { isChallenged: true });
