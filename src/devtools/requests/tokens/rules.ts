/** The rules that tokens must satisfy, by their kind: each with its section and its fix. */

import { findTypeProblem, jwtPolicies } from "../../../server/oauth/keys/jwt_policies.ts";
import type { Members } from "./parse_token.ts";
import type { TokenKind } from "./read_input.ts";
import {
  audiences,
  clientAudience,
  equals,
  expiry,
  formatTime,
  formatValue,
  issuedAt,
  issuer,
  isText,
  notBefore,
  serverAudience,
  textClaim,
  tokenType,
} from "./rule.ts";
import type { TokenRule } from "./rule.ts";

const core = "OpenID Connect Core §3.1.3.7";
const backChannel = (section: string) => `OpenID Connect Back-Channel Logout §${section}`;
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

/** The same rule for a claim that may be absent. */
function ifPresent(name: string, rule: TokenRule): TokenRule {
  return {
    ...rule,
    check: (claims, header, expected) => claims[name] === undefined ? undefined : rule.check(claims, header, expected),
  };
}

const generic: readonly TokenRule[] = [
  ifPresent("exp", expiry(["RFC 7519 §4.1.4"])),
  ifPresent("iat", issuedAt(["RFC 7519 §4.1.6"])),
  notBefore(),
];

const idToken: readonly TokenRule[] = [
  {
    title: "typ does not name another kind of token",
    cites: ["RFC 8725 §3.11, §3.12"],
    fix:
      "Use the ID token here. Tokens of other kinds are signed with the same keys, so the signature does not distinguish them.",
    check: (_, { typ }) => ({
      passed: findTypeProblem(jwtPolicies.pasted_id_token, typ) === undefined,
      expected: "JWT, or no typ",
      received: formatValue(typ),
    }),
  },
  issuer([core]),
  clientAudience([core]),
  {
    title: "azp is the client",
    cites: [core],
    fix: "With more than one audience, the issuer sets azp to the client that the token is issued to.",
    check(claims, _, { clientId, isClient }) {
      const { azp } = claims;
      if (azp === undefined && audiences(claims).length < 2) return undefined;
      const passed = isText(azp) && (clientId === undefined ? isClient(azp) : azp === clientId);
      return { passed, expected: clientId ?? "the ID of a registered client", received: formatValue(azp) };
    },
  },
  expiry([core]),
  issuedAt([core]),
  notBefore(),
  {
    title: "sub is a string of at most 255 characters",
    cites: ["OpenID Connect Core §2"],
    fix: "Identify the user by a string of at most 255 characters that never changes.",
    check: ({ sub }) => ({
      passed: isText(sub) && sub.length <= 255,
      expected: "a string of at most 255 characters",
      received: formatValue(sub),
    }),
  },
  {
    title: "nonce equals the nonce of the authorization request",
    cites: [core],
    fix: "Store the nonce of each request, and accept only an ID token with that nonce. Any other one may be replayed.",
    check: ({ nonce }, _, expected) =>
      expected.nonce === undefined
        ? { received: formatValue(nonce), note: "Enter the nonce of the authorization request in the form." }
        : equals("exactly", nonce, expected.nonce),
  },
  {
    title: "at_hash matches the access token",
    cites: ["OpenID Connect Core §3.1.3.6, §3.1.3.8"],
    fix: "Use the ID token and the access token of one response: one of the two was replaced.",
    check({ at_hash: hash }, _, { accessTokenHash }) {
      if (hash === undefined) return undefined;
      if (accessTokenHash !== undefined) return equals("the hash", hash, accessTokenHash);
      return {
        received: formatValue(hash),
        note: "Paste the whole token response to compare it with the access token.",
      };
    },
  },
  {
    title: "auth_time is a number",
    cites: ["OpenID Connect Core §2"],
    fix: "Send auth_time in seconds since 1970.",
    check: ({ auth_time: time }) =>
      time === undefined ? undefined : {
        passed: typeof time === "number",
        expected: "a number",
        received: formatTime(time),
      },
  },
];

const accessToken: readonly TokenRule[] = [
  tokenType(jwtPolicies.access_token, ["RFC 9068 §2.1, §4"]),
  issuer(["RFC 9068 §4"]),
  {
    title: "aud names the resource",
    cites: ["RFC 9068 §4", "RFC 8707 §2"],
    rule: "MC-08",
    fix: "Send resource in the authorization request and in the token request, with the URI of the resource.",
    check(claims, _, { isAudience }) {
      const values = audiences(claims);
      return {
        passed: values.some((value) => isText(value) && isAudience(value)),
        expected: "a resource of this server, or its default audience",
        received: formatValue(claims.aud),
      };
    },
  },
  expiry(["RFC 9068 §2.2, §4"]),
  issuedAt(["RFC 9068 §2.2"]),
  notBefore(),
  textClaim("sub", ["RFC 9068 §2.2"]),
  textClaim("client_id", ["RFC 9068 §2.2"]),
  textClaim("jti", ["RFC 9068 §2.2"]),
  {
    title: "scope is a string of values separated by spaces",
    cites: ["RFC 9068 §2.2.3", "RFC 8693 §4.2"],
    fix: 'Write scope as one string such as "openid read", not as an array.',
    check: ({ scope }) =>
      scope === undefined ? undefined : { passed: isText(scope), expected: "a string", received: formatValue(scope) },
  },
];

const logoutToken: readonly TokenRule[] = [
  tokenType(jwtPolicies.pasted_logout_token, [backChannel("2.4")]),
  issuer([backChannel("2.6")]),
  clientAudience([backChannel("2.6")]),
  expiry([backChannel("2.4, §2.6")]),
  issuedAt([backChannel("2.4, §2.6")]),
  textClaim("jti", [backChannel("2.4")]),
  {
    title: "events has the logout event",
    cites: [backChannel("2.4, §2.6")],
    fix: `Set events to {"${logoutEvent}": {}}.`,
    check({ events }) {
      const event = typeof events === "object" && events !== null ? (events as Members)[logoutEvent] : undefined;
      const passed = typeof event === "object" && event !== null && !Array.isArray(event);
      return { passed, expected: `an object with the member ${logoutEvent}`, received: formatValue(events) };
    },
  },
  {
    title: "sub or sid identifies the session that ends",
    cites: [backChannel("2.4, §2.6")],
    fix: "Add sid, or sub, or both.",
    check: ({ sub, sid }) => ({
      passed: isText(sub) || isText(sid),
      expected: "sub or sid",
      received: isText(sub) || isText(sid) ? [sub, sid].filter(isText).join(", ") : "neither",
    }),
  },
  {
    title: "nonce is absent",
    cites: [backChannel("2.4, §2.6")],
    fix: "Leave nonce out, so that the logout token cannot be used as an ID token.",
    check: ({ nonce }) => ({ passed: nonce === undefined, expected: "nothing", received: formatValue(nonce) }),
  },
];

const request: readonly TokenRule[] = [
  tokenType(jwtPolicies.request_object, ["RFC 9101 §10.8"], "JR-02"),
  serverAudience(["RFC 9101 §4"], "JR-02"),
  {
    title: "iss and client_id are the same client",
    cites: ["RFC 9101 §4"],
    rule: "JR-02",
    fix: "Set iss and client_id to the ID of the client that signs the request.",
    check: ({ iss, client_id: id }) => ({
      passed: isText(id) && iss === id,
      expected: `iss ${formatValue(id)}`,
      received: formatValue(iss),
    }),
  },
  {
    title: "request and request_uri are absent",
    cites: ["RFC 9101 §4"],
    rule: "JR-03",
    fix: "Put the parameters themselves into the request object.",
    check: (claims) => {
      const nested = ["request", "request_uri"].filter((name) => name in claims);
      return { passed: nested.length === 0, expected: "neither", received: nested.join(", ") || "neither" };
    },
  },
  ifPresent("exp", expiry(["RFC 9101 §10.8"], "JR-04", jwtPolicies.request_object)),
  ifPresent("iat", issuedAt(["RFC 9101 §10.8"], "JR-04", jwtPolicies.request_object)),
  notBefore(jwtPolicies.request_object),
];

const response: readonly TokenRule[] = [
  issuer(["JARM §2.1, §2.4"]),
  clientAudience(["JARM §2.1, §2.4"]),
  expiry(["JARM §2.1, §2.4"]),
  {
    title: "The response has either a code or an error",
    cites: ["OAuth 2.1 §4.1.2, §4.1.2.1"],
    fix: "Sign the parameters of the authorization response as claims.",
    check: ({ code, error }) => ({
      passed: isText(code) !== isText(error),
      expected: "code or error",
      received: [...isText(code) ? ["code"] : [], ...isText(error) ? ["error"] : []].join(" and ") || "neither",
    }),
  },
];

const dpop: readonly TokenRule[] = [
  tokenType(jwtPolicies.dpop_proof, ["RFC 9449 §4.2, §4.3"], "DO-01"),
  textClaim("htm", ["RFC 9449 §4.2"], "Set htm to the method of the request, such as POST."),
  textClaim("htu", ["RFC 9449 §4.2"], "Set htu to the URL of the request without query and fragment."),
  textClaim("jti", ["RFC 9449 §4.2"], "Create a new random jti for each proof."),
  issuedAt(["RFC 9449 §4.2, §4.3"], "DO-03", jwtPolicies.dpop_proof),
];

const clientAssertion: readonly TokenRule[] = [
  tokenType(jwtPolicies.client_assertion, ["RFC 8725 §3.11, §3.12"]),
  {
    title: "iss and sub are the client",
    cites: ["RFC 7523 §3"],
    fix: "Set iss and sub to the client_id.",
    check: ({ iss, sub }, _, { isClient }) => ({
      passed: isText(iss) && iss === sub && isClient(iss),
      expected: "the ID of a registered client in both",
      received: `${formatValue(iss)} and ${formatValue(sub)}`,
    }),
  },
  serverAudience(["RFC 7523 §3"]),
  expiry(["RFC 7523 §3"], "JC-02", jwtPolicies.client_assertion),
  ifPresent("iat", issuedAt(["RFC 7523 §3"], "JC-02", jwtPolicies.client_assertion)),
  notBefore(jwtPolicies.client_assertion),
  textClaim("jti", ["OpenID Connect Core §9"], "Create a new random jti for each assertion."),
];

/** The rules of each kind, in the order of the page. */
export const tokenRules: Readonly<Record<TokenKind, readonly TokenRule[]>> = {
  id_token: idToken,
  access_token: accessToken,
  logout_token: logoutToken,
  client_assertion: clientAssertion,
  other: generic,
  request,
  response,
  dpop,
};
