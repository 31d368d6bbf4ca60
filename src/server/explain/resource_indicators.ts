/** Texts of the rules of the resources that requests name (RFC 8707). */

import type { HostedServer } from "../hosted_server.ts";
import { type resourceIndicatorRules, resourceLimits, type WrongResource } from "../rules/resource_indicators.ts";
import { acceptedTexts, explainMissingResource } from "./accepted_texts.ts";
import type { RejectionTexts, RuleTexts } from "./rule_text.ts";

/** By ID, in the order of `tests/rules.md`. */
export const resourceIndicatorTexts = {
  "RI-03": {
    fix: "Send only resources of the authorization request, or none.",
    explain: ({ granted, requested }) => ({
      expected: granted.join(" or ") || "no resource, none was granted",
      received: requested.join(" "),
    }),
  },
  "RI-05": {
    fix: "Start a new login that requests a configured resource, or configure the granted resource again.",
    explain: ({ resources }) => ({ expected: "a grant for a configured resource", received: resources.join(" ") }),
  },
  "MC-02": {
    ...acceptedTexts["MC-02"],
    explain: explainMissingResource,
  },
} as const satisfies RuleTexts<typeof resourceIndicatorRules>;

/** Explains a resource that the server issues no access tokens for. */
export function explainResource({ uri: received, problem }: WrongResource, server: HostedServer): RejectionTexts {
  switch (problem) {
    case "too much": {
      const { count, uriLength, totalLength } = resourceLimits;
      return {
        expected: `at most ${count} URIs of at most ${uriLength} characters, and ${totalLength} in all`,
        received,
        fix: "Send only the resources that the token is for.",
      };
    }
    case "not absolute":
      return { expected: "an absolute URI without a fragment", received };
    case "unknown": {
      const hosted = server.resources.hosted.map(({ identifier }) => identifier);
      const { configured = [] } = server.resources;
      return {
        expected: [...configured, ...hosted].join(" or "),
        publicExpected: "a resource of this server",
        received,
        fix: "Send a resource of this server, or add this one to the setting resources.",
      };
    }
    case "unsuitable":
      return {
        expected: "an absolute URI, http only on a test host, that is not the client_id of a client",
        received,
        fix: "Use https, and the URI of the resource itself.",
      };
  }
}
