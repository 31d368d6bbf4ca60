/** The rules that tokens must satisfy, by their kind: those of its policy, and those about its other claims. */

import { isObject } from "../../../platform/json_value.ts";
import { clientAssertionPolicy } from "../../../server/extensions/assertion_authentication/verify_assertion.ts";
import { proofPolicy } from "../../../server/extensions/dpop/proof.ts";
import { requestObjectPolicy } from "../../../server/extensions/signed_requests/request_object.ts";
import { jwtPolicies } from "../../../server/oauth/keys/jwt_policies.ts";
import type { TokenKind } from "./read_input.ts";
import {
  audiences,
  clientAudience,
  equals,
  formatNumericDate,
  formatValue,
  issuer,
  isText,
  policyRules,
  serverAudience,
} from "./rule.ts";
import type { TokenRule } from "./rule.ts";

const core = "OpenID Connect Core §3.1.3.7";
const backChannel = (section: string) => `OpenID Connect Back-Channel Logout §${section}`;
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

/** Pasted tokens are checked by the clock of this server, though another one may have issued them. */
const pasted = { secondsAhead: 60, secondsLate: 0 } as const;

const generic = policyRules(pasted, ["RFC 7519 §4.1"]);

const idToken: readonly TokenRule[] = [
  ...policyRules({ ...pasted, types: ["jwt"], isTypeOptional: true, requiredClaims: ["exp", "iat"] }, [
    core,
    "RFC 8725 §3.11, §3.12",
  ]),
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
        received: formatNumericDate(time),
      },
  },
];

const accessToken: readonly TokenRule[] = [
  ...policyRules({ ...pasted, types: ["at+jwt"], requiredClaims: ["exp", "iat", "sub", "client_id", "jti"] }, [
    "RFC 9068 §2.1, §2.2, §4",
  ]),
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
  {
    title: "scope is a string of values separated by spaces",
    cites: ["RFC 9068 §2.2.3", "RFC 8693 §4.2"],
    fix: 'Write scope as one string such as "openid read", not as an array.',
    check: ({ scope }) =>
      scope === undefined ? undefined : { passed: isText(scope), expected: "a string", received: formatValue(scope) },
  },
];

const logoutToken: readonly TokenRule[] = [
  ...policyRules({ ...pasted, types: ["logout+jwt"], requiredClaims: ["exp", "iat", "jti"] }, [
    backChannel("2.4, §2.6"),
  ]),
  issuer([backChannel("2.6")]),
  clientAudience([backChannel("2.6")]),
  {
    title: "events has the logout event",
    cites: [backChannel("2.4, §2.6")],
    fix: `Set events to {"${logoutEvent}": {}}.`,
    check({ events }) {
      const passed = isObject(events) && isObject(events[logoutEvent]);
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
  ...policyRules(requestObjectPolicy, ["RFC 9101 §10.8"], { type: "JR-02", times: "JR-04" }),
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
];

const response: readonly TokenRule[] = [
  ...policyRules(jwtPolicies.authorization_response, ["JARM §2.1, §2.4"]),
  issuer(["JARM §2.1, §2.4"]),
  clientAudience(["JARM §2.1, §2.4"]),
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

const dpop = policyRules(
  { ...proofPolicy, requiredClaims: ["iat", "htm", "htu", "jti"] },
  ["RFC 9449 §4.2, §4.3"],
  { type: "DO-01", times: "DO-03" },
);

const clientAssertion: readonly TokenRule[] = [
  ...policyRules(clientAssertionPolicy, ["RFC 7523 §3", "OpenID Connect Core §9"], { times: "JC-02" }),
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
