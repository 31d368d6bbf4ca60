/** What a rule of tokens is, and the rules that several kinds of tokens have. */

import type { RuleResult } from "../../../server/oauth/explanation.ts";
import {
  findTimeProblem,
  findTypeProblem,
  formatClaimTime,
  type JwtPolicy,
} from "../../../server/oauth/keys/jwt_policies.ts";
import type { RuleId } from "../../../server/oauth/rules/mod.ts";
import type { Members } from "./parse_token.ts";

/** The result of a check. */
export interface TokenRuleResult extends Pick<RuleResult, "passed" | "expected" | "received"> {
  /** Why it was not checked. */
  readonly note?: string;
}

/** What is known besides the token. */
export interface Expectations {
  /** The expected issuer. */
  readonly issuer: string;
  /** This server's issuer, which requests and proofs are sent to. */
  readonly server: string;
  /** The client that the token should be for; absent: not given. */
  readonly clientId?: string;
  /** The nonce of the authorization request; absent: not given. */
  readonly nonce?: string;
  /** The digest of the access token of the same response; absent: not known. */
  readonly accessTokenHash?: string;
  /** Whether a client is registered. */
  readonly isClient: (id: string) => boolean;
  /** Whether access tokens can be for this audience. */
  readonly isAudience: (uri: string) => boolean;
  /** The server's clock, in seconds. */
  readonly now: number;
}

export interface TokenRule {
  /** What is true when the check passes: one sentence without a full stop. */
  readonly title: string;
  readonly cites: readonly string[];
  /** How to fix the token, for the developer of its issuer. */
  readonly fix: string;
  /** The row of the rule table with the same check. */
  readonly rule?: RuleId;
  /** `undefined` if the rule does not apply. */
  check(claims: Members, header: Members, expected: Expectations): TokenRuleResult | undefined;
}

export function formatValue(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "nothing" : JSON.stringify(value);
}

export function formatNumericDate(seconds: unknown): string {
  if (typeof seconds !== "number") return formatValue(seconds);
  return formatClaimTime(seconds).replace("T", " ").replace(/\.\d+Z$/, " UTC");
}

export function audiences({ aud }: Members): readonly unknown[] {
  return aud === undefined ? [] : [aud].flat();
}

export function equals(name: string, value: unknown, expected: string): TokenRuleResult {
  return { passed: value === expected, expected: `${name} ${expected}`, received: formatValue(value) };
}

export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** A required claim that is a non-empty string. */
function textClaim(name: string, cites: readonly string[]): TokenRule {
  return {
    title: `${name} is a string`,
    cites,
    fix: `Add ${name}, a string.`,
    check: ({ [name]: value }) => ({ passed: isText(value), expected: "a string", received: formatValue(value) }),
  };
}

/** The claims with times: what is true when the check passes, and the fix. */
const times = {
  exp: [
    "exp is in the future",
    "Get a new token. If your client signs the token, create a new one. If the token is new, compare the clocks of the two machines.",
  ],
  iat: [
    "iat is not in the future",
    "Set iat to the time at which the token is issued, in seconds since 1970, not in milliseconds.",
  ],
  nbf: ["nbf is not in the future", "Wait until nbf, or compare the clocks of the two machines."],
} as const;

/** The rules that follow from a policy: the type, the required claims, the times. `ids`: the rows of the rule table. */
export function policyRules(
  policy: JwtPolicy,
  cites: readonly string[],
  ids: { readonly type?: RuleId; readonly times?: RuleId } = {},
): TokenRule[] {
  const { types, isTypeOptional, requiredClaims = [], ignoredTimes = [] } = policy;
  const expected = [...types ?? [], ...isTypeOptional ? ["absent"] : []].join(" or ");
  const type: TokenRule = {
    title: `typ is ${expected}`,
    cites,
    rule: ids.type,
    fix: `Set typ in the header to ${
      types?.[0]
    }. A token of another kind, signed with the same keys, must not pass for this one.`,
    check: (_, { typ }) => ({
      passed: findTypeProblem(policy, typ) === undefined,
      expected,
      received: formatValue(typ),
    }),
  };
  const names = (Object.keys(times) as (keyof typeof times)[]).filter((name) => !ignoredTimes.includes(name));
  return [
    ...types === undefined ? [] : [type],
    ...names.map((name): TokenRule => ({
      title: times[name][0],
      cites: name === "nbf" ? ["RFC 7519 §4.1.5"] : cites,
      rule: ids.times,
      fix: times[name][1],
      check(claims, _, { now }) {
        const time = claims[name];
        if (time === undefined && !requiredClaims.includes(name)) return undefined;
        // An absent time is as wrong as one that is no number.
        const problem = findTimeProblem(policy, { [name]: time ?? "" }, now);
        return {
          passed: problem === undefined,
          expected: problem?.expected,
          received: time === undefined ? "nothing" : problem?.received ?? formatNumericDate(time),
        };
      },
    })),
    ...requiredClaims.filter((name) => !(name in times) && name !== "aud").map((name) => textClaim(name, cites)),
  ];
}

export function issuer(cites: readonly string[]): TokenRule {
  return {
    title: "iss is the issuer, character for character",
    cites,
    fix:
      "Use the issuer of the metadata, character for character: http or https, the port, and a slash at the end matter.",
    check: ({ iss }, _, expected) => equals("exactly", iss, expected.issuer),
  };
}

/** The audience is a client: of tokens and messages that a client receives. */
export function clientAudience(cites: readonly string[]): TokenRule {
  return {
    title: "aud names the client",
    cites,
    fix:
      "Use the token only at the client that it was issued to, and configure that client with the client_id that the issuer registered.",
    check(claims, _, { clientId, isClient }) {
      const values = audiences(claims);
      const passed = values.some((value) =>
        clientId === undefined ? isText(value) && isClient(value) : value === clientId
      );
      return { passed, expected: clientId ?? "the ID of a registered client", received: formatValue(claims.aud) };
    },
  };
}

/** The audience is this server: of requests, and of assertions for it. */
export function serverAudience(cites: readonly string[], rule?: RuleId): TokenRule {
  return {
    title: "aud names this server",
    cites,
    rule,
    fix: "Set aud to the issuer of this server.",
    check: (claims, _, { server }) => ({
      passed: audiences(claims).includes(server),
      expected: server,
      received: formatValue(claims.aud),
    }),
  };
}
