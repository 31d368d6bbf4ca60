/** All issues of the metadata of one client (RFC 7591 §2). */

import { immediate } from "../../core/immediate.ts";
import { isMlDsa } from "../../core/keys/signing_algorithm.ts";
import { anyValue } from "../../core/field.ts";
import { suggest } from "../../core/suggest.ts";
import { quote } from "./config_issue.ts";
import { validate } from "./validate.ts";
import type { ConfigIssue } from "../../core/configuration_error.ts";
import type { Policy } from "../../core/policy.ts";
import { byProfile, type ServerPolicy, serverPolicy, supportedGrantTypes, tightenPolicy } from "./server_policy.ts";
import { validatePublicKeys } from "./key_issues.ts";
import { sortResponseType, splitScope } from "../../core/params.ts";
import { findJoinedValues } from "./separators.ts";
import { responseTypeNames } from "./setting_groups.ts";
import { grantTypesFor } from "../../core/clients/client.ts";
import { authMethodsOf, type ClientAuthMethod, type ClientMetadata } from "./client_metadata.ts";
import { validatePageUrls, validatePostLogoutRedirectUris, validateRedirectUris } from "./uri_issues.ts";

/** Compares metadata that matches its description with the settings. Paths are relative to the client. */
type ClientValidator = (client: ClientMetadata, settings: ServerPolicy) => ConfigIssue[];

/** The validators, in the order of their issues. */
const validators: readonly ClientValidator[] = [
  validateAuthMethod,
  validateClientSecret,
  validateClientKeys,
  validateGrantTypes,
  validateResponseTypes,
  validateResponseModes,
  validateRedirectUris,
  validatePostLogoutRedirectUris,
  validatePageUrls,
  validateSubjectType,
  validateAlgorithms,
  validateClientProfile,
  validateDemands,
  validateScope,
];

/**
 * All issues; paths are relative to the client. Only metadata that matches its description is compared with the server.
 */
export function validateClient(client: ClientMetadata, settings: Policy): ConfigIssue[] {
  // Unknown members of a client that is registered at run time are ignored (RFC 7591 §2).
  const issues = validate({ ...serverPolicy(settings).clientField, others: anyValue }, client);
  if (issues.length > 0) return issues;
  const policy = tightenPolicy(settings, client);
  return [
    ...validators.flatMap((validator) => validator(client, policy)),
    ...policy.extensions.flatMap(({ name, clientMetadata }) =>
      immediate(`clientMetadata.validate of the extension ${name}`, clientMetadata?.validate?.(client, policy)) ?? []
    ),
  ];
}

/** Each request with an unsupported grant type would be rejected. */
function validateGrantTypes({ grant_types = [] }: ClientMetadata, settings: ServerPolicy): ConfigIssue[] {
  const supported = supportedGrantTypes(settings).map(({ type }) => type);
  return grant_types.flatMap((type, i) =>
    supported.includes(type) ? [] : [{
      path: `grant_types[${i}]`,
      expected: `one of ${supported.join(", ")}`,
      received: quote(type),
      hint: type === "password" || type === "implicit"
        ? "OAuth 2.1 has no such grant type: use authorization_code."
        : settingOfGrantType(settings, type) !== undefined
        ? `Add the setting ${settingOfGrantType(settings, type)}, which enables it, or remove it.`
        : "Remove it: this server does not support it.",
    }]
  );
}

/** The settings that switch a grant type on; `undefined` for a grant type that no setting switches on. */
export function settingOfGrantType({ extensions }: ServerPolicy, type: string): string | undefined {
  return extensions.flatMap(({ grantTypes = [] }) => grantTypes).find((optional) => optional.type === type)?.setting;
}

function validateResponseTypes(
  { response_types = [], grant_types }: ClientMetadata,
  policy: ServerPolicy,
): ConfigIssue[] {
  const { responseTypes } = policy;
  const unsupported = response_types.flatMap((type, i) => {
    const name = sortResponseType(type);
    if (responseTypes.some((supported) => supported === name)) return [];
    const decider = byProfile(policy, "responseTypes");
    const isKnown = decider === "" && responseTypeNames.some((known) => known === name);
    return [{
      path: `response_types[${i}]`,
      expected: `${responseTypes.map(quote).join(" or ")}${decider}`,
      received: quote(type),
      hint: isKnown ? "Add it to the setting responseTypes, or remove it here." : `Write ["code"].`,
    }];
  });
  if (unsupported.length > 0 || grant_types === undefined) return unsupported;
  const beside = response_types.filter((type) => type !== "code");
  return grantTypesFor(beside).filter((needed) => !grant_types.includes(needed)).map((needed) => ({
    path: "grant_types",
    expected: `${needed}, because response_types contains ${quote(beside.join(", "))}`,
    received: quote(grant_types.join(" ")),
    hint: `Add ${needed}, or leave grant_types out.`,
  }));
}

function validateSubjectType({ subject_type = "public" }: ClientMetadata, settings: ServerPolicy): ConfigIssue[] {
  const { subjectTypes: supported } = settings;
  return supported.includes(subject_type) ? [] : [{
    path: "subject_type",
    expected: `one of ${supported.join(", ")}`,
    received: quote(subject_type),
    hint: "Remove it, or add the extension.",
  }];
}

function validateResponseModes({ response_modes = [] }: ClientMetadata, settings: ServerPolicy): ConfigIssue[] {
  const { responseModes } = settings;
  // An empty list is an issue of the settings, or of the client's profile.
  if (responseModes.length === 0) return [];
  return response_modes.flatMap((mode, i) =>
    responseModes.includes(mode) ? [] : [{
      path: `response_modes[${i}]`,
      expected: `one of ${responseModes.join(", ")}${byProfile(settings, "responseModes")}`,
      received: quote(mode),
      hint: "Add it to the setting responseModes, or remove it here.",
    }]
  );
}

/** A server without the extension would ignore what the client demands. */
function validateDemands(client: ClientMetadata, { extensions }: ServerPolicy): ConfigIssue[] {
  const absent = extensions.filter(({ isAbsent }) => isAbsent).flatMap(({ clientMetadata: { fields = {} } = {} }) =>
    Object.entries(fields)
  );
  return absent.filter(([path, { isDemand }]) => isDemand && client[path as keyof ClientMetadata]).map(([path]) => ({
    path,
    expected: "no member that requires an extension which the server lacks",
    received: quote(client[path as keyof ClientMetadata]),
    hint: "Add the extension, or remove the member.",
  }));
}

function validateScope({ scope = "" }: ClientMetadata, { scopes }: ServerPolicy): ConfigIssue[] {
  return validateScopeValues("scope", splitScope(scope), scopes);
}

/** Maximum number of unknown scope values that are described: clients register them, and each takes time. */
const maxDescribedValues = 20;

/** An issue for each scope value that the server does not have, up to a limit. */
export function validateScopeValues(
  path: "scope" | "defaultScope",
  values: readonly string[],
  scopes: readonly string[],
): ConfigIssue[] {
  return values.filter((value) => !scopes.includes(value)).slice(0, maxDescribedValues).map((value) => {
    const meant = suggest(value, scopes);
    const joined = findJoinedValues(value, scopes)?.join(" ");
    return {
      path,
      expected: `scope values of the server (${scopes.join(" ")})`,
      received: quote(value),
      hint: joined !== undefined
        ? `Separate the values of ${path} by spaces alone, as ${quote(joined)}.`
        : meant === undefined
        ? `Add ${quote(value)} to scopes, or remove it from ${path}.`
        : `Did you mean ${meant}?`,
    };
  });
}

/** An issue if the id of a client that is added at run time equals the audience of access tokens (RFC 9068 §2.2). */
export function validateClientAudience({ client_id }: ClientMetadata, audience: string): ConfigIssue[] {
  if (client_id !== audience) return [];
  return [{
    path: "client_id",
    expected: "an id that is not the audience of access tokens",
    received: quote(client_id),
    hint: "Choose another id, or set audience to the URI of your API.",
  }];
}

/** The issues of the client's profile. */
function validateClientProfile({ profile }: ClientMetadata, policy: ServerPolicy): ConfigIssue[] {
  return profile === undefined ? [] : policy.clientProfiles.validate(policy, profile);
}

/** An issue if the server offers no method that the client is registered for. */
function validateAuthMethod(client: ClientMetadata, policy: ServerPolicy): ConfigIssue[] {
  const { clientAuthMethods } = policy;
  const { token_endpoint_auth_method: method } = client;
  const methods = authMethodsOf(client);
  // An empty list is an issue of the settings, or of the client's profile.
  if (clientAuthMethods.length === 0 || methods.some((name) => clientAuthMethods.includes(name))) return [];
  return [{
    path: "token_endpoint_auth_method",
    expected: `one of ${clientAuthMethods.join(", ")}${byProfile(policy, "clientAuthMethods")}`,
    received: method === undefined ? `nothing, which means ${methods.join(" or ")}` : quote(method),
    hint: "Register the client for one of them.",
  }];
}

/** @internal Stands for a client secret in settings and files that pages and tools show. */
export const secretPlaceholder = "THE_CLIENT_SECRET";

/** The secret, which some methods need and others forbid. */
function validateClientSecret(client: ClientMetadata): ConfigIssue[] {
  const { client_secret: secret, token_endpoint_auth_method: method } = client;
  const issue = (expected: string, received: string, hint: string) => [
    { path: "client_secret", expected, received, hint },
  ];
  const because = `because token_endpoint_auth_method is ${quote(method)}`;
  if (secret === undefined) {
    if (method === undefined || !needsSecret(method)) return [];
    const hint = `Add a client_secret, or set token_endpoint_auth_method to "none" for a public client.`;
    return issue(`a secret, ${because}`, "nothing", hint);
  }
  if (method !== undefined && !needsSecret(method)) {
    return issue(`no secret, ${because}`, "a secret", "Remove client_secret, or name the method that uses it.");
  }
  if (secret === secretPlaceholder) {
    return issue("the secret of the client", "the placeholder of a copied file", `Replace ${secretPlaceholder}.`);
  }
  if (/^[\x20-\x7E]+$/.test(secret)) return [];
  const received = secret === "" ? "an empty text" : "other characters";
  const hint = "Choose a long random secret of letters and digits.";
  return issue("printable ASCII characters, at least one", received, hint);
}

function needsSecret(method: ClientAuthMethod): boolean {
  return method.startsWith("client_secret_");
}

/** The public keys. */
function validateClientKeys(client: ClientMetadata, { allows }: ServerPolicy): ConfigIssue[] {
  const needsKeys = client.token_endpoint_auth_method === "private_key_jwt";
  return [
    ...needsKeys ? validateHasKeys(client, `token_endpoint_auth_method is "private_key_jwt"`) : [],
    ...validatePublicKeys(client, allows.localUrls),
  ];
}

/** An issue of a client without public keys. `use` says what they are for. */
export function validateHasKeys({ jwks, jwks_uri: uri }: ClientMetadata, use: string): ConfigIssue[] {
  if ((jwks?.keys ?? []).length > 0 || uri !== undefined) return [];
  return [{
    path: "jwks",
    expected: `at least one public key, because ${use}`,
    received: "none",
    hint: "Add the client's public keys as a JWK Set, or a jwks_uri that serves them.",
  }];
}

/** The members that name a signature algorithm, which the server must accept. */
function validateAlgorithms(client: ClientMetadata, policy: ServerPolicy): ConfigIssue[] {
  const { signatureAlgorithms, clientField } = policy;
  // An empty list is an issue of the client's profile.
  if (signatureAlgorithms.length === 0) return [];
  return Object.keys(clientField.members).filter((name) => /_sign(?:ing|ed_response)_alg$/.test(name))
    .flatMap((path) => {
      const alg = client[path as keyof ClientMetadata] as string | undefined;
      if (alg === undefined || alg.startsWith("HS") || signatureAlgorithms.includes(alg)) return [];
      return [{
        path,
        expected: `one of ${signatureAlgorithms.join(", ")}${byProfile(policy, "signatureAlgorithms")}`,
        received: quote(alg),
        hint: isMlDsa(alg)
          ? "Choose one of them, leave it out, or add it to the setting signatureAlgorithms."
          : "Choose one of them, or leave it out.",
      }];
    });
}
