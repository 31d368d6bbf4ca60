/** Explains a `client_id` that no client has, and a failed client authentication. */

import { byProfile } from "../config/server_policy.ts";
import { describeKnownIds, describeRemovedClient, howToAuthenticate, withNearest } from "../clients/client_texts.ts";
import type { FailedAuthentication } from "../../core/rules/token.ts";
import type { Repeated, UnknownClient } from "../../core/rules/authorize.ts";
import type { HostedServer } from "../hosted_server.ts";
import { explainRepeated, quotedUrlFix } from "./parameters.ts";
import type { RejectionTexts } from "./rule_text.ts";

export function explainClientId(facts: UnknownClient | Repeated | undefined, server: HostedServer): RejectionTexts {
  if (facts === undefined) {
    const fix = `Send client_id once, exactly as it is registered. ${quotedUrlFix}`;
    return { expected: "client_id of a registered client", received: "no client_id", fix };
  }
  if ("repeated" in facts) return explainRepeated(facts);
  const { id, redirectUri } = facts;
  const known = describeKnownIds(server, id);
  return {
    reason: withNearest("client_id is not registered", known),
    expected: known.expected,
    publicExpected: "the client_id of a registered client",
    received: id,
    fix: "Send the client_id of a registered client, or register this one in the configuration file " +
      "or on the Clients page.",
    ...describeRemovedClient(server, id),
    // The request does not say whether the client has a secret: both kinds send a code challenge. The form asks.
    change: { client_id: id, isNew: true, redirect_uri: redirectUri },
  };
}

/** Explains a failed client authentication. On real hosts the work does not depend on whether the client exists. */
export function explainFailedAuthentication(facts: FailedAuthentication, server: HostedServer): RejectionTexts {
  switch (facts.failure) {
    case "no client":
      return {
        reason: "the request identifies no client",
        expected: "HTTP Basic of a confidential client, or client_id in the body of a public client",
        received: "neither",
        fix: "Send client_id in the body, or HTTP Basic if the client has a secret.",
      };
    case "unknown client":
      return explainUnknownClient(facts, server);
    case "not authenticated": {
      const { id, registered, accepted } = facts;
      return {
        reason: `client ${id} is confidential and must authenticate`,
        expected: accepted.join(" or "),
        received: "client_id without authentication",
        fix: `${
          howToAuthenticate({ authMethod: registered })
        } If it can keep no secret, register it with token_endpoint_auth_method: "none".`,
        change: { client_id: id, isNew: false },
      };
    }
    case "another method": {
      const { id, registered, used } = facts;
      return {
        reason: registered === "none"
          ? `client ${id} is public and has no secret; this request used ${used}`
          : `client ${id} must use ${registered}; this request used ${used}`,
        expected: registered,
        received: used,
        fix: `${
          howToAuthenticate({ authMethod: registered })
        } Or register it with token_endpoint_auth_method: "${used}".`,
        // A public client that sends a secret probably has one.
        change: (sendsSecret(registered) || registered === "none") && sendsSecret(used)
          ? { client_id: id, isNew: false, token_endpoint_auth_method: used }
          : undefined,
      };
    }
    case "wrong secret":
      return {
        reason: `the secret of client ${facts.id} is wrong; this request used ${facts.used}`,
        fix: "Copy client_secret from the registration: complete, without spaces, quotation marks or a newline.",
        change: { client_id: facts.id, isNew: false },
      };
    case "expired secret":
      return {
        reason: "the secret has expired",
        expected: "a secret that is still valid",
        received: `one that expired at ${new Date(facts.at * 1000).toISOString()}`,
      };
    case "method not offered":
      return {
        reason: `this server does not offer ${facts.used}${byProfile(facts.policy, "clientAuthMethods")}`,
        expected: facts.policy.clientAuthMethods.join(" or "),
        received: facts.used,
      };
    case "public client":
      return {
        reason: "introspection requires client authentication",
        expected: "a confidential client",
        received: `${facts.id}, which is public`,
        fix: `Use a client that authenticates, such as one of the API that received the token: ${facts.id} is public.`,
      };
  }
}

/** Whether the client sends its secret itself. A client that names no method may do so in both ways. */
function sendsSecret(method: string): boolean {
  return method === "client_secret_basic" || method === "client_secret_post";
}

function explainUnknownClient(
  { id, used, isSwapped }: Extract<FailedAuthentication, { readonly failure: "unknown client" }>,
  server: HostedServer,
): RejectionTexts {
  const received = isSwapped
    ? "the client_id instead of the secret"
    : used === "client_secret_basic" && id !== undefined
    ? `a user name of ${id.length} characters`
    : id;
  // On real hosts the work must not depend on whether a client exists (CA-07).
  const known = server.policy.allows.explanations && id !== undefined
    ? describeKnownIds(server, id)
    : { expected: "the client_id of a registered client" };
  return {
    reason: withNearest("the client is unknown", known),
    expected: known.expected,
    received,
    fix: "Send the client_id of a registered client, and not its secret or name.",
    ...describeRemovedClient(server, id),
    change: id === undefined || received !== id
      ? undefined
      : { client_id: id, isNew: true, token_endpoint_auth_method: used },
  };
}
