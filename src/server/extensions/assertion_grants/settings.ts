/** The setting `trustedIssuers`: issuers whose assertions are authorization grants (RFC 7523 §2.1). */

import { keySetField } from "../../config/client_fields.ts";
import type { PublicKeySet } from "../../../core/keys/jwk.ts";
import { verificationAlgorithms } from "../../config/verification_algorithms.ts";
import {
  choice,
  type Field,
  type FieldsOf,
  flag,
  list,
  object,
  record,
  seconds,
  text,
  texts,
} from "../../../core/policy/field.ts";
import { quote } from "../../config/config_issue.ts";
import { validateAvailable, validatePublicKeys } from "../../config/key_issues.ts";
import type { Allowances } from "../../../core/http/test_hosts.ts";
import type { ConfigIssue } from "../../../core/rules/configuration_error.ts";

/** @internal */
export interface AssertionGrantSettings {
  /**
   * The issuers whose assertions clients may exchange for access tokens (RFC 7523 §2.1), such as an identity provider
   * or a platform that runs workloads. Default: none, the grant type is off.
   */
  readonly trustedIssuers?: readonly TrustedIssuer[];
}

/** The setting that is in effect. */
export type AssertionGrantPolicy = Required<AssertionGrantSettings>;

/** @internal The user or client of this server that a subject of another issuer is mapped to. */
export interface MappedSubject {
  /** The `sub` of the user. Default: no user, the client acts on its own behalf. */
  readonly user?: string;
  /** The only client that may use assertions about this subject. Default: any client of the issuer's entry. */
  readonly client?: string;
}

/**
 * @internal An issuer whose assertions are authorization grants: clients exchange them for access tokens by the grant
 * type `urn:ietf:params:oauth:grant-type:jwt-bearer`.
 *
 * @example
 * ```ts
 * const identityProvider: TrustedIssuer = {
 *   issuer: "https://idp.example",
 *   jwks_uri: "https://idp.example/jwks",
 *   grantProfile: "id-jag",
 *   users: "sub",
 * };
 * ```
 */
export interface TrustedIssuer {
  /** The `iss` of its assertions, compared character by character. */
  readonly issuer: string;
  /** The `tenant` claim of its assertions. Default: assertions have no such claim. */
  readonly tenant?: string;
  /** Its public keys (RFC 7517 §5). */
  readonly jwks?: PublicKeySet;
  /**
   * The https URL of these keys; fetched when an assertion needs them, and again when an assertion names an unknown
   * key.
   */
  readonly jwks_uri?: string;
  /** The accepted signature algorithms. Default: every asymmetric one. */
  readonly algorithms?: readonly string[];
  /**
   * `id-jag`: accept only Identity Assertion Authorization Grants, which name the client. Default: accept only other
   * assertions.
   */
  readonly grantProfile?: "id-jag";
  /**
   * Maps a `sub` that `subjects` does not list. `sub`: to the user with the same `sub` at this server. `email`: to the
   * only user with the `email` claim of the assertion, if its `email_verified` is true and the user's is not
   * false. `aud_sub`: to the user whose `sub` is the `aud_sub` of an ID-JAG, the account that the identity provider
   * knows at this server. Default: to no user.
   */
  readonly users?: "sub" | "email" | "aud_sub";
  /**
   * An `email` claim counts as verified if the assertion has no `email_verified`: only for an issuer that verifies
   * every address. Needs `users: "email"`. Default: true if this server is on a test host, otherwise false.
   */
  readonly assumeEmailVerified?: boolean;
  /**
   * Create the user of an unknown `sub`, with the `name` and `email` of the assertion. Needs `users: "sub"`. Default:
   * false.
   */
  readonly provision?: boolean;
  /** The user or client that each `sub` is mapped to. Default: none. */
  readonly subjects?: Readonly<Record<string, MappedSubject>>;
  /**
   * The clients that may use its assertions. Default: every client that the operator configured with
   * the grant type; no other client.
   */
  readonly clients?: readonly string[];
  /**
   * Accept its assertions from public clients, and from requests that name no client. Such a request is from the client
   * in `subjects`, or the client of the ID-JAG. Default: false.
   */
  readonly allowPublicClients?: boolean;
  /** The scope values that its assertions can grant. Default: every value that the client may request. */
  readonly scopes?: readonly string[];
  /** The resources that its assertions can grant access to. Default: every resource. */
  readonly resources?: readonly string[];
  /** Accept each assertion once; it must have a `jti`. Default: false, an assertion can be used again until `exp`. */
  readonly singleUse?: boolean;
  /** Maximum seconds from `iat` (without `iat`: from now) to `exp` of an assertion. Default: 3600. */
  readonly maxLifetime?: number;
}

const example: TrustedIssuer = {
  issuer: "https://idp.example",
  jwks_uri: "https://idp.example/jwks",
  users: "sub",
};

const trustedIssuerField: Field<TrustedIssuer> = object<TrustedIssuer>(
  "TrustedIssuer",
  {
    issuer: text(["https://idp.example"]),
    tenant: text(["acme"]),
    jwks: keySetField,
    jwks_uri: text(["https://idp.example/jwks"]),
    algorithms: list(choice(verificationAlgorithms), [["ES256"]], { expected: "an array of asymmetric algorithms" }),
    grantProfile: choice(["id-jag"]),
    users: choice(["sub", "email", "aud_sub"]),
    assumeEmailVerified: flag(),
    provision: flag(false),
    subjects: record(
      object<MappedSubject>("MappedSubject", { user: text(["alice"]), client: text(["worker"]) }, { client: "worker" }),
      { "system:serviceaccount:shop:worker": { client: "worker" } },
      "an object of users and clients by subject",
    ),
    clients: texts(["web"]),
    allowPublicClients: flag(false),
    scopes: texts(["read"]),
    resources: texts(["https://api.example"]),
    singleUse: flag(false),
    maxLifetime: seconds(3600),
  },
  example,
  { required: ["issuer"] },
);

export const assertionGrantFields: FieldsOf<AssertionGrantSettings> = {
  trustedIssuers: list(trustedIssuerField, [trustedIssuerField.examples], {
    expected: "an array of issuers",
    default: [],
  }),
};

/** How to use a token of this server instead of an assertion. */
export const ownTokenFix =
  "Assertions are of other issuers. Exchange a token of this server by token exchange, which the setting tokenExchange enables.";

/**
 * All issues of trusted issuers that match their description.
 *
 * @param issuer The issuer of this server.
 * @param scopes All scope values of this server.
 */
export function validateTrustedIssuers(
  trustedIssuers: readonly TrustedIssuer[],
  { issuer, scopes, allows }: {
    readonly issuer: string;
    readonly scopes: readonly string[];
    readonly allows: Allowances;
  },
): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  for (const [i, trusted] of trustedIssuers.entries()) {
    const report = (name: string, expected: string, received: string, hint: string) =>
      issues.push({ path: `trustedIssuers[${i}].${name}`, expected, received, hint });
    if (trusted.issuer === issuer) {
      report(
        "issuer",
        "another issuer than this server",
        quote(issuer),
        `Remove it. ${ownTokenFix}`,
      );
    }
    const isSame = (other: TrustedIssuer) => other.issuer === trusted.issuer && other.tenant === trusted.tenant;
    if (trustedIssuers.findIndex(isSame) < i) {
      report(
        "issuer",
        "each issuer once, or once for each tenant",
        `${quote(trusted.issuer)} again`,
        "Remove one of them.",
      );
    }
    const { algorithms = [] } = trusted;
    issues.push(...algorithms.flatMap((alg, j) => validateAvailable(`trustedIssuers[${i}].algorithms[${j}]`, alg)));
    if (trusted.jwks === undefined && trusted.jwks_uri === undefined) {
      report("jwks", "the public keys of the issuer", "nothing", "Add its jwks, or the jwks_uri that serves them.");
    }
    for (const issue of validatePublicKeys(trusted, allows.localUrls)) {
      issues.push({ ...issue, path: `trustedIssuers[${i}].${issue.path}` });
    }
    if (trusted.users === undefined && trusted.subjects === undefined) {
      report(
        "users",
        "a mapping of subjects to users or clients",
        "nothing",
        `Add users: "sub" if this server has the same subjects, or list them in subjects.`,
      );
    }
    if (trusted.users === "aud_sub" && trusted.grantProfile !== "id-jag") {
      const hint = `Set grantProfile to "id-jag", or users to "sub" or "email".`;
      report("users", `grantProfile: "id-jag" as well, because only ID-JAGs have aud_sub`, "aud_sub", hint);
    }
    if (trusted.provision === true && trusted.users !== "sub") {
      report("provision", `users: "sub" as well`, String(trusted.users), `Set users to "sub", or remove provision.`);
    }
    if (trusted.assumeEmailVerified === true && trusted.users !== "email") {
      report(
        "assumeEmailVerified",
        `users: "email" as well`,
        String(trusted.users),
        `Set users to "email", or remove assumeEmailVerified.`,
      );
    }
    for (const value of trusted.scopes ?? []) {
      if (scopes.includes(value)) continue;
      report(
        "scopes",
        `scope values of the server (${scopes.join(" ")})`,
        quote(value),
        "Add it to scopes, or remove it.",
      );
    }
  }
  return issues;
}
