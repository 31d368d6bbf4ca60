/**
 * The settings of registration: how clients register themselves (RFC 7591) and manage their registration (RFC 7592).
 */

import { describeSettings } from "../../config/extension_settings.ts";
import { keySetField } from "../../config/client_fields.ts";
import type { PublicKeySet } from "../../../core/keys/jwk.ts";
import { choice, type FieldsOf, group, list, object, text, whole } from "../../../core/policy/field.ts";
import { quote } from "../../config/config_issue.ts";
import { pathField } from "../../config/endpoint_paths.ts";
import { validatePublicKeys } from "../../config/key_issues.ts";
import type { ConfigIssue } from "../../../core/rules/configuration_error.ts";
import type { ByProfile, ServerPolicy } from "../../config/server_policy.ts";

/** @internal */
export interface RegistrationMembers {
  /** How clients register themselves (RFC 7591, RFC 7592). */
  readonly registration?: RegistrationSettings;
}

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
   * `open`: any client may register. `token`: only with an initial access token. `off`: no client may. Default: `token`
   * if there are initial access tokens, otherwise `open` if the issuer is on a test host, otherwise `off`.
   */
  readonly mode?: "open" | "token" | "off";
  /**
   * The `scope` that a client is registered for. `requested`: the scope of its request. `all`: all scope values of the
   * server, for clients such as those of the Model Context Protocol, which register with the scope of their first
   * authorization request and need more later. The response contains the registered scope. Default: requested.
   */
  readonly scope?: "requested" | "all";
  /**
   * Values that the server does not support, such as algorithms of responses, and values of `grant_types`,
   * `response_types` and `scope`. `ignore`: they are left out with a warning, if `authorization_code`, `code` and a
   * scope value remain, and the response contains what was registered (RFC 7591 §3.2.1). `reject`: the registration is
   * rejected. Default: ignore, or the value of the profile.
   */
  readonly unsupportedValues?: "ignore" | "reject";
  /** The initial access tokens: 16 or more characters each. Each may register any number of clients. Default: none. */
  readonly initialAccessTokens?: readonly string[];
  /** The issuers whose software statements are accepted. Default: none; statements are ignored with a warning. */
  readonly softwareStatementIssuers?: readonly SoftwareStatementIssuer[];
  /** Seconds after which the secret of a registered client expires. Default: 0, never. */
  readonly secretLifetime?: number;
  /**
   * Maximum number of clients that registered without an initial access token. A further registration removes the
   * clients that were unused the longest. Clients whose tokens may still be valid, and those that registered less than
   * a minute ago, stay: if there are no others, the registration is rejected with 429. Default: 2000.
   */
  readonly maxClients?: number;
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

const registrationField = group<RegistrationSettings>("RegistrationSettings", {
  mode: choice(["open", "token", "off"]),
  scope: choice(["requested", "all"], { default: "requested" }),
  unsupportedValues: choice(["ignore", "reject"], { default: "ignore" }),
  initialAccessTokens: list(text(["a-long-random-token"], { mayBeReference: true }), [["a-long-random-token"]], {
    default: [],
  }),
  softwareStatementIssuers: list(softwareStatementIssuer, [[softwareStatementIssuer.examples[0]!]], {
    expected: "an array of issuers",
    default: [],
  }),
  secretLifetime: whole(0, { min: 0, default: 0, expected: "a whole number of seconds, or 0" }),
  maxClients: whole(2000, { min: 1, default: 2000, expected: "a whole number, at least 1" }),
}, { mode: "token", initialAccessTokens: ["a-long-random-token"] });

export const registrationFields: FieldsOf<RegistrationMembers> = {
  registration: registrationField,
};

export interface RegistrationPolicy {
  /** How clients register themselves. */
  readonly registration: Required<RegistrationSettings>;
}

export interface RegistrationEndpointPaths {
  /** Default: `/oauth2/register`. The registration of each client is below it. */
  readonly registration_endpoint?: string;
}

export const registrationEndpointPaths: FieldsOf<RegistrationEndpointPaths> = {
  registration_endpoint: pathField("/register"),
};

export const registrationSettings = describeSettings<RegistrationPolicy>({
  fields: registrationFields,
  paths: registrationEndpointPaths,
  resolve({ registration }, { unknownClients }) {
    const byHost = unknownClients ? "open" : "off";
    const mode = registration.mode ?? (registration.initialAccessTokens.length > 0 ? "token" : byHost);
    return {
      registration: { ...registration, mode },
      ...mode !== "off" && { acceptsUnknownClients: true },
    };
  },
});

/** How clients register themselves at a server with the extension. */
export function registrationPolicy({ policy }: { readonly policy: object }): Required<RegistrationSettings> {
  return registrationSettings.of(policy).registration;
}

/** A bearer token (RFC 6750 §2.1) that cannot be guessed. */
const initialAccessTokenPattern = /^[A-Za-z0-9._~+/-]{16,}=*$/;

/** All issues of resolved settings that match their description. */
export function validateRegistration(
  { allows, registration, insecure }: ServerPolicy & RegistrationPolicy,
  isOpen: boolean,
): ConfigIssue[] {
  const { mode, initialAccessTokens, softwareStatementIssuers } = registration;
  const issues: ConfigIssue[] = [];
  if (mode === "open" && !isOpen && !insecure.includes("open-registration")) {
    issues.push({
      path: "registration.mode",
      expected: `"token" or "off", because the issuer is not a test host and every visitor could register clients`,
      received: quote(mode),
      hint: 'Add initialAccessTokens and set it to "token", or add "open-registration" to insecure.',
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
    for (const issue of validatePublicKeys(trusted, allows.localUrls)) {
      issues.push({ ...issue, path: `${path}.${issue.path}` });
    }
    if (trusted.jwks === undefined && trusted.jwks_uri === undefined) {
      issues.push({
        path: `${path}.jwks`,
        expected: "the public keys of the issuer",
        received: "nothing",
        hint: "Add its keys as a JWK Set, or a jwks_uri that serves them.",
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

/** Why a server registers no client. */
export function describeOff({ byProfile }: ByProfile): string {
  const advice = byProfile === ""
    ? "set registration.mode to 'open', or to 'token' with registration.initialAccessTokens"
    : "use a client ID metadata document, or configure the client";
  return `registration is off${byProfile}: ${advice}`;
}
