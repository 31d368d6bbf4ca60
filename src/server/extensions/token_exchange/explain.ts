/** Texts of the rules of token exchange (TX), and of ID-JAGs that it issues (IJ). */

import type { RuleTexts } from "../../explain/rule_text.ts";
import { separatorFix } from "../../../core/policy/separators.ts";
import type { tokenExchangeRules } from "./rules.ts";
import { tokenTypes } from "./token_types.ts";

/** By ID, in the order of `tests/rules.md`. */
export const tokenExchangeTexts = {
  "IJ-01": {
    fix:
      "Send audience once, with the issuer of the resource authorization server, and resource if the server expects it.",
    explain: (facts) =>
      "audience" in facts
        ? {
          expected: "the issuer of an entry of resourceAuthorizationServers, character by character",
          received: facts.audience,
        }
        : "missing" in facts && facts.missing === "resource"
        ? { expected: "resource with the URI of the protected resource", received: "none" }
        : {
          expected: "audience with the issuer of a resource authorization server, once",
          received: "missing" in facts ? "no audience" : "several",
        },
  },
  "IJ-02": {
    fix: "Exchange an ID token or a refresh token of this server.",
    explain: ({ supported, sent }) => ({ expected: supported.join(" or "), received: sent }),
  },
  "IJ-03": {
    passes: "subject_token is valid and belongs to the client",
    fix: "Exchange the latest ID token of this client before it expires, or the refresh token of this client.",
    async explain(facts, server) {
      if ("idTokenOf" in facts) {
        return {
          reason: "the ID token is invalid",
          expected: `a valid ID token for ${facts.idTokenOf}`,
          received: "another token",
        };
      }
      const { broken } = facts;
      const { reason = "the user was removed", expected, received } =
        (broken && await server.explainError(server, broken))?.details ?? {};
      return { reason, expected, received };
    },
  },
  "IJ-04": {
    fix: "Exchange the newest refresh token of the grant, with the client that it was issued to.",
    async explain(facts, server) {
      if ("isUsed" in facts) {
        return {
          reason: "the refresh token was used",
          expected: "the newest refresh token of the grant",
          received: "an older refresh token",
        };
      }
      const { details } = await server.explainError(server, facts.broken);
      const { reason = "the refresh token is invalid", expected, received } = details;
      return { reason, expected, received };
    },
  },
  "IJ-05": {
    passes: "the audience allows scope and resource",
    fix: "Request only access that the entry of the audience in resourceAuthorizationServers allows.",
    explain(facts) {
      const received = facts.requested.join(" ");
      if ("scopes" in facts) {
        const { scopes } = facts;
        const expected = scopes === undefined ? "scope values of printable ASCII" : `some of: ${scopes.join(" ")}`;
        return { expected, received };
      }
      if ("types" in facts) {
        const { types } = facts;
        return { expected: types.length > 0 ? `some of: ${types.join(", ")}` : "no authorization_details", received };
      }
      const { resources, max } = facts;
      return { expected: resources?.join(" or ") ?? `at most ${max} absolute URIs without fragment`, received };
    },
  },
  "IJ-08": {
    fix: "Add the client to clients in the entry of the audience, with its client_id there.",
    explain(facts) {
      const { issuer } = facts;
      if ("removedClient" in facts) {
        return { expected: `client ${facts.removedClient} of the entry of ${issuer}`, received: "no such client" };
      }
      const { client, standing } = facts;
      return {
        expected: `${
          standing === undefined ? "" : "a configured client, or "
        }the client in the entry of ${issuer}, with its id there`,
        received: standing === undefined ? client : `${client}, with the standing ${standing}`,
      };
    },
  },
  "IJ-09": {
    fix: "Authenticate the client, or set allowPublicClients in the entry of the audience.",
    explain: ({ client }) => ({
      expected: "a client that authenticates, or allowPublicClients in the entry of the audience",
      received: `the public client ${client}`,
    }),
  },
  "IJ-11": {
    fix: "Leave actor_token out.",
    explain: () => ({ expected: "no actor_token", received: "an actor_token" }),
  },
  "TX-01": {
    passes: "subject_token is valid and may be exchanged by this client",
    fix:
      "Send as subject_token a valid access token of this client, or for a resource that it serves, with its subject_token_type. An actor_token must be a token of this client.",
    explain(facts) {
      if ("missing" in facts) return { expected: facts.missing, received: `no ${facts.missing}` };
      if ("publicClient" in facts) {
        return {
          expected: "a client that authenticates, or tokenExchange.allowPublicClients",
          received: `the public client ${facts.publicClient}`,
        };
      }
      if ("subject" in facts) {
        return facts.subject === "another client"
          ? { expected: "an access token of a user, or of this client", received: "an access token of another client" }
          : { expected: "a token with auth_time, or another client", received: "no auth_time" };
      }
      if ("type" in facts) return { expected: tokenTypes.accessToken, received: facts.type };
      const { name, issuedTo } = facts;
      return {
        expected: name === "actor_token"
          ? "a valid access token of this client"
          : "a valid access token of this client, or for a resource that it serves",
        received: issuedTo === undefined ? "an unknown, expired or revoked token" : `a token of ${issuedTo}`,
      };
    },
  },
  "TX-02": {
    fix: "Request a token type that the settings enable: tokenExchange, resourceAuthorizationServers.",
    explain: ({ supported, requested }) => ({ expected: supported.join(" or "), received: requested }),
  },
  "TX-03": {
    passes: "the exchanged token has no more access than subject_token",
    fix: "Request less, or add the resource to this client in tokenExchange.targets.",
    explain(facts) {
      if ("targets" in facts) return { expected: facts.targets.join(" or "), received: facts.requested.join(" ") };
      const { allowed, grantable, requested, granted } = facts;
      return {
        expected: allowed.length > 0
          ? `some of: ${allowed.join(" ")}`
          : grantable.length > 0
          ? `a token with some of: ${grantable.join(" ")}`
          : "a client with a scope other than openid and offline_access",
        received: requested ?? granted,
        fix: separatorFix("scope", requested ?? "", grantable),
      };
    },
  },
  "TX-04": {
    fix:
      "The actor named in may_act must exchange the token. For a token that is bound to a key or certificate, prove that one.",
    explain(facts) {
      if ("mayAct" in facts) {
        const { mayAct, sub, clientId } = facts;
        return { expected: JSON.stringify(mayAct), received: `sub ${sub}, client_id ${clientId}` };
      }
      const { cnf, proven } = facts;
      return {
        expected: `a proof of the key ${JSON.stringify(cnf)}`,
        received: proven === undefined ? "no proof" : `a proof of the key ${JSON.stringify(proven)}`,
      };
    },
  },
  "TX-05": {
    fix: "Exchange the access token of the login, or a token that is the result of fewer exchanges.",
    explain: ({ exchanges, max }) => ({
      expected: `a token that is the result of at most ${max - 1} exchanges`,
      received: `the result of ${exchanges} exchanges`,
    }),
  },
} as const satisfies RuleTexts<typeof tokenExchangeRules>;
