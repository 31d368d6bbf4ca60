/** Explains a `client_id` that no client has. */

import { describeKnownIds, describeRemovedClient, withNearest } from "../clients/client_texts.ts";
import type { Repeated, UnknownClient } from "../../core/rules/authorize.ts";
import type { HostedServer } from "../hosted_server.ts";
import { explainRepeated, quotedUrlFix } from "./parameters.ts";
import type { RejectionTexts } from "./rule_text.ts";

/** Explains a `client_id` that is missing, repeated or unknown. */
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
    fix: "Send the client_id of a registered client, or register this one: " +
      "in the configuration file, or on the page of clients.",
    ...describeRemovedClient(server, id),
    // The request does not say whether the client has a secret: both kinds send a code challenge. The form asks.
    change: { client_id: id, isNew: true, redirect_uri: redirectUri },
  };
}
