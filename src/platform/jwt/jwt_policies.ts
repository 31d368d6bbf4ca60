/**
 * The requirements for each kind of JWT: every `typ`, tolerance and limit. Extensions have the policies of JWTs that
 * only they read. The code that has the keys checks the signature, the issuer and the audience. Settings can shorten
 * the lifetimes.
 */

import { isCompactJws, mediaType } from "../../core/keys/verification.ts";
import { describeKind, quoteValue } from "../../core/http/quote_value.ts";

/** The requirements for one kind of JWT. Times are in seconds. */
export interface JwtPolicy {
  /** The accepted values of `typ`, in lower case and without `application/`. Default: `typ` is not checked. */
  readonly types?: readonly string[];
  /** Whether `typ` may be absent. Default: false. */
  readonly isTypeOptional?: boolean;
  /** By how much `iat` and `nbf` may be ahead of the clock of the server, because clocks differ. */
  readonly secondsAhead: number;
  /** For how long it is accepted after its `exp`. */
  readonly secondsLate: number;
  /** The times that are not compared with the clock. Default: none. */
  readonly ignoredTimes?: readonly JwtTime[];
  /** The claims that must be present. Default: none. */
  readonly requiredClaims?: readonly string[];
  /** The maximum time until its `exp`. Default: none. */
  readonly maxLifetime?: number;
  /** The lifetime above which it causes a warning. Default: none. */
  readonly usualLifetime?: number;
  /** Its maximum length in characters. Default: that of the message that contains it. */
  readonly maxLength?: number;
}

/** The claims with the times of a JWT (RFC 7519 §4.1). */
type JwtTime = "iat" | "nbf" | "exp";

/** For JWTs of this server. Tests can set its clock back, so `iat` may be in the future. */
export const ownClockTolerance = { secondsAhead: 0, secondsLate: 0, ignoredTimes: ["iat"] } as const;

/**
 * For JWTs of clients and other issuers. FAPI 2.0 Security Profile §5.3.2.1: up to 10 seconds ahead must be accepted,
 * more than 60 must be rejected.
 */
export const foreignClockTolerance = { secondsAhead: 10, secondsLate: 0 } as const;

/** The policies of every server, by the kind of the JWT. */
export const jwtPolicies = {
  /** An access token of this server, at this server (RFC 9068 §4). */
  access_token: { ...ownClockTolerance, types: ["at+jwt"] },
  /**
   * An access token at a resource with its own clock (RFC 9068 §4). An option of the resource sets another tolerance.
   */
  resource_access_token: {
    ...{ secondsAhead: 10, secondsLate: 10, ignoredTimes: ["iat"] },
    ...{ types: ["at+jwt"], requiredClaims: ["exp"] },
  },
  /** A JWT of this server of which only the signature is checked. */
  own_signature: { ...ownClockTolerance, ignoredTimes: ["iat", "nbf", "exp"] },
  /** A signed authorization response (JARM §2.4), which has no `typ`. */
  authorization_response: { ...ownClockTolerance, requiredClaims: ["aud", "exp"] },
} as const satisfies Readonly<Record<string, JwtPolicy>>;

/** The part of a JWT that its policy does not accept. */
export interface JwtProblem {
  /** `form`: it is not one canonical JWT. */
  readonly part: "form" | "typ" | JwtTime;
  /** A sentence without a full stop. */
  readonly reason: string;
  readonly expected: string;
  readonly received: string;
}

export class JwtPolicyError extends Error {
  readonly problem: JwtProblem;

  constructor(problem: JwtProblem) {
    super(problem.reason);
    this.problem = problem;
  }
}

/** The problem of a text that is not one JWT; `undefined` for a JWT, whatever it contains. */
export function findFormProblem(jwt: string): JwtProblem | undefined {
  if (isCompactJws(jwt)) return undefined;
  const expected = "three parts of canonical base64url without padding";
  return { part: "form", reason: "it is not a JWT", expected, received: "text that is not a JWT" };
}

/** The first problem of the type. A media type: case and the prefix `application/` are ignored (RFC 7515 §4.1.9). */
export function findTypeProblem({ types, isTypeOptional = false }: JwtPolicy, typ: unknown): JwtProblem | undefined {
  if (types === undefined || isTypeOptional && typ === undefined) return undefined;
  if (typeof typ === "string" && types.includes(mediaType(typ))) return undefined;
  return {
    ...{ part: "typ", reason: "it is a JWT of another type" },
    expected: `typ = ${types.join(" or ")}${isTypeOptional ? ", or no typ" : ""}`,
    received: typ === undefined ? "no typ" : `typ ${quoteValue(typ)}`,
  };
}

const times: readonly JwtTime[] = ["exp", "nbf", "iat"];

type Times = { readonly [Name in JwtTime]?: unknown };

/** The problem of the first time that is not a number. */
export function findTimeTypeProblem(claims: Times): JwtProblem | undefined {
  const part = times.find((name) => claims[name] !== undefined && typeof claims[name] !== "number");
  if (part === undefined) return undefined;
  const expected = `${part} in seconds since 1970`;
  return { part, reason: `${part} is not a number`, expected, received: describeKind(claims[part]) };
}

/**
 * The first problem of the times of a JWT. Each must be a number, even one that is not compared with the clock.
 *
 * @param now The time in seconds since the epoch.
 */
export function findTimeProblem(policy: JwtPolicy, claims: Times, now: number): JwtProblem | undefined {
  const problem = findTimeTypeProblem(claims);
  if (problem !== undefined) return problem;
  const { ignoredTimes = [], secondsAhead, secondsLate } = policy;
  for (const part of times) {
    const time = claims[part] as number | undefined;
    if (time === undefined || ignoredTimes.includes(part)) continue;
    const isExpiry = part === "exp";
    if (isExpiry ? time > now - secondsLate : time <= now + secondsAhead) continue;
    return {
      ...{ part, reason: isExpiry ? "it has expired" : `${part} is in the future` },
      expected: `${part} ${isExpiry ? "after" : "up to"} ${formatClaimTime(now)}, the time of this server`,
      received: `${part} ${formatClaimTime(time)}`,
    };
  }
  return undefined;
}

/** A time of a claim for messages: ISO 8601, UTC; the number if no date can represent it. */
export function formatClaimTime(seconds: number): string {
  return Math.abs(seconds) <= 8.64e12 ? new Date(seconds * 1000).toISOString() : String(seconds);
}

/** The time of a claim in milliseconds; `undefined` if the claim is absent or not a number. */
export function millisecondsOf(seconds: unknown): number | undefined {
  return typeof seconds === "number" ? seconds * 1000 : undefined;
}
