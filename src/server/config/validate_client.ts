/** All issues of the metadata of one client (RFC 7591 §2). */

import { immediate } from "../../core/immediate.ts";
import { anyValue } from "../../core/policy/field.ts";
import { quote, validate } from "./config_issue.ts";
import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import type { Policy } from "../../core/policy/policy.ts";
import {
  asServerPolicy,
  comparedServer,
  type ServerPolicy,
  supportedGrantTypes,
  tightenPolicy,
} from "./server_policy.ts";
import { validatePublicKeys } from "./key_issues.ts";
import * as core from "../../core/clients/validate_client.ts";
import { authMethodsOf, type ClientMetadata, responseTypeNames } from "./client_metadata.ts";
import { validatePageUrls, validatePostLogoutRedirectUris, validateRedirectUris } from "./uri_issues.ts";

/** Compares metadata that matches its description with the settings. Paths are relative to the client. */
type ClientValidator = (client: ClientMetadata, policy: ServerPolicy) => ConfigIssue[];

/** The validators, in the order of their issues. */
const validators: readonly ClientValidator[] = [
  (client, policy) => core.validateAuthMethod(client, comparedServer(policy), authMethodsOf(client)),
  validateClientSecret,
  validateClientKeys,
  validateGrantTypes,
  (client, policy) => core.validateResponseTypes(client, comparedServer(policy), responseTypeNames),
  (client, policy) => core.validateResponseModes(client, comparedServer(policy)),
  validateRedirectUris,
  validatePostLogoutRedirectUris,
  validatePageUrls,
  validateSubjectType,
  validateAlgorithms,
  ({ profile }, policy) => profile === undefined ? [] : policy.clientProfiles.validate(policy, profile),
  validateDemands,
  ({ scope }, policy) => core.validateScope("scope", scope, policy.scopes, comparedServer(policy)),
];

/**
 * All issues; paths are relative to the client. Only metadata that matches its description is compared with the server.
 */
export function validateClient(client: ClientMetadata, policy: Policy): ConfigIssue[] {
  // Unknown members of a client that is registered at run time are ignored (RFC 7591 §2).
  const issues = validate({ ...asServerPolicy(policy).clientField, others: anyValue }, client);
  if (issues.length > 0) return issues;
  const ofClient = tightenPolicy(policy, client);
  return [
    ...validators.flatMap((validator) => validator(client, ofClient)),
    ...ofClient.extensions.flatMap(({ name, clientMetadata }) =>
      immediate(`clientMetadata.validate of the extension ${name}`, clientMetadata?.validate?.(client, ofClient)) ?? []
    ),
  ];
}

function validateGrantTypes(client: ClientMetadata, policy: ServerPolicy): ConfigIssue[] {
  const supported = supportedGrantTypes(policy).map(({ type }) => type);
  return core.validateGrantTypes(client, supported, { quote }, (type) => {
    const setting = settingOfGrantType(policy, type);
    return setting === undefined
      ? "Remove it: this server does not support it."
      : `Add the setting ${setting}, which enables it, or remove it.`;
  });
}

/** The settings that switch a grant type on; `undefined` for a grant type that no setting switches on. */
export function settingOfGrantType({ extensions }: ServerPolicy, type: string): string | undefined {
  return extensions.flatMap(({ grantTypes = [] }) => grantTypes).find((optional) => optional.type === type)?.setting;
}

function validateSubjectType({ subject_type = "public" }: ClientMetadata, policy: ServerPolicy): ConfigIssue[] {
  const { subjectTypes: supported } = policy;
  return supported.includes(subject_type) ? [] : [{
    path: "subject_type",
    expected: `one of ${supported.join(", ")}`,
    received: quote(subject_type),
    hint: "Remove it, or add the extension.",
  }];
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

/** @internal Stands for a client secret in settings and files that pages and tools show. */
export const secretPlaceholder = "THE_CLIENT_SECRET";

function validateClientSecret(client: ClientMetadata): ConfigIssue[] {
  const issues = core.validateSecret(client, { quote });
  if (issues.length > 0 || client.client_secret !== secretPlaceholder) return issues;
  return [{
    path: "client_secret",
    expected: "the secret of the client",
    received: "the placeholder of a copied file",
    hint: `Replace ${secretPlaceholder}.`,
  }];
}

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
  return Object.keys(policy.clientField.members).filter((name) => /_sign(?:ing|ed_response)_alg$/.test(name))
    .flatMap((path) => {
      const alg = client[path as keyof ClientMetadata] as string | undefined;
      return alg?.startsWith("HS") ? [] : core.validateAlgorithm(path, alg, comparedServer(policy));
    });
}
