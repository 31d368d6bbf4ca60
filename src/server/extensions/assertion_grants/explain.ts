/** Texts of the rules of the JWT bearer grant (JB), and of ID-JAGs as its assertions (IJ). */

import type { RejectionTexts, RuleTexts } from "../../explain/rule_text.ts";
import { quote } from "../../config/config_issue.ts";
import { formatClaimTime } from "../../../platform/jwt/jwt_policies.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { ownTokenFix } from "./settings.ts";
import type { assertionGrantRules, WrongClaim } from "./rules.ts";
import type { InvalidTimes, UngrantableAccess, UntrustedIssuer, UnusableSubject, WrongAudience } from "./rules.ts";

function explainClaim({ claim, expected, received }: WrongClaim): RejectionTexts {
  return { reason: `${claim} of the assertion is not ${expected}`, expected: `${claim}: ${expected}`, received };
}

function explainIssuer(facts: UntrustedIssuer): RejectionTexts {
  if ("iss" in facts) {
    return {
      reason: "iss of the assertion is not a trusted issuer",
      expected: "iss of an entry of trustedIssuers, character by character",
      received: facts.iss ?? "absent",
    };
  }
  return {
    reason: "no entry of the issuer is for this tenant",
    expected: `tenant: ${facts.tenants.map((tenant) => tenant ?? "absent").join(" or ")}`,
    received: facts.tenant ?? "absent",
  };
}

function explainTimes(facts: InvalidTimes): RejectionTexts {
  if ("missing" in facts) {
    const { missing } = facts;
    const expected = missing === "sub" ? "the subject" : "exp in seconds since 1970";
    return { reason: `the assertion has no ${missing}`, expected, received: `no ${missing}` };
  }
  if ("problem" in facts) {
    const { reason, expected, received } = facts.problem;
    return { reason: `the assertion is invalid: ${reason}`, expected, received };
  }
  if ("authTime" in facts) {
    return {
      reason: "auth_time of the assertion is in the future",
      expected: `auth_time before ${formatClaimTime(facts.now)}`,
      received: formatClaimTime(facts.authTime),
    };
  }
  return {
    reason: "the assertion is valid for too long",
    expected: `at most ${facts.maxLifetime} seconds from iat to exp`,
    received: `${Math.ceil(facts.lifetime)} seconds`,
  };
}

function explainAudience({ accepted, audience }: WrongAudience): RejectionTexts {
  return {
    reason: "the assertion has another audience",
    expected: `aud = ${accepted.join(" or ")}`,
    received: audience.join(" ") || "no aud",
  };
}

function explainSubject(facts: UnusableSubject): RejectionTexts {
  if (facts.problem === "other client") {
    const { mapped, clientId } = facts;
    return { reason: `assertions about this subject are for client ${mapped}`, expected: mapped, received: clientId };
  }
  if (facts.problem === "like a client") {
    return {
      reason: "only auth_time would distinguish the token of this user from a token of the client with the same id",
      expected: "auth_time in the assertion, or another client",
      received: "no auth_time",
    };
  }
  return {
    reason: "the subject of the assertion is not a user of this server",
    expected: facts.users === "email"
      ? "the email of exactly one user, with email_verified: true"
      : facts.users === "aud_sub"
      ? "an aud_sub that is the sub of a registered user"
      : "a sub that trustedIssuers maps to a registered user or a client",
    received: facts.subject,
  };
}

async function explainAccess(facts: UngrantableAccess, server: HostedServer): Promise<RejectionTexts> {
  if ("invalidDetails" in facts) {
    const { message, details } = await server.explainError(server, facts.invalidDetails);
    return {
      reason: `authorization_details of the ID-JAG is invalid: ${message}`,
      expected: details.expected,
      received: details.received,
      fix: "Have the identity provider issue an ID-JAG whose authorization_details match the types of this server.",
    };
  }
  if ("byProfile" in facts) {
    return {
      reason: `the ID-JAG names no resource, and one is expected${facts.byProfile}`,
      expected: "resource with the URI of the protected resource",
      received: "no resource",
    };
  }
  return {
    expected: facts.allowed.join(" or ") || "a registered resource",
    received: facts.claimed?.join(" ") || "no resource",
  };
}

/** By ID, in the order of `tests/rules.md`. */
export const assertionGrantTexts = {
  "JB-01": {
    fix: "Send one assertion: a signed JWT of the issuer, unchanged.",
    explain: ({ problem }) =>
      problem === "missing" ? { expected: "assertion, a JWT of a trusted issuer", received: "no assertion" } : {
        reason: "the assertion is not a signed JWT",
        expected: "three parts of canonical base64url without padding",
        received: "text that is not a JWT",
      },
  },
  "JB-02": {
    fix: "Read the reason in the terminal, on the page of the flow or in the log of the mock.",
  },
  "JB-03": {
    passes: "iss of the assertion is a trusted issuer",
    fix: "Add the issuer to the setting trustedIssuers, spelt exactly as the iss of its assertions.",
    explain: (facts) => "claim" in facts ? explainClaim(facts) : explainIssuer(facts),
  },
  "JB-04": {
    passes: "the assertion is valid now",
    fix: "Request a new assertion with sub, iat and exp. Compare both clocks. For longer lifetimes, set maxLifetime.",
    explain: (facts) => "claim" in facts ? explainClaim(facts) : explainTimes(facts),
  },
  "JB-05": {
    passes: "aud contains this server",
    fix: "Request the assertion for the issuer of this server, as its metadata spells it.",
    explain: (facts) => "claim" in facts ? explainClaim(facts) : explainAudience(facts),
  },
  "JB-06": {
    passes: "a key of the issuer verifies the signature",
    fix: "Sign with a key of the issuer's jwks or jwks_uri and one of its algorithms.",
    explain: ({ issuer, failure, expected = `a signature by a key of ${issuer}`, received, fix }) => ({
      reason: failure === undefined ? `the keys of ${issuer} cannot be used` : `the assertion is invalid: ${failure}`,
      ...{ expected, received, fix },
    }),
  },
  "JB-07": {
    passes: "the assertion is not a token of another kind",
    fix:
      'Send an assertion, not an access token, a proof or a logout token. An ID-JAG needs grantProfile: "id-jag" in the entry of its issuer.',
    explain: (facts) => {
      if ("ownIssuer" in facts) {
        return {
          reason: "this server itself issued the assertion",
          expected: "an assertion of a trusted issuer",
          received: facts.ownIssuer,
          fix: ownTokenFix,
        };
      }
      const { isIdJag, expected, received } = facts;
      const reason = isIdJag
        ? `the assertion is an ID-JAG, and the entry of its issuer has no grantProfile "id-jag"`
        : "the assertion is a token of another kind";
      return { reason, expected, received };
    },
  },
  "JB-08": {
    passes: "the client may use assertions of this issuer",
    fix: "Authenticate the client, and add it to clients in the entry of the issuer if that lists clients.",
    explain: (facts) => {
      const { problem, clientId } = facts;
      if (problem === "public") {
        return {
          expected: "a client that authenticates, or allowPublicClients in the entry of the issuer",
          received: `the public client ${clientId}`,
        };
      }
      const { clients, standing } = facts;
      return {
        expected: clients?.join(" or ") ?? "a configured client, or clients in the entry of the issuer",
        received: clients === undefined ? `${clientId}, with the standing ${standing}` : clientId,
      };
    },
  },
  "JB-09": {
    passes: "the subject is known to this server",
    fix: "Map the sub in the entry of the issuer, with subjects or users. The user must be registered.",
    explain: explainSubject,
  },
  "JB-10": {
    fix: "Request a new assertion for each access token: the entry of the issuer has singleUse.",
    explain: ({ problem }) => ({
      expected: "a unique jti for each assertion",
      ...problem === "used"
        ? { reason: "the assertion was used before", received: "a repeated jti" }
        : { reason: "the assertion has no jti", received: "no jti" },
    }),
  },
  "JB-11": {
    passes: "the assertion can grant the scope",
    fix:
      "Request less, or add the scope value to the client, and to scopes in the entry of the issuer if it has scopes.",
    explain: ({ allowed, requested, claimed }) => ({
      expected: allowed.length > 0
        ? `some of: ${allowed.join(" ")}`
        : "an assertion that grants scope values of this client",
      received: [
        requested === undefined ? "no scope in the request" : `scope=${requested} in the request`,
        ...claimed === undefined ? [] : [`scope ${quote(claimed.join(" "))} in the ID-JAG`],
      ].join(", "),
    }),
  },
  "IJ-13": {
    passes: "aud of the ID-JAG is this server",
    fix: "Request the ID-JAG with audience = the issuer of this server, as its metadata spells it.",
    explain: explainAudience,
  },
  "IJ-14": {
    fix: "Send the ID-JAG that the identity provider issued for this server. Its typ is oauth-id-jag+jwt.",
    explain: ({ expected, received }) => ({ reason: "the assertion is not an ID-JAG", expected, received }),
  },
  "IJ-15": {
    fix:
      "Send the ID-JAG with the client whose id is the client_id in it. The identity provider maps its own client ids to those of this server.",
    explain: ({ issuedTo, clientId }) => ({
      reason: "the ID-JAG was issued to another client",
      expected: `client ${issuedTo}`,
      received: `client ${clientId}`,
    }),
  },
  "IJ-16": {
    fix: "Let the identity provider issue the ID-JAG with jti, iat, exp, sub and client_id.",
    explain: ({ missing }) => ({
      reason: `the ID-JAG has no ${missing}`,
      expected: "jti, iat, exp, sub and client_id",
      received: `no ${missing}`,
    }),
  },
  "IJ-17": {
    fix: "Request the ID-JAG for a resource that this server issues tokens for.",
    explain: explainAccess,
  },
  "IJ-19": {
    fix: "Send a DPoP proof signed by the key that the assertion is bound to.",
    explain: ({ jkt, provenKey }) => ({
      reason: "the assertion is bound to a key (cnf) that the request does not prove",
      expected: typeof jkt === "string" ? `a DPoP proof signed by the key ${jkt}` : "cnf with the member jkt",
      received: provenKey === undefined ? "no header DPoP" : `a proof by the key ${provenKey}`,
    }),
  },
} as const satisfies RuleTexts<typeof assertionGrantRules>;
