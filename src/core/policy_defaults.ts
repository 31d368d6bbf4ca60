/** The default policy. The settings of the whole server have the same defaults. */

import { allowancesFor, isTestHost } from "./test_hosts.ts";
import { defaultAlgorithms } from "./keys/signing_algorithm.ts";
import type { Policy } from "./policy.ts";

/** The scope values of a server that names none. */
export const defaultScopes: readonly string[] = ["openid", "profile", "email", "read", "write", "offline_access"];

/** The members that depend on no other: what a first server needs. Durations are in seconds. */
const defaultPolicy = {
  signatureAlgorithms: defaultAlgorithms,
  clientAuthMethods: ["client_secret_basic", "client_secret_post", "none"],
  allowsEmptySecret: true,
  ignoresUserScopes: false,
  requireRedirectUri: false,
  accessTokenInForm: true,
  claims: {},
  idTokenClaims: "minimal",
  accessTokenClaims: [],
  alg: "RS256",
  accessTokenTyp: "at+jwt",
  lifetimes: {
    code: 300,
    access_token: 3600,
    id_token: 3600,
    refresh_token: 30 * 24 * 3600,
    refresh_token_idle: 7 * 24 * 3600,
    session: 8 * 3600,
  },
  pkce: {
    requireMethod: false,
    requireForConfidential: false,
    acceptNonce: true,
    insecureAllowMissing: false,
    insecureAllowPlain: false,
  },
  tokenRedirectUri: "required",
  refresh: { rotateConfidential: false, rotateBound: false, grace: 0, onlyOffline: false },
  allowedOrigins: [],
  responseModes: ["query", "form_post"],
  responseTypes: ["code"],
} as const satisfies Partial<Policy>;

/** The members of a policy that a program cannot set: they follow from the issuer, or would loosen a server. */
const fixedNames = [
  "allows",
  "allowedOrigins",
  "ignoresUserScopes",
  "userScopes",
] as const satisfies readonly (keyof Policy)[];

/** @internal The name of a member that a program cannot set. */
export type FixedName = typeof fixedNames[number];

/** What a program can decide. Groups may name some of their members. */
export interface CorePolicy extends Partial<Omit<Policy, FixedName | "lifetimes" | "pkce" | "refresh">> {
  /** Lifetimes in seconds. */
  readonly lifetimes?: Partial<Policy["lifetimes"]>;
  /** When code challenges are required. */
  readonly pkce?: Partial<Policy["pkce"]>;
  /** How refresh tokens behave. */
  readonly refresh?: Partial<Omit<Policy["refresh"], "reuse">>;
}

/** Whether a program cannot set the member of this name. */
export function isFixed(name: string): boolean {
  return fixedNames.some((fixed) => fixed === name);
}

export const changeableNames: ReadonlySet<string> = new Set([
  ...Object.keys(defaultPolicy).filter((name) => !isFixed(name)),
  ...["scopes", "defaultScope", "unmappedClaims"],
]);

/** The policy of a server with this issuer: the defaults, and what differs. */
export function policyFor(issuer: string, changes: CorePolicy = {}): Policy {
  const { lifetimes = {}, pkce = {}, refresh = {}, ...others } = withoutAbsent(changes);
  const { hostname } = URL.canParse(issuer) ? new URL(issuer) : { hostname: "" };
  const allows = allowancesFor(isTestHost(hostname), []);
  const scopes = others.scopes ?? defaultScopes;
  return {
    ...defaultPolicy,
    unmappedClaims: allows.openLogin ? "openid" : "none",
    scopes,
    defaultScope: scopes.includes("read") ? ["read"] : [],
    ...others,
    lifetimes: { ...defaultPolicy.lifetimes, ...withoutAbsent(lifetimes) },
    pkce: { ...defaultPolicy.pkce, ...withoutAbsent(pkce) },
    refresh: { ...defaultPolicy.refresh, ...withoutAbsent(refresh) },
    allows,
    userScopes: scopes,
  };
}

function withoutAbsent<T extends object>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}
