/** Explains scope values and resources that were rejected or ignored. */

import { resourceLimits } from "../../core/request/scope.ts";
import { suggest } from "../config/config_issue.ts";
import type { RuleExplanation } from "../../core/errors.ts";
import { separatorFix } from "../config/separators.ts";
import { redactText } from "../redaction/redact.ts";
import type { MissingScope, ScopeValues, WrongScope } from "../../core/rules/authorize.ts";
import type { ByProfile } from "../../core/rules/rule.ts";
import type { WrongResource } from "../../core/rules/token.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { RejectionTexts } from "./rule_text.ts";

/** Maximum length of the unknown values in a message, in characters. */
const maxNamedLength = 200;

/** The scope values that a message may repeat; an error response repeats no other characters of a request. */
const namedToken = /^[\w.:/-]+$/;

/** Maximum number of unknown values for which a known value is suggested. */
const maxSuggestions = 4;

/** A sentence to append to a reason: it suggests the nearest known values. Empty if no value is near. */
export function suggestScope(unknown: readonly string[], known: readonly string[]): string {
  const meant = new Set(unknown.slice(0, maxSuggestions).flatMap((token) => suggest(token, known) ?? []));
  return meant.size > 0 ? `. Did you mean ${[...meant].join(" ")}?` : "";
}

/** Explains unknown scope values. */
export function explainUnknownScope(
  { requested, registered }: ScopeValues,
  server: HostedServer,
  effect: string,
): RuleExplanation {
  const { settings: { scopes }, registeredSecrets } = server;
  const unknown = requested.filter((token) => !scopes.includes(token));
  const others = registered.filter((token) => !requested.includes(token));
  const names = unknown.filter((token) => namedToken.test(token)).join(" ").slice(0, maxNamedLength);
  const named = names === "" ? effect : `${effect}: ${redactText(names, registeredSecrets)}`;
  return {
    rule: "AZ-17",
    reason: named + suggestScope(unknown, others),
    expected: `some of: ${registered.join(" ")}`,
    received: requested.join(" "),
    fix: separatorFix("scope", requested.join(" "), scopes),
  };
}

/** Explains a scope that the client may not request. */
export function explainScope(facts: WrongScope, server: HostedServer): RejectionTexts {
  if (facts.problem === "unknown") return explainUnknownScope(facts, server, "unknown scope");
  const { problem, clientId, requested, registered, disallowed } = facts;
  const scope = disallowed.join(" ");
  return {
    expected: `some of: ${registered.join(" ")}`,
    received: requested.join(" ") || "no scope value",
    fix: problem === "not for users" ? `Request ${scope} with the grant type client_credentials.` : undefined,
    change: problem === "not for users" || scope === "" ? undefined : { client_id: clientId, isNew: false, scope },
  };
}

/** Explains a request without scope. */
export function explainMissingScope(facts: MissingScope): RejectionTexts {
  return {
    reason: "disallowed" in facts
      ? `scope is missing, and client ${facts.clientId} may not request the default scope: ${
        facts.disallowed.join(" ")
      }`
      : undefined,
    expected: `some of: ${facts.registered.join(" ")}`,
    received: "no scope",
  };
}

/** Explains a request without resource. */
export function explainMissingResource({ byProfile }: ByProfile, { audience }: HostedServer): RuleExplanation {
  return {
    rule: "MC-02",
    reason: `resource is missing${byProfile}; if no request of the flow names one, the access token is for ${audience}`,
    expected: "resource with the URI of the protected resource, in the authorization request and in the token request",
    received: "no resource",
  };
}

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
      const configured = server.settings.resources?.map(({ uri }) => uri) ?? [];
      return {
        expected: [...configured, ...hosted].join(" or "),
        publicExpected: "a resource of this server",
        received,
        fix: "Send a resource of this server, or add this one to the setting resources.",
      };
    }
    case "unsuitable":
      return {
        expected: "an https URI, or an http URI on a test host, that is not the client_id of a client",
        received,
        fix: "Use https, and the URI of the resource itself.",
      };
  }
}
