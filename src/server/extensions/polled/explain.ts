/** Explains rejections of polls and decisions. */

import type { RejectionTexts } from "../../explain/rule_text.ts";
import { removedClient } from "../../clients/client_texts.ts";
import type { DecidedRequest, EarlyPoll, UnusableCode, WrongPollClient } from "./rules.ts";

/** Explains a code that cannot be exchanged, or not yet. */
export function explainCode(facts: UnusableCode): RejectionTexts {
  const { parameter, codeName, requestName, decidedAt } = facts.names;
  switch (facts.problem) {
    case "missing":
      return { expected: `${parameter} of the ${requestName} response`, received: `no ${parameter}` };
    case "unknown":
      return {
        reason: `the ${codeName} is unknown`,
        expected: `the ${codeName} that this server issued, unchanged`,
        received: `an unknown ${codeName}, or one that expired long ago`,
      };
    case "used":
      return {
        reason: `the ${codeName} was used before`,
        expected: `each ${codeName} once`,
        received: "one that was used before",
        earlier: `tokens issued at ${new Date(facts.consumedAt).toISOString()}`,
      };
    case "expired":
      return {
        expected: `before ${new Date(facts.validUntil).toISOString()}`,
        received: new Date(facts.now).toISOString(),
        fix: `Stop polling, and start a new ${requestName} if the user still wants to log in.`,
      };
    case "pending":
      return { expected: `the user's decision at ${decidedAt}`, received: "none yet" };
    case "denied":
      return {
        expected: "the user's approval",
        received: "Deny",
        fix: "Stop polling, and show that access was denied. Start again only if the user asks for it.",
      };
  }
}

/** Explains a poll that came too early. */
export function explainPace({ notBefore, now }: EarlyPoll): RejectionTexts {
  return {
    expected: `no poll before ${new Date(notBefore).toISOString()}`,
    received: `one at ${new Date(now).toISOString()}`,
  };
}

/** Explains a client that may not start requests, or that has not started this one. */
export function explainPollClient(facts: WrongPollClient): RejectionTexts {
  const { clientId } = facts;
  switch (facts.problem) {
    case "public":
      return { expected: "a client with a secret or keys", received: `the public client ${clientId}` };
    case "grant type":
      return {
        expected: `grant_types with ${facts.type}`,
        received: facts.grantTypes.join(" "),
        change: { client_id: clientId, isNew: false, grant_type: facts.type },
      };
    case "other":
      return {
        reason: `the ${facts.codeName} belongs to another client`,
        expected: `client ${facts.issuedTo}`,
        received: `client ${clientId}`,
      };
    case "removed":
      return removedClient(clientId);
  }
}

/** Explains a request that waits for no decision. */
export function explainDecided({ requestName }: DecidedRequest): RejectionTexts {
  return requestName === undefined
    ? { expected: "a request that waits for a decision", received: "none with this id" }
    : {
      expected: `a ${requestName} that waits for a decision`,
      received: "a request with a decision, or an expired request",
    };
}
