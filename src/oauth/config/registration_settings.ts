/** The setting `registration`: how clients register themselves (RFC 7591) and manage their registration (RFC 7592). */

import { keySetField } from "../clients/client_fields.ts";
import type { PublicKeySet } from "../keys/remote_keys.ts";
import { validatePublicKeys } from "../keys/validate_public_keys.ts";
import { type ConfigIssue, quote } from "./config_issue.ts";
import { choice, flag, list, object, seconds, text, whole, withDefaults } from "./field.ts";

/** An issuer of software statements (RFC 7591 §2.3). It has `jwks` or `jwks_uri`. */
export interface SoftwareStatementIssuer {
  /** The `iss` of its statements, compared character by character. */
  readonly issuer: string;
  /** Its public keys (RFC 7517 §5). */
  readonly jwks?: PublicKeySet;
  /** The https URL of its public keys; fetched when a statement needs them. */
  readonly jwks_uri?: string;
}

/** How clients register themselves. */
export interface RegistrationSettings {
  /**
   * `open`: any client may register. `token`: only with an initial access token. `off`: no client may. Default: `open`
   * if the issuer is on a test host, otherwise `token` if there are initial access tokens, otherwise `off`.
   */
  readonly mode?: "open" | "token" | "off";
  /**
   * The `scope` that a client is registered for. `requested`: the scope of its request. `all`: all scope values of the
   * server, for clients that register with the scope of their first authorization request and need more later, such as
   * those of the Model Context Protocol. The response contains the registered scope. Default: requested.
   */
  readonly scope?: "requested" | "all";
  /**
   * Whether each registration causes a warning in the trace, because clients are to have client ID metadata documents.
   * Default: false, or that of the profile.
   */
  readonly deprecated?: boolean;
  /** The initial access tokens: 16 or more characters each. Each may register any number of clients. Default: none. */
  readonly initialAccessTokens?: readonly string[];
  /** The issuers whose software statements are accepted. Default: none, statements are ignored with a warning. */
  readonly softwareStatementIssuers?: readonly SoftwareStatementIssuer[];
  /** Seconds after which the secret of a registered client expires. Default: 0, never. */
  readonly secretLifetime?: number;
  /** Seconds after which a registered client is deleted if nothing was issued to it. Default: 86400, one day. */
  readonly unusedLifetime?: number;
  /** Maximum number of registered clients that nothing was issued to; further ones receive 429. Default: 10000. */
  readonly maxUnused?: number;
}

const softwareStatementIssuer = object<SoftwareStatementIssuer>(
  "SoftwareStatementIssuer",
  {
    issuer: text(["https://publisher.example"]),
    jwks: keySetField,
    jwks_uri: text(["https://publisher.example/jwks"]),
  },
  { issuer: "https://publisher.example", jwks_uri: "https://publisher.example/jwks" },
  { required: ["issuer"] },
);

/** Describes {@link RegistrationSettings}. */
export const registration = object<RegistrationSettings>("RegistrationSettings", {
  mode: choice(["open", "token", "off"]),
  scope: choice(["requested", "all"], { default: "requested" }),
  deprecated: flag(false),
  initialAccessTokens: list(text(["a-long-random-token"], { isSecret: true }), [["a-long-random-token"]]),
  softwareStatementIssuers: list(softwareStatementIssuer, [[softwareStatementIssuer.examples[0]!]], {
    expected: "an array of issuers",
  }),
  secretLifetime: whole(0, { min: 0, default: 0, expected: "a whole number of seconds, or 0" }),
  unusedLifetime: seconds(86400),
  maxUnused: whole(10_000, { min: 1, default: 10_000, expected: "a whole number, at least 1" }),
}, { mode: "token", initialAccessTokens: ["a-long-random-token"] });

/** Fills in the defaults. */
export function resolveRegistration(
  given: RegistrationSettings | undefined,
  isTestIssuer: boolean,
): Required<RegistrationSettings> {
  const { initialAccessTokens = [], softwareStatementIssuers = [] } = given ?? {};
  const limits = withDefaults(registration.members, given) as Required<RegistrationSettings>;
  const mode = given?.mode ?? (isTestIssuer ? "open" : initialAccessTokens.length > 0 ? "token" : "off");
  return { ...limits, mode, initialAccessTokens, softwareStatementIssuers };
}

/** A bearer token (RFC 6750 §2.1) that cannot be guessed. */
const initialAccessTokenPattern = /^[A-Za-z0-9._~+/-]{16,}=*$/;

/**
 * All issues of resolved settings that match their description.
 *
 * @param allowsOpen Whether `mode` may be `open` although the issuer is not on a test host.
 */
export function validateRegistration(
  { mode, initialAccessTokens, softwareStatementIssuers }: Required<RegistrationSettings>,
  { isTestIssuer, allowsOpen }: { readonly isTestIssuer: boolean; readonly allowsOpen: boolean },
): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  if (mode === "open" && !isTestIssuer && !allowsOpen) {
    issues.push({
      path: "registration.mode",
      expected: `"token" or "off", because the issuer is a real host and every visitor could register clients`,
      received: quote(mode),
      hint: 'Add initialAccessTokens and set it to "token", or set insecureAllowOpenRegistration as well.',
    });
  }
  if (mode === "token" && initialAccessTokens.length === 0) {
    issues.push({
      path: "registration.initialAccessTokens",
      expected: `at least one token, because registration.mode is "token"`,
      received: "none",
      hint: 'Add a long random token, or set registration.mode to "off".',
    });
  }
  for (const [i, token] of initialAccessTokens.entries()) {
    if (initialAccessTokenPattern.test(token)) continue;
    issues.push({
      path: `registration.initialAccessTokens[${i}]`,
      expected: "16 or more letters, digits, - . _ ~ + and /, and = at the end only",
      received: token.length < 16 ? `${token.length} characters` : "other characters",
      hint: "Choose a long random token of letters and digits.",
    });
  }
  for (const [i, trusted] of softwareStatementIssuers.entries()) {
    const path = `registration.softwareStatementIssuers[${i}]`;
    for (const issue of validatePublicKeys(trusted, isTestIssuer)) {
      issues.push({ ...issue, path: `${path}.${issue.path}` });
    }
    if (trusted.jwks === undefined && trusted.jwks_uri === undefined) {
      issues.push({
        path: `${path}.jwks`,
        expected: "the public keys of the issuer",
        received: "nothing",
        hint: "Add its keys as a JWK Set, or a jwks_uri where they are found.",
      });
    }
    if (softwareStatementIssuers.findIndex(({ issuer }) => issuer === trusted.issuer) === i) continue;
    issues.push({
      path: `${path}.issuer`,
      expected: "an issuer that is not in the list yet",
      received: quote(trusted.issuer),
      hint: "Put the keys of one issuer into one entry.",
    });
  }
  return issues;
}
