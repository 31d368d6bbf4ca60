/**
 * Describes the policy, with its defaults. `server/config/` describes the settings with these fields, and adds those
 * that only the whole server reads.
 */

import {
  choice,
  type Field,
  type Fields,
  flag,
  group,
  list,
  record,
  seconds,
  texts,
  whole,
  withDefaults,
} from "./field.ts";
import { defaultAlgorithms, type SigningAlgorithm, signingAlgorithms } from "../keys/signing_algorithm.ts";
import type { LifetimePolicy, PkcePolicy, Policy, RefreshPolicy } from "./policy.ts";
import { type Allowances, allowancesFor, isTestHost } from "../http/test_hosts.ts";

/** The methods of client authentication of every server. */
export const ownAuthMethods: readonly string[] = ["client_secret_basic", "client_secret_post", "none"];

/** The scope values of a server that names none. */
export const defaultScopes: readonly string[] = ["openid", "profile", "email", "read", "write", "offline_access"];

/** Describes the algorithm of a JWT that the server signs with a key of its own. */
export const signingAlgorithmField: Field<SigningAlgorithm> = {
  ...choice(signingAlgorithms),
  hint: (text = "") =>
    /^HS\d/.test(text)
      ? 'Write it like "RS256", and set the same algorithm in the client: the server signs with its own keys, never ' +
        "with the secret of a client."
      : undefined,
};

/** Describes {@link LifetimePolicy}. */
export const lifetimesField = group<LifetimePolicy>("LifetimePolicy", {
  code: seconds(300, 600),
  access_token: seconds(3600),
  id_token: seconds(3600),
  refresh_token: seconds(30 * 24 * 3600),
  refresh_token_idle: seconds(7 * 24 * 3600),
  session: seconds(8 * 3600),
}, { code: 300, access_token: 3600 });

/** Describes {@link PkcePolicy}. The default of `acceptNonce` is whether `requireForConfidential` is not set. */
export const pkceField = group<PkcePolicy>("PkcePolicy", {
  requireMethod: flag(false),
  requireForConfidential: flag(false),
  acceptNonce: flag(),
  insecureAllowMissing: flag(false),
  insecureAllowPlain: flag(false),
}, { requireMethod: true, requireForConfidential: true });

/** Describes what a program decides about refresh tokens. */
export const refreshField = group<Omit<RefreshPolicy, "reuse">>("RefreshPolicy", {
  rotateConfidential: flag(false),
  rotateBound: flag(false),
  grace: whole(10, {
    min: 0,
    max: 60,
    default: 0,
    expected: "whole seconds from 0 to 60",
    hint: () => "A client repeats a lost request immediately: 10 is enough.",
  }),
  onlyOffline: flag(false),
}, { grace: 10 });

/** Describes the members of the policy that a program can set. */
export const policyFields = {
  alg: { ...signingAlgorithmField, default: "RS256" as const },
  signatureAlgorithms: list(choice(signingAlgorithms), [["ES256", "EdDSA"]], {
    expected: "an array of asymmetric signature algorithms",
    default: defaultAlgorithms,
  }),
  accessTokenTyp: choice(["at+jwt", "JWT", "none"], { default: "at+jwt" as const }),
  clientAuthMethods: list(choice(ownAuthMethods), [["client_secret_basic", "none"]], { default: ownAuthMethods }),
  allowsEmptySecret: flag(true),
  requireRedirectUri: flag(false),
  tokenRedirectUri: choice(["required", "optional"], { default: "required" as const }),
  responseModes: texts(["query"], {
    min: 1,
    expected: "an array of response modes, at least one",
    default: ["query", "form_post"],
  }),
  responseTypes: list(choice<string, object>(["code"]), [["code"]], {
    min: 1,
    expected: "an array of response types, at least one",
    default: ["code"],
  }),
  scopes: texts(["openid", "profile", "read"], { default: defaultScopes }),
  defaultScope: texts(["read"]),
  claims: {
    ...record(texts(["groups"]), { groups: ["groups"], profile: ["employee_no"] }, "an object of arrays of strings"),
    default: {},
  },
  unmappedClaims: choice(["openid", "none"]),
  idTokenClaims: choice(["minimal", "like-userinfo"], { default: "minimal" as const }),
  accessTokenClaims: texts(["roles"], { default: [] }),
  accessTokenInForm: flag(true),
  lifetimes: lifetimesField,
  pkce: pkceField,
  refresh: refreshField,
};

/** The members of a policy that a program cannot set: they follow from the issuer, or would loosen a server. */
export const fixedNames = [
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

/** The policy of a server with this issuer: the defaults, and what differs. */
export function policyFor(issuer: string, changes: CorePolicy = {}): Policy {
  const { hostname } = URL.canParse(issuer) ? new URL(issuer) : { hostname: "" };
  const values = withDefaults(policyFields as Fields<PolicyValues>, changes as PolicyValues);
  return {
    ...changes,
    ...derivedPolicy(values, allowancesFor(isTestHost(hostname), [])),
    allowedOrigins: [],
    ignoresUserScopes: false,
    userScopes: values.scopes,
  };
}

/** The values of a policy, with the defaults of their fields. */
type PolicyValues =
  & Omit<Policy, FixedName | "defaultScope" | "pkce" | "unmappedClaims">
  & Partial<Pick<Policy, "defaultScope" | "unmappedClaims">>
  & { readonly pkce: Omit<PkcePolicy, "acceptNonce"> & Partial<Pick<PkcePolicy, "acceptNonce">> };

/** The values, and the defaults that follow from other values and from the host of the issuer. */
export function derivedPolicy<Values extends PolicyValues>(values: Values, allows: Allowances) {
  const { scopes, pkce, defaultScope, unmappedClaims } = values;
  return {
    ...values,
    allows,
    defaultScope: defaultScope ?? (scopes.includes("read") ? ["read"] : []),
    unmappedClaims: unmappedClaims ?? (allows.openLogin ? "openid" as const : "none" as const),
    pkce: { ...pkce, acceptNonce: pkce.acceptNonce ?? !pkce.requireForConfidential },
  };
}
