/** The kinds of tokens: for each, the policy by which the server verifies it, and the checks of its claims. */

import { isObject } from "../../../core/http/json_value.ts";
import { clientAssertionPolicy } from "../../../server/extensions/assertion_authentication/verify_assertion.ts";
import { proofPolicy } from "../../../server/extensions/dpop/proof.ts";
import { requestObjectPolicy } from "../../../server/extensions/signed_requests/request_object.ts";
import {
  findTimeProblem,
  findTypeProblem,
  formatClaimTime,
  jwtPolicies,
  type JwtPolicy,
} from "../../../platform/jwt/jwt_policies.ts";
import { mediaType } from "../../../core/keys/verification.ts";
import type { AccessTokenTyp } from "../../../core/policy/policy.ts";
import type { RuleId } from "../../../core/rules/mod.ts";
import type { Members } from "./decode.ts";
import type { CheckedTokenKind } from "./read_input.ts";

/** What is known besides the token. */
export interface Expectations {
  readonly issuer: string;
  /** This server's issuer, which requests and proofs are sent to. */
  readonly server: string;
  /** The client that the token should be for; absent: not given. */
  readonly clientId?: string;
  /** The nonce of the authorization request; absent: not given. */
  readonly nonce?: string;
  /** The digest of the access token of the same response; absent: not known. */
  readonly accessTokenHash?: string;
  readonly isClient: (id: string) => boolean;
  /** Whether access tokens can be for this audience. */
  readonly isAudience: (uri: string) => boolean;
  /** The `typ` of the access tokens of the issuer; absent: not known. */
  readonly accessTokenTyp?: AccessTokenTyp;
  /** The server's clock, in seconds. */
  readonly now: number;
}

/** The outcome of a check. Without `passed` it was not checked; the note says why. */
interface Outcome {
  readonly passed?: boolean;
  readonly expected?: string;
  readonly received: string;
  readonly note?: string;
}

/** `undefined` if the check does not apply. */
type ClaimCheck = (claims: Members, known: Expectations) => Outcome | undefined;

interface KindOfToken {
  /** Its name on pages. */
  readonly name: string;
  readonly policy: JwtPolicy;
  /** The sections that require it. */
  readonly cites: readonly string[];
  /** The rules with the same checks, by the claim; `times` stands for exp, iat and nbf. */
  readonly rules?: Readonly<Record<string, RuleId>>;
  /** The checks. A name says what is true when the check passes: a sentence without a full stop, the claim first. */
  readonly claims: Readonly<Record<string, ClaimCheck>>;
}

/** A check with its sentence, and how to fix what it rejects. */
export interface CheckedClaim extends Outcome {
  readonly title: string;
  readonly fix?: string;
  readonly rule?: RuleId;
}

const formatValue = (value: unknown) =>
  typeof value === "string" ? value : value === undefined ? "nothing" : JSON.stringify(value);
const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const outcome = (passed: boolean, expected: string, value: unknown): Outcome => ({
  passed,
  expected,
  received: formatValue(value),
});
const audiences = ({ aud }: Members): readonly unknown[] => aud === undefined ? [] : [aud].flat();

const issuer = {
  "iss is the issuer, character for character": ({ iss }, { issuer }) =>
    outcome(iss === issuer, `exactly ${issuer}`, iss),
} satisfies Record<string, ClaimCheck>;

const isReceiver = (value: unknown, { clientId, isClient }: Expectations) =>
  isText(value) && (clientId === undefined ? isClient(value) : value === clientId);

const receivedByClient = {
  "aud names the client": (claims, known) => {
    const passed = audiences(claims).some((value) => isReceiver(value, known));
    return outcome(passed, known.clientId ?? "the ID of a registered client", claims.aud);
  },
} satisfies Record<string, ClaimCheck>;

const receivedByServer = {
  "aud names this server": (claims, { server }) => outcome(audiences(claims).includes(server), server, claims.aud),
} satisfies Record<string, ClaimCheck>;

/** Pasted tokens are checked by the clock of this server, although another server may have issued them. */
const pasted = { secondsAhead: 60, secondsLate: 0 } as const;

const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

/** The kinds, in the order of the page. */
export const kindsOfTokens: Readonly<Record<CheckedTokenKind, KindOfToken>> = {
  id_token: {
    name: "ID token",
    policy: { ...pasted, types: ["jwt"], isTypeOptional: true, requiredClaims: ["exp", "iat"] },
    cites: ["OpenID Connect Core §2, §3.1.3.7", "RFC 8725 §3.11, §3.12"],
    claims: {
      ...issuer,
      ...receivedByClient,
      "azp is the client": (claims, known) =>
        claims.azp === undefined && audiences(claims).length < 2
          ? undefined
          : outcome(isReceiver(claims.azp, known), known.clientId ?? "the ID of a registered client", claims.azp),
      "sub is a string of at most 255 characters": ({ sub }) =>
        outcome(isText(sub) && sub.length <= 255, "a string of at most 255 characters", sub),
      "nonce equals the nonce of the authorization request": ({ nonce }, known) =>
        known.nonce === undefined
          ? { received: formatValue(nonce), note: "Enter the nonce of the authorization request in the form." }
          : outcome(nonce === known.nonce, `exactly ${known.nonce}`, nonce),
      "at_hash matches the access token": ({ at_hash: hash }, { accessTokenHash }) =>
        hash === undefined ? undefined : accessTokenHash === undefined
          ? {
            received: formatValue(hash),
            note: "Paste the whole token response to compare it with the access token.",
          }
          : outcome(hash === accessTokenHash, `the hash ${accessTokenHash}`, hash),
      "auth_time is a number": ({ auth_time: time }) =>
        time === undefined ? undefined : outcome(typeof time === "number", "a number", time),
    },
  },
  access_token: {
    name: "Access token",
    policy: { ...pasted, types: ["at+jwt"], requiredClaims: ["exp", "iat", "sub", "client_id", "jti"] },
    cites: ["RFC 9068 §2.1, §2.2, §4", "RFC 8707 §2"],
    rules: { aud: "MC-08" },
    claims: {
      ...issuer,
      "aud names the resource": (claims, { isAudience }) =>
        outcome(
          audiences(claims).some((value) => isText(value) && isAudience(value)),
          "a resource of this server, or its default audience",
          claims.aud,
        ),
      "scope is a string of values separated by spaces": ({ scope }) =>
        scope === undefined ? undefined : outcome(isText(scope), "a string", scope),
    },
  },
  logout_token: {
    name: "Logout token",
    policy: { ...pasted, types: ["logout+jwt"], requiredClaims: ["exp", "iat", "jti"] },
    cites: ["OpenID Connect Back-Channel Logout §2.4, §2.6"],
    claims: {
      ...issuer,
      ...receivedByClient,
      "events has the logout event": ({ events }) =>
        outcome(
          isObject(events) && isObject(events[logoutEvent]),
          `an object with the member ${logoutEvent}`,
          events,
        ),
      "sub or sid identifies the session that ends": ({ sub, sid }) =>
        outcome(isText(sub) || isText(sid), "sub or sid", sub ?? sid),
      "nonce is absent": ({ nonce }) => outcome(nonce === undefined, "nothing", nonce),
    },
  },
  client_assertion: {
    name: "Client assertion",
    policy: clientAssertionPolicy,
    cites: ["RFC 7523 §3", "OpenID Connect Core §9"],
    rules: { times: "JC-02" },
    claims: {
      "iss and sub are the client": ({ iss, sub }, { isClient }) =>
        outcome(
          isText(iss) && iss === sub && isClient(iss),
          "the ID of a registered client in both",
          `${formatValue(iss)} and ${formatValue(sub)}`,
        ),
      ...receivedByServer,
    },
  },
  other: { name: "JWT", policy: pasted, cites: ["RFC 7519 §4.1"], claims: {} },
  request: {
    name: "Request object",
    policy: requestObjectPolicy,
    cites: ["RFC 9101 §4, §10.8"],
    rules: { typ: "JR-02", times: "JR-04", aud: "JR-02", iss: "JR-02", request: "JR-03" },
    claims: {
      ...receivedByServer,
      "iss and client_id are the same client": ({ iss, client_id: id }) =>
        outcome(isText(id) && iss === id, `iss ${formatValue(id)}`, iss),
      "request and request_uri are absent": ({ request, request_uri: uri }) =>
        outcome(request === undefined && uri === undefined, "neither", request ?? uri),
    },
  },
  response: {
    name: "Authorization response",
    policy: jwtPolicies.authorization_response,
    cites: ["JARM §2.1, §2.4"],
    claims: {
      ...issuer,
      ...receivedByClient,
      "code or error is present": ({ code, error }) =>
        outcome(isText(code) !== isText(error), "one of the two", isText(code) && isText(error) ? "both" : "neither"),
    },
  },
  dpop: {
    name: "DPoP proof",
    policy: { ...proofPolicy, requiredClaims: ["iat", "htm", "htu", "jti"] },
    cites: ["RFC 9449 §4.2, §4.3"],
    rules: { typ: "DO-01", times: "DO-03" },
    claims: {},
  },
};

/** How to fix the token, by the claim, for the developer of its issuer or its receiver. */
const fixes: Readonly<Record<string, string>> = {
  typ: "Check the kind of the token: one of another kind, signed with the same keys, must not be accepted.",
  exp:
    "Get a new token. If your client signs the token, create a new one. If the token is new, compare the clocks of " +
    "the two machines.",
  iat: "Set iat to the time at which the token is issued, in seconds since 1970, not in milliseconds.",
  nbf: "Wait until nbf, or compare the clocks of the two machines.",
  iss: "Use the issuer of the metadata, or the client_id if a client signs, character for character: http or https, " +
    "the port, and a slash at the end matter.",
  aud: "Use the token only at its audience. A client sends resource in both requests, and is configured with the " +
    "client_id that the issuer registered; what a client signs names the issuer of this server.",
  azp: "With more than one audience, the issuer sets azp to the client that the token is issued to.",
  sub: "Identify the user by a string of at most 255 characters that never changes.",
  nonce: "Store the nonce of each request, and accept only an ID token with that nonce: any other one may be " +
    "replayed. A logout token has none.",
  at_hash: "Use the ID token and the access token of one response: one of the two was replaced.",
  scope: 'Write scope as one string such as "openid read", not as an array.',
  events: `Set events to {"${logoutEvent}": {}}.`,
  request: "Put the parameters themselves into the request object.",
};

/** The policy of the access tokens of an issuer. */
function accessTokenPolicy(policy: JwtPolicy, { accessTokenTyp = "at+jwt" }: Expectations): JwtPolicy {
  return accessTokenTyp === "none"
    ? { ...policy, isTypeOptional: true }
    : { ...policy, types: [mediaType(accessTokenTyp)] };
}

const times = { exp: "exp is in the future", iat: "iat is not in the future", nbf: "nbf is not in the future" };

/** Checks `typ`, the times and the claims of a token of a kind. */
export function checkClaims(
  kind: CheckedTokenKind,
  header: Members,
  claims: Members,
  known: Expectations,
): CheckedClaim[] {
  const { policy: general, rules = {}, claims: claimChecks } = kindsOfTokens[kind];
  const policy = kind === "access_token" ? accessTokenPolicy(general, known) : general;
  const { types, isTypeOptional, requiredClaims = [], ignoredTimes = [] } = policy;
  const type = [...types ?? [], ...isTypeOptional ? ["absent"] : []].join(" or ");
  const describe = (title: string, found: Outcome | undefined): CheckedClaim[] => {
    const name = title.split(" ")[0]!;
    const rule = rules[name in times ? "times" : name];
    return found === undefined ? [] : [{ title, fix: fixes[name] ?? `Correct ${name}.`, rule, ...found }];
  };
  return [
    ...types === undefined
      ? []
      : describe(`typ is ${type}`, outcome(findTypeProblem(policy, header.typ) === undefined, type, header.typ)),
    ...(Object.keys(times) as (keyof typeof times)[]).flatMap((name) => {
      const time = claims[name];
      const applies = !ignoredTimes.some((ignored) => ignored === name) && (time ?? requiredClaims.includes(name));
      if (applies === false) return [];
      // An absent time is as wrong as one that is not a number.
      const { expected, received } = findTimeProblem(policy, { [name]: time ?? "" }, known.now) ?? {};
      const passed = expected === undefined;
      const shown = typeof time === "number" && passed ? formatClaimTime(time) : formatValue(time);
      return describe(times[name], { passed, expected, received: time === undefined ? shown : received ?? shown });
    }),
    ...requiredClaims.filter((name) => !(name in times) && name !== "aud").flatMap((name) =>
      describe(`${name} is a string`, outcome(isText(claims[name]), "a string", claims[name]))
    ),
    ...Object.entries(claimChecks).flatMap(([title, check]) => describe(title, check(claims, known))),
  ];
}
