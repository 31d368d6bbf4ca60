/**
 * The policy of a server: how it decides. Its types, the fields that describe what a program can set, and the defaults.
 * `server/config/` makes it from the settings, documents them in full, and adds those that only the whole server reads.
 */

import type { ClientAuthMethod } from "../clients/client.ts";
import { type Allowances, allowancesFor, isTestHost } from "../http/test_hosts.ts";
import type { ResponseMode, ResponseType } from "../http/params.ts";
import { defaultAlgorithms, type SigningAlgorithm, signingAlgorithms } from "../keys/signing_algorithm.ts";
import {
  choice,
  type Field,
  type FieldsOf,
  flag,
  group,
  list,
  record,
  seconds,
  texts,
  whole,
  withDefaults,
} from "./field.ts";

/**
 * @internal The policy of a server. It is resolved at the start; later, hosted resources add scope values, and tests
 * change lifetimes.
 */
export interface Policy {
  /** The permissions of the server that depend on the host of its issuer. */
  readonly allows: Allowances;

  readonly signatureAlgorithms: readonly string[];
  /** Signs access tokens, and ID tokens of clients that registered no other algorithm. */
  readonly alg: SigningAlgorithm;
  /** The header parameter `typ` of access tokens that are JWTs (RFC 9068 §2.1); `none`: they have none. */
  readonly accessTokenTyp: AccessTokenTyp;
  /** The methods of client authentication that clients may use. */
  readonly clientAuthMethods: readonly ClientAuthMethod[];
  /** Whether a public client may use HTTP Basic with an empty secret (RFC 6749 §2.3.1). */
  readonly allowsEmptySecret: boolean;

  /** The accepted values of `response_mode`. Without `query`, every request must name one. */
  readonly responseModes: readonly ResponseMode[];
  /** The accepted values of `response_type`; a client must be registered for each but `code`. */
  readonly responseTypes: readonly ResponseType[];
  /** Whether an authorization request must contain `redirect_uri` even if the client has only one. */
  readonly requireRedirectUri: boolean;
  readonly pkce: PkcePolicy;
  /** `optional`: a token request may leave `redirect_uri` out if the code has a code challenge (OAuth 2.1 §10.2). */
  readonly tokenRedirectUri: "required" | "optional";

  /** The scope values in metadata. */
  readonly scopes: readonly string[];
  /** The scope values that a user can grant. */
  readonly userScopes: readonly string[];
  /**
   * Whether scope values that only a user can grant are ignored in a token request of a client alone, instead of
   * rejected (RFC 6749 §3.3).
   */
  readonly ignoresUserScopes: boolean;
  /** The scope of a request without `scope`; empty: such a request is rejected. */
  readonly defaultScope: readonly string[];
  /** The claims that each scope value releases, besides the standard claims (OpenID Connect Core §5.4). */
  readonly claims: Readonly<Record<string, readonly string[]>>;
  /** Whether `openid` releases the members of a user that no other scope value releases. */
  readonly unmappedClaims: "openid" | "none";
  /** `like-userinfo`: ID tokens too contain the claims of scope values, for clients that never call userinfo. */
  readonly idTokenClaims: "minimal" | "like-userinfo";
  /** The claims about the user in access tokens (RFC 9068 §2.2.3), if their scope value was granted. */
  readonly accessTokenClaims: readonly string[];

  readonly lifetimes: LifetimePolicy;
  /** Whether userinfo accepts an access token in a form (RFC 6750 §2.2). */
  readonly accessTokenInForm: boolean;
  readonly refresh: RefreshPolicy;
}

/** @internal The `typ` of access tokens that are JWTs. */
export type AccessTokenTyp = "at+jwt" | "JWT" | "none";

/** @internal Lifetimes in seconds. */
export interface LifetimePolicy {
  /** Authorization codes. Default: 300. Maximum: 600 (OAuth 2.1 §4.1.2). */
  readonly code: number;
  /** Access tokens. Default: 3600. */
  readonly access_token: number;
  /** ID tokens. Default: 3600. */
  readonly id_token: number;
  /** Refresh tokens, counted from the grant, even if they are used. Default: 2592000, thirty days. */
  readonly refresh_token: number;
  /** Refresh tokens, counted from their last use. Default: 604800, seven days. */
  readonly refresh_token_idle: number;
  /** Logins in one browser. Default: 28800, eight hours. */
  readonly session: number;
}

export const lifetimesField = group<LifetimePolicy>("LifetimePolicy", {
  code: seconds(300, 600),
  access_token: seconds(3600),
  id_token: seconds(3600),
  refresh_token: seconds(30 * 24 * 3600),
  refresh_token_idle: seconds(7 * 24 * 3600),
  session: seconds(8 * 3600),
}, { code: 300, access_token: 3600 });

/** @internal When code challenges are required (OAuth 2.1 §7.5.1). Public clients need one. */
export interface PkcePolicy {
  /** Reject a `code_challenge` without `code_challenge_method` instead of reading it as S256. Default: false. */
  readonly requireMethod: boolean;
  /** Require a code challenge from confidential clients too. Default: false. */
  readonly requireForConfidential: boolean;
  /**
   * Although `requireForConfidential` is set, accept a confidential client's OpenID Connect request with a `nonce`,
   * which the client verifies instead (OAuth 2.1 §7.5.1). Default: false if `requireForConfidential` is set.
   */
  readonly acceptNonce: boolean;
  /**
   * Insecure: accept public clients without a code challenge, with a warning, as some providers do: a stolen code is
   * then as good as a token. A client with `require_pkce` needs one nevertheless. If `tokenRedirectUri` is optional, a
   * code without a challenge needs no `redirect_uri` either. Only on test hosts. Default: false.
   */
  readonly insecureAllowMissing: boolean;
  /**
   * Insecure: accept `code_challenge_method=plain`, with a warning, as some providers do. Only on test hosts. Default:
   * false.
   */
  readonly insecureAllowPlain: boolean;
}

/**
 * Describes {@link PkcePolicy}. `acceptNonce` has no default here: it is true unless `requireForConfidential` is set.
 */
export const pkceField = group<PkcePolicy>("PkcePolicy", {
  requireMethod: flag(false),
  requireForConfidential: flag(false),
  acceptNonce: flag(),
  insecureAllowMissing: flag(false),
  insecureAllowPlain: flag(false),
}, { requireMethod: true, requireForConfidential: true });

/** @internal How refresh tokens behave (OAuth 2.1 §4.3). Those of public clients rotate. */
export interface RefreshPolicy {
  /** Rotate the refresh tokens of confidential clients too. Default: false. */
  readonly rotateConfidential: boolean;
  /**
   * Seconds within which a rotated token is accepted again and returns the same new token, for clients that lost the
   * response. Default: 0 (a second use revokes the grant). Maximum: 60.
   */
  readonly grace: number;
  /** Issue refresh tokens only if `offline_access` was granted. Default: false. */
  readonly onlyOffline: boolean;
}

/** Describes what a program decides about refresh tokens. */
export const refreshField = group<RefreshPolicy>("RefreshPolicy", {
  rotateConfidential: flag(false),
  grace: whole(10, {
    min: 0,
    max: 60,
    default: 0,
    expected: "whole seconds from 0 to 60",
    hint: () => "A client repeats a lost request immediately: 10 is enough.",
  }),
  onlyOffline: flag(false),
}, { grace: 10 });

/**
 * @internal How a user logs in: `auto` without a page, with `login: "auto"`; `open` on the login page without a
 * password; `password` on the login page; `approver` as the approver of the embedding program states.
 */
export type LoginMethod = "auto" | "open" | "password" | "approver";

/** The methods of client authentication of every server. */
export const coreAuthMethods: readonly string[] = ["client_secret_basic", "client_secret_post", "none"];

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

/** Describes the members of the policy that a program can set. */
export const policyFields = {
  alg: { ...signingAlgorithmField, default: "RS256" as const },
  signatureAlgorithms: list(choice(signingAlgorithms), [["ES256", "EdDSA"]], {
    expected: "an array of asymmetric signature algorithms",
    default: defaultAlgorithms,
  }),
  accessTokenTyp: choice(["at+jwt", "JWT", "none"], { default: "at+jwt" as const }),
  clientAuthMethods: list(choice(coreAuthMethods), [["client_secret_basic", "none"]], { default: coreAuthMethods }),
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

/**
 * The members of a policy that a program cannot set: they follow from other values, or setting them would weaken the
 * server.
 */
export const notSettable = [
  "allows",
  "ignoresUserScopes",
  "userScopes",
] as const satisfies readonly (keyof Policy)[];

/** @internal The name of a member that a program cannot set. */
export type NotSettable = typeof notSettable[number];

/** The values of a policy that a program can set; a group may be partial. */
export interface CorePolicy extends Partial<Omit<Policy, NotSettable | "lifetimes" | "pkce" | "refresh">> {
  /** Lifetimes in seconds. */
  readonly lifetimes?: Partial<Policy["lifetimes"]>;
  /** When code challenges are required. */
  readonly pkce?: Partial<Policy["pkce"]>;
  /** How refresh tokens behave. */
  readonly refresh?: Partial<Policy["refresh"]>;
}

/** The policy of a server with this issuer: the defaults, and what differs. */
export function policyFor(issuer: string, changes: CorePolicy = {}): Policy {
  const { hostname } = URL.canParse(issuer) ? new URL(issuer) : { hostname: "" };
  const values = withDefaults(policyFields as FieldsOf<PolicyValues>, changes as PolicyValues);
  return {
    ...changes,
    ...derivedPolicy(values, allowancesFor(isTestHost(hostname), [])),
    ignoresUserScopes: false,
    userScopes: values.scopes,
  };
}

/** The values of a policy, with the defaults of their fields. */
type PolicyValues =
  & Omit<Policy, NotSettable | "defaultScope" | "pkce" | "unmappedClaims">
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
