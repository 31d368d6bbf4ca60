/** Explains scope values that were rejected or ignored. */

import { suggest } from "../../core/policy/suggest.ts";
import type { RuleExplanation } from "../../core/rules/errors.ts";
import { separatorFix } from "../../core/policy/separators.ts";
import { redactText } from "../redaction/redact.ts";
import type { ScopeOfClients } from "../rules/own_scope.ts";
import type { MissingScope, ScopeValues, WrongScope } from "../../core/rules/authorize.ts";
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

export function explainUnknownScope(
  { requested, registered }: ScopeValues,
  server: HostedServer,
  effect: string,
): RuleExplanation {
  const { policy: { scopes }, registeredSecrets } = server;
  const unknown = requested.filter((token) => !scopes.includes(token));
  const others = registered.filter((token) => !requested.includes(token));
  const names = unknown.filter((token) => namedToken.test(token)).join(" ").slice(0, maxNamedLength);
  const named = names === "" ? effect : `${effect}: ${redactText(names, registeredSecrets)}`;
  const suggestion = suggestScope(unknown, others);
  const correctIt = "Correct the scope of the application. If the value is meant, add it to scopes of the server.";
  return {
    rule: "AZ-17",
    reason: named + suggestion,
    expected: `some of: ${registered.join(" ")}`,
    received: requested.join(" "),
    fix: separatorFix("scope", requested.join(" "), scopes) ?? (suggestion === "" ? undefined : correctIt),
  };
}

export function explainScope(facts: WrongScope | ScopeOfClients, server: HostedServer): RejectionTexts {
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
