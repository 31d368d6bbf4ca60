/** Texts of the rules of pushed authorization requests (RFC 9126). */

import type { RejectionTexts, RuleTexts } from "../../explain/rule_text.ts";
import { removedClient } from "../../clients/client_texts.ts";
import type { pushedRequestRules, UnusableRequestUri, WrongReference } from "./rules.ts";

const missingClientId = {
  expected: "client_id, even if the request authenticates the client in another way",
  received: "no client_id",
} as const;

function explainReference(facts: WrongReference): RejectionTexts {
  switch (facts.problem) {
    case "no client_id":
      return missingClientId;
    case "repeated":
      return { expected: `${facts.repeated} once`, received: `${facts.repeated} more than once` };
    case "removed client":
      return removedClient(facts.clientId);
    case "other client":
      return {
        expected: "a request_uri that the client of client_id has pushed",
        received: `the request_uri of another client, with client_id ${facts.clientId}`,
      };
  }
}

function describeRequestUri(facts: UnusableRequestUri): string {
  switch (facts.problem) {
    case "unknown":
      return "it is unknown, or was used or expired long ago";
    case "used":
      return `it was used at ${new Date(facts.at).toISOString()}`;
    case "expired":
      return `it expired at ${new Date(facts.at).toISOString()}`;
    case "too late":
      return "it was used a moment ago, or the login took too long";
  }
}

/** By ID, in the order of `tests/rules.md`. */
export const pushedRequestTexts = {
  "PA-01": {
    fix:
      "Post the authorization parameters as a form, client_id among them, and authenticate as at the token endpoint.",
    explain: (facts) =>
      facts.problem === "no client_id" ? missingClientId : {
        expected: `at most ${facts.limit} characters of JSON`,
        received: `${facts.length} characters`,
      },
  },
  "PA-04": {
    fix: "Push the parameters themselves, without request_uri.",
    explain: () => ({ expected: "the parameters themselves", received: "request_uri" }),
  },
  "PA-05": {
    passes: "the client of client_id has pushed the request of request_uri",
    fix: "Send the client_id of the client that pushed the request, and its request_uri, each once.",
    explain: explainReference,
  },
  "PA-06": {
    fix: "Push a new request for each login, and redirect the browser immediately.",
    explain: (facts) => ({
      expected: `a request_uri that was pushed less than ${facts.lifetimeSeconds} seconds ago and not used yet`,
      received: describeRequestUri(facts),
    }),
  },
  "PA-07": {
    fix: "Push the parameters to the pushed_authorization_request_endpoint, and send the request_uri of its response.",
    explain: ({ clientId, isSetting, byProfile }) => ({
      reason: isSetting
        ? `the setting requirePushedAuthorizationRequests demands pushed authorization requests${byProfile}`
        : `client ${clientId} is registered with require_pushed_authorization_requests`,
      expected: "client_id and the request_uri of a pushed authorization request",
      received: "the parameters themselves",
    }),
  },
} as const satisfies RuleTexts<typeof pushedRequestRules>;
