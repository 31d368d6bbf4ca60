/** Texts of the rules of dynamic client registration and its management. */

import { explainMissingToken } from "../../explain/missing_token.ts";
import type { RejectionTexts, RuleTexts } from "../../explain/rule_text.ts";
import { alsoInvalid, firstIssue, type registrationRules } from "./rules.ts";
import { describeOff } from "./settings.ts";
import type { InvalidMetadata, InvalidSector, UnacceptedStatement } from "./rules.ts";

const tokenProblems = {
  unknown: "the client is unknown or deleted",
  configured: "the client did not register itself",
  "other token": "the registration access token is not that of this client, or was replaced",
} as const;

function explainMetadata(facts: InvalidMetadata): RejectionTexts {
  const { path, expected, received, hint } = firstIssue(facts);
  const others = alsoInvalid(
    facts,
    (issue) => `${issue.path} (expected ${issue.expected}, received ${issue.received})`,
  );
  return { fix: hint, reason: `${path} of the client metadata is invalid${others}`, expected, received };
}

function explainSector(facts: InvalidSector): RejectionTexts {
  if (facts.sector === "unfetched") {
    const { expected, received } = facts;
    return { reason: "sector_identifier_uri: the document cannot be fetched", expected, received };
  }
  const { redirectUris, missing } = facts;
  return {
    reason: "sector_identifier_uri: the document does not list every redirect URI of the client",
    expected: redirectUris.join(" "),
    received: missing.length > 0 ? `a list without ${missing.join(" ")}` : "no JSON array",
  };
}

function explainStatement(facts: UnacceptedStatement): RejectionTexts {
  switch (facts.problem) {
    case "invalid": {
      const { why, expected, received = "another value", fix } = facts;
      return { reason: `the software statement is invalid: ${why}`, expected, received, fix };
    }
    case "issuer": {
      const { expected, issuer } = facts;
      return { expected, received: typeof issuer === "string" ? `iss ${issuer}` : "a statement without iss" };
    }
    case "URI": {
      const { member, approved, received } = facts;
      return {
        expected: approved.join(" or ") || `no ${member}`,
        received,
        fix: `Send ${member} of the software statement, or leave ${member} out.`,
      };
    }
  }
}

/** By ID, in the order of `tests/rules.md`. */
export const registrationTexts = {
  "DR-01": { passes: "the client is registered" },
  "DR-02": {
    fix: "Leave client_id and client_secret out: the server chooses both, and the response contains them.",
  },
  "DR-03": {
    fix: "Send the client metadata as one JSON object, with Content-Type: application/json.",
  },
  "DR-04": {
    passes: "the client metadata is valid and free of conflicts",
    fix: "Correct the named member of the metadata, or leave it out for its default.",
    explain: explainMetadata,
  },
  "DR-05": {
    passes: "the client may register",
    fix:
      "Send an initial access token as Authorization: Bearer TOKEN; registration.initialAccessTokens lists the valid tokens. After 429, wait as long as Retry-After says.",
    explain: (facts) =>
      "retryAfter" in facts
        ? { expected: `no registration for ${facts.retryAfter} seconds`, received: "another registration" }
        : {
          expected: "Authorization: Bearer TOKEN, with one of registration.initialAccessTokens",
          received: facts.hasToken ? "an unknown token" : "no bearer token",
        },
  },
  "DR-06": {
    passes: "the registration access token belongs to this client",
    fix:
      "Send the registration_access_token of the most recent response as Authorization: Bearer TOKEN, to the registration_client_uri of the same response. Each PUT replaces the token. A deleted client must register again.",
    explain: (facts) =>
      "header" in facts ? explainMissingToken(facts) : {
        reason: tokenProblems[facts.problem],
        expected: "the registration_access_token of the most recent response, for this client",
        received: "another token",
      },
  },
  "DR-07": {
    passes: "the request names the client and changes only its metadata",
    fix:
      "Send the whole metadata with client_id, and client_secret only unchanged. Leave out registration_access_token, registration_client_uri, client_secret_expires_at and client_id_issued_at.",
    explain: (facts) => {
      switch (facts.problem) {
        case "members":
          return { expected: "metadata only", received: facts.names.join(", ") };
        case "client_id":
          return { expected: facts.clientId, received: facts.isSent ? "another client_id" : "no client_id" };
        case "client_secret":
          return { expected: "the current secret, or none", received: "another value" };
      }
    },
  },
  "DR-08": {
    fix:
      "Use an https URL; http works on test hosts. At sector_identifier_uri, publish a JSON array of all redirect URIs where this server can fetch it.",
    explain: (facts) => "sector" in facts ? explainSector(facts) : explainMetadata(facts),
  },
  "DR-09": {
    passes: "the number of registered clients is within the limit",
    fix:
      "Increase registration.maxClients, or delete clients that are not needed. Register once and store the client_id. A removed client must register again.",
    explain: (facts) =>
      facts.problem === "removed"
        ? {
          expected: "a client that is registered",
          received: "a client that was removed at this moment, after a long time without use",
        }
        : {
          expected: `at most ${facts.maxClients} clients without an initial access token`,
          received: "one more client, although all others were used or registered recently",
        },
  },
  "DR-10": {
    passes: "a configured issuer signed the software statement",
    fix:
      "Send a signed, current software statement of an issuer in registration.softwareStatementIssuers, or leave it out.",
    explain: explainStatement,
  },
  "DR-13": {
    fix: "Shorten the metadata, or register with an initial access token, which allows up to 64 kB.",
    explain: ({ unit, limit, count }) =>
      unit === "bytes"
        ? { expected: `at most ${limit} bytes of JSON`, received: `${count} bytes` }
        : { expected: `at most ${limit} redirect URIs`, received: String(count) },
  },
  "DR-12": {
    fix:
      'Set registration.mode to "token" and add registration.initialAccessTokens, or on a test host set registration.mode to "open". Or configure the client, or use a client ID metadata document.',
    explain: (facts) => ({
      reason: describeOff(facts),
      fix: facts.byProfile === ""
        ? undefined
        : "Use the URL of a client ID metadata document as the client_id, or configure the client.",
    }),
  },
} as const satisfies RuleTexts<typeof registrationRules>;
