/**
 * Traces observations of accepted requests. The tables of rejections add to the texts by rule, and are loaded with the
 * first rejection (`rules.ts`).
 */

import { dottedScheme } from "../../core/clients/uri_problem.ts";
import type { Explanation } from "../../core/rules/errors.ts";
import type { RuleId } from "../../core/rules/rule.ts";
import { canonicalUri } from "../../platform/http/absolute_uri.ts";
import { metadataOf } from "../config/client_metadata.ts";
import type { HostedObservations } from "../config/observations.ts";
import type { AnyName, ByProfile } from "../config/server_policy.ts";
import { isPermitted } from "../config/standing.ts";
import type { HostedServer } from "../hosted_server.ts";
import { warn } from "../trace.ts";
import { explainUnknownUser } from "./login.ts";
import { type Note, noteMinimalIdToken, noteResource, noteUnencodedSecret, recordUserinfoCall } from "./notes.ts";
import { listUris } from "./parameters.ts";
import { explainFirstPostedSecret } from "./posted_secret.ts";
import type { AcceptedTexts, ObservedRuleText, RuleText } from "./rule_text.ts";
import { explainUnknownScope } from "./scope.ts";

/** By ID, in the order of `tests/rules.md`. */
export const acceptedTexts = {
  "AZ-16": {
    fix: "Send scope, or configure a defaultScope that the client may request.",
    explainAccepted: ({ possible }) => ({
      reason: "scope is missing, and the default has no value for this client: the token has no scope",
      expected: `some of: ${possible.join(" ")}`,
      received: "no scope",
    }),
  },
  "AZ-17": {
    fix: "Remove the value from scope, add it to the server's scopes, or register it for the client.",
    explainAccepted: (facts, server) => acceptedByAny("scopes", explainUnknownScope(facts, server, "unknown scope")),
  },
  "RU-01": {
    fix: "Send a registered redirect URI, character for character, or register the URI that was sent.",
    explainAccepted: ({ uri, registered }) =>
      acceptedByAny("redirectUris", {
        reason: "redirect_uri is not registered for this client",
        expected: listUris(registered),
        received: uri,
      }),
  },
  "RU-11": {
    fix:
      "Write it as com.example.app:/callback. This server accepts a scheme without a dot only on a test host, and many servers never do.",
    explainAccepted: ({ uri }) => ({
      reason: "the redirect URI has a private-use scheme without a dot, which another app may also claim",
      expected: dottedScheme,
      received: uri,
    }),
  },
  "RU-16": {
    fix:
      "Open the application at the host of its redirect URI, or register a redirect URI at the host where it is opened.",
  },
  "PK-01": {
    fix:
      "Use PKCE: generate a code_verifier for each login, and send its SHA-256 digest as code_challenge, with code_challenge_method=S256.",
  },
  "PK-04": {
    fix:
      "Send code_challenge_method=S256, and as code_challenge the SHA-256 digest of the verifier, not the verifier itself.",
  },
  "PK-05": { fix: "Send code_challenge_method=S256 with code_challenge." },
  "TK-14": {
    fix: "Send the redirect_uri of the authorization request with the code.",
    explainAccepted: (_, server) => ({
      reason: `nothing binds the code to the login that asked for it: ${letsPass(server, "insecureAllowMissing")}`,
      expected: "code_challenge in the authorization request, or redirect_uri in the token request",
      received: "neither",
    }),
  },
  "CA-04": {
    fix: "Send Basic, a space and BASE64(client_id:client_secret), both parts form-encoded first.",
    explainAccepted: noteUnencodedSecret,
  },
  "CA-16": {
    fix: "Add token_endpoint_auth_method to the client's metadata. Then only that method is accepted.",
    explainAccepted: explainFirstPostedSecret,
  },
  "CA-17": {
    fix: "Send client_id in the body of the request, and no header Authorization.",
    explainAccepted: () => ({
      reason: "HTTP Basic with an empty secret was accepted from a public client; many servers reject it",
      expected: "client_id in the body, and no header Authorization",
      received: "Authorization: Basic with an empty secret",
    }),
  },
  "RT-04": {
    fix:
      "Store the refresh token of each response instead of the previous one, and send one refresh request at a time. Start a new login. refresh.grace tolerates a lost response.",
    explainAccepted: () => ({
      reason: "the refresh token stays valid, because refresh.reuse says so; other servers reject a second use",
      expected: "the refresh token of the last response",
      fix: "Replace the stored refresh token whenever a response contains one.",
    }),
  },
  "RT-09": {
    fix: "Register the granted scope for the client again, or start a new login that requests registered values.",
    explainAccepted: ({ registered, granted }) => ({
      reason: "the grant contains values that are no longer registered; they are left out",
      expected: registered.join(" "),
      received: granted.join(" "),
    }),
  },
  "CC-02": {
    fix:
      "Leave out openid and the scopes about a user: client_credentials has no user. A test server ignores them, with a " +
      'warning, if its setting scopes is "any".',
    explainAccepted: ({ requested, left }) => ({
      reason: "scope values that only a user can grant were ignored, because the client acts on its own behalf",
      expected: left.length === 0 ? "no scope" : left.join(" "),
      received: requested,
    }),
  },
  "MC-02": {
    fix:
      "Send resource with the URI of the MCP server, as its metadata names it, in the authorization request and in the token request.",
    explainAccepted: explainMissingResource,
  },
  "IN-02": {
    fix: "Add the resource of the token to serves of the client that introspects it.",
    explainAccepted({ client, audience }, server) {
      const isTrusted = isPermitted(server, client, "inspectTokensOfOthers");
      const serves = metadataOf(client).serves?.map(canonicalUri).join(" ") || "nothing";
      const resources = audience.join(" ");
      return {
        reason: isTrusted
          ? `the token is valid, but the response is active: false, because the client does not serve ${resources}`
          : "the token is valid, but the response is active: false, because the client registered itself",
        expected: isTrusted ? `serves with ${resources}` : "a client of the operator, whose serves has the resource",
        received: isTrusted ? `serves: ${serves}` : "a client of unknown standing",
        fix: `Add ${
          JSON.stringify(audience[0])
        } to serves of ${client.id} in the configuration, or on the page of the client.`,
      };
    },
  },
  "OI-06": {
    fix:
      "Send the sub of a user as login_hint, on test hosts also an e-mail address or a preferred_username, or leave it out. The setting unknownLoginHint decides what other values do.",
    explainAccepted({ effect, ...facts }, server) {
      const texts = explainUnknownUser(facts, server);
      const { reason } = texts;
      switch (effect) {
        case "another user":
          return { ...texts, reason: `${reason}: the user of the session, or the default user, was logged in` };
        case "created":
          return {
            ...texts,
            reason: `${reason}; a user with a space in the address was created`,
            expected: "the sub of a user",
          };
        case "created by the setting users":
          return acceptedByAny("users", { ...texts, expected: "the sub of a user" });
      }
    },
  },
  "OI-09": {
    fix: "Add refresh_token to the client's grant_types, or do not request offline_access.",
    explainAccepted: ({ grantTypes }) => ({
      reason: "offline_access was granted, but this client gets no refresh token",
      expected: "refresh_token in the client's grant_types",
      received: grantTypes.join(" "),
    }),
  },
  "LO-03": {
    fix: "Register the URI under post_logout_redirect_uris, or send a registered URI, character for character.",
    explainAccepted: ({ setting, clientId, uri, registered }) =>
      acceptedByAny(setting, {
        reason: "post_logout_redirect_uri is not registered for this client",
        expected: listUris(registered, "registered URI"),
        received: uri,
        change: { client_id: clientId, isNew: false, post_logout_redirect_uri: uri },
      }),
  },
  "CL-17": {
    fix: "Configure fewer claims for tokens. Let the client read large claims from userinfo.",
    explainAccepted({ kind, length, maxLength, largest, leftOut: [first, ...others] }) {
      const more = others.length > 0 ? ` and ${others.length} more` : "";
      return {
        reason: first === undefined
          ? `the ${kind} is too long for cookies, and may be for headers of other servers (431)`
          : `the ${kind} would be too long, so it lacks ${first}${more}`,
        expected: `at most ${maxLength} characters`,
        received: `${length} characters${
          largest === undefined ? "" : `, of which ${largest.name} has ${largest.bytes} bytes`
        }`,
      };
    },
  },
} as const satisfies AcceptedRows;

type AcceptedRows =
  & { readonly [Id in ObservedRule]: ObservedRuleText<never, Id> }
  & { readonly [Id in "RU-16" | "PK-01" | "PK-04" | "PK-05"]: { readonly fix: string } };
type ObservedRule = keyof HostedObservations & RuleId;

/** Traces what an observation means. */
export const traceObservation: HostedServer["observe"] = (server, client, name, facts) => {
  const explainAccepted = findAcceptedText(name)?.explainAccepted;
  if (explainAccepted === undefined) {
    return traceWarnings(server, client, phrases[name as Phrase](facts as never, server));
  }
  const texts = explainAccepted(facts as never, server);
  if (texts !== undefined) {
    traceWarnings(server, client, ["note" in texts ? texts : { ...texts, rule: name as RuleId }]);
  }
};

/** An observation that is named by a phrase, because it has no rule of its own. */
type Phrase = Exclude<keyof HostedObservations, RuleId>;

const phrases: {
  readonly [Name in Phrase]: (facts: HostedObservations[Name], server: HostedServer) => readonly (Explanation | Note)[];
} = {
  "unregistered client": ({ rule, id }) => [
    acceptedByAny("clients", {
      rule,
      reason: "client_id is not registered",
      expected: "the client_id of a registered client",
      received: id,
      fix: "Register the client. Other servers reject a client that is not registered.",
    }),
  ],
  resource: noteResource,
  "minimal ID token": noteMinimalIdToken,
  userinfo: recordUserinfoCall,
};

/** The texts of a warning about a request that was accepted only because a setting is `"any"`. */
function acceptedByAny<T extends { readonly reason: string }>(setting: AnyName, texts: T): T {
  return { ...texts, reason: `${texts.reason}; it was accepted, because ${setting} is "any"` };
}

/** Names what lets a request without a safe code challenge pass. */
export function letsPass({ policy: { providers } }: HostedServer, setting: string): string {
  return `${providers.join(", ") || `pkce.${setting}`} lets this pass; OAuth 2.1 does not`;
}

/** Explains a code challenge without its method. */
export const missingMethod = {
  reason: "code_challenge_method is missing; by the standard it defaults to plain, but this server supports only S256",
  expected: "code_challenge_method=S256",
  received: "no code_challenge_method",
} as const;

/** Explains a request without resource. */
export function explainMissingResource({ byProfile }: ByProfile, { audience }: HostedServer): AcceptedTexts {
  return {
    reason: `resource is missing${byProfile}; if no request of the flow names one, the access token is for ${audience}`,
    expected: "resource with the URI of the protected resource, in the authorization request and in the token request",
    received: "no resource",
  };
}

/** The row of a rule, or of another name of an observation. */
function findAcceptedText(name: string): RuleText | undefined {
  return Object.hasOwn(acceptedTexts, name) ? acceptedTexts[name as keyof typeof acceptedTexts] : undefined;
}

/** How to fix a request that breaks a rule; a rule without a text is explained by the program. */
const fixOf = (rule: RuleId) => findAcceptedText(rule)?.fix ?? `latchkey explain ${rule} says what to send.`;

/** Traces warnings and notes. Only servers on test hosts trace notes. */
export function traceWarnings(
  server: HostedServer,
  client: string | undefined,
  found: readonly (Explanation | Note)[],
): void {
  for (const text of found) {
    if (!("note" in text)) {
      warn(server, client, { ...text, fix: text.rule === undefined ? text.fix : text.fix ?? fixOf(text.rule) });
    } else if (server.policy.allows.explanations) {
      server.trace({ type: "note", at: server.now(), client: client!, explanation: text.note });
    }
  }
}
