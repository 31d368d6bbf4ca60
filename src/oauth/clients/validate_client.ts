/** All issues of the metadata of one client (RFC 7591 §2). */

import type { ClientAuthMethod, ClientMetadata } from "./client.ts";
import { sectorHost } from "./client_from_metadata.ts";
import { enabledGrantTypes, settingOfGrantType } from "../grants/mod.ts";
import { byProfile } from "../config/profiles.ts";
import { quote } from "../config/config_issue.ts";
import type { ConfigIssue } from "../config/config_issue.ts";
import { validate } from "../config/validate.ts";
import { registeredClientField } from "./client_fields.ts";
import { validatePublicKeys, validateUrl } from "../keys/validate_public_keys.ts";
import { validateRedirectUri } from "./redirect_uri.ts";
import { splitScope } from "../authorize/scope_token.ts";
import { hasTestHost } from "../config/settings.ts";
import type { ResolvedSettings } from "../config/settings.ts";

/** The settings that limit the metadata of clients. */
type ClientPolicy = Pick<
  ResolvedSettings,
  | "issuer"
  | "scopes"
  | "insecureAllowHttpRedirectUris"
  | "grantTypes"
  | "trustedIssuers"
  | "tokenExchange"
  | "resourceAuthorizationServers"
  | "clientAuthMethods"
  | "privateUseRedirectUris"
  | "profile"
>;

/** All issues; paths are relative to the client. Metadata that matches its description is compared with the server. */
export function validateClient(
  client: ClientMetadata,
  server: ClientPolicy,
): ConfigIssue[] {
  const issues = validate(registeredClientField, client);
  if (issues.length > 0) return issues;
  const isTestIssuer = hasTestHost(server.issuer);
  issues.push(...validateAuthMethod(client, server));
  issues.push(...validateClientSecret(client), ...validateClientKeys(client, isTestIssuer));
  // Each request with an unsupported grant type would be rejected.
  const supportedGrantTypes = [...enabledGrantTypes(server), ...server.grantTypes].map(({ type }) => type);
  for (const [i, type] of (client.grant_types ?? []).entries()) {
    if (supportedGrantTypes.includes(type)) continue;
    issues.push({
      path: `grant_types[${i}]`,
      expected: `one of ${supportedGrantTypes.join(", ")}`,
      received: quote(type),
      hint: type === "password" || type === "implicit"
        ? "OAuth 2.1 has no such grant type: use authorization_code."
        : Object.hasOwn(settingOfGrantType, type)
        ? `Add the setting ${settingOfGrantType[type]}, which enables it, or remove it.`
        : "Remove it: this server does not support it.",
    });
  }
  for (const [i, type] of (client.response_types ?? []).entries()) {
    if (type === "code") continue;
    issues.push({ path: `response_types[${i}]`, expected: `"code"`, received: quote(type), hint: `Write ["code"].` });
  }
  const uris = client.redirect_uris ?? [];
  if (uris.length === 0 && (client.grant_types ?? ["authorization_code"]).includes("authorization_code")) {
    issues.push({
      path: "redirect_uris",
      expected: "at least one redirect URI, because the client is registered for authorization_code",
      received: "none",
      hint: "Add the URI that the client listens on, or change grant_types.",
    });
  }
  for (const [i, uri] of uris.entries()) {
    const issue = validateRedirectUri(uri, server.insecureAllowHttpRedirectUris, isTestIssuer);
    if (issue !== undefined) issues.push({ path: `redirect_uris[${i}]`, ...issue, received: quote(uri) });
    else if (!server.privateUseRedirectUris && !/^https?:/i.test(uri)) {
      issues.push({
        path: `redirect_uris[${i}]`,
        expected: `https, or http on a loopback host${byProfile(server.profile, "privateUseRedirectUris")}`,
        received: quote(uri),
        hint: "Use https, or http://127.0.0.1 with any port.",
      });
    }
  }
  for (const [i, uri] of (client.post_logout_redirect_uris ?? []).entries()) {
    const issue = validateRedirectUri(uri, server.insecureAllowHttpRedirectUris, isTestIssuer);
    if (issue !== undefined) issues.push({ path: `post_logout_redirect_uris[${i}]`, ...issue, received: quote(uri) });
  }
  issues.push(...validatePageUrls(client, isTestIssuer), ...validateSector(client));
  for (const token of splitScope(client.scope ?? "")) {
    if (server.scopes.includes(token)) continue;
    issues.push({
      path: "scope",
      expected: `scope values of the server (${server.scopes.join(" ")})`,
      received: quote(token),
      hint: `Add ${quote(token)} to scopes, or remove it here.`,
    });
  }
  return issues;
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

/** An issue if the server offers no method that the client is registered for. */
function validateAuthMethod(client: ClientMetadata, { clientAuthMethods, profile }: ClientPolicy): ConfigIssue[] {
  const { token_endpoint_auth_method: method, client_secret, jwks, jwks_uri } = client;
  const methods: readonly ClientAuthMethod[] = method !== undefined
    ? [method]
    : client_secret !== undefined
    ? ["client_secret_basic", "client_secret_post"]
    : [jwks === undefined && jwks_uri === undefined ? "none" : "private_key_jwt"];
  if (methods.some((name) => clientAuthMethods.includes(name))) return [];
  return [{
    path: "token_endpoint_auth_method",
    expected: `one of ${clientAuthMethods.join(", ")}${byProfile(profile, "clientAuthMethods")}`,
    received: method === undefined ? `nothing, which means ${methods.join(" or ")}` : quote(method),
    hint: "Register the client for one of them.",
  }];
}

/** The URLs that pages show as links. Only http and https are allowed, because other schemes can run scripts. */
function validatePageUrls(client: ClientMetadata, isTestIssuer: boolean): ConfigIssue[] {
  return (["client_uri", "logo_uri", "policy_uri", "tos_uri"] as const).flatMap((path) => {
    const { [path]: uri } = client;
    return uri === undefined ? [] : validateUrl(path, uri, isTestIssuer);
  });
}

function validateSector(client: ClientMetadata): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const uri = client.sector_identifier_uri;
  if (uri !== undefined && !(URL.canParse(uri) && uri.startsWith("https://"))) {
    issues.push({
      path: "sector_identifier_uri",
      expected: "an https URL",
      received: quote(uri),
      hint: "Write https://host/path.",
    });
  } else if (client.subject_type === "pairwise" && sectorHost(client) === undefined) {
    issues.push({
      path: "subject_type",
      expected: "redirect URIs that all have one host, because subject_type is pairwise",
      received: "several hosts, or none",
      hint: "Add a sector_identifier_uri whose host is the sector.",
    });
  }
  return issues;
}

/** The algorithms of each method of client assertion. */
const assertionAlgorithms: Readonly<Record<string, RegExp>> = {
  client_secret_jwt: /^HS(?:256|384|512)$/,
  private_key_jwt: /^(?:(?:RS|PS|ES)(?:256|384|512)|Ed25519|EdDSA)$/,
};

function validateClientKeys(client: ClientMetadata, isTestIssuer: boolean): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const alg = client.token_endpoint_auth_signing_alg;
  const allowedAlgorithms = assertionAlgorithms[
    client.token_endpoint_auth_method ?? (client.jwks ?? client.jwks_uri ? "private_key_jwt" : "none")
  ];
  if (alg !== undefined && !allowedAlgorithms?.test(alg)) {
    issues.push({
      path: "token_endpoint_auth_signing_alg",
      expected: "HS256, HS384 or HS512 for client_secret_jwt, another JWS algorithm for private_key_jwt",
      received: quote(alg),
      hint: "Leave it out to accept every algorithm that suits the method and the key.",
    });
  }
  const { jwks, jwks_uri: uri } = client;
  if (client.token_endpoint_auth_method === "private_key_jwt" && (jwks?.keys ?? []).length === 0 && uri === undefined) {
    issues.push({
      path: "jwks",
      expected: `at least one public key, because token_endpoint_auth_method is "private_key_jwt"`,
      received: "none",
      hint: "Add the client's public keys as a JWK Set, or a jwks_uri where they are found.",
    });
  }
  issues.push(...validatePublicKeys(client, isTestIssuer));
  return issues;
}

function validateClientSecret(client: ClientMetadata): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const method = client.token_endpoint_auth_method;
  if (client.client_secret === undefined) {
    if (method === undefined || method === "none" || method === "private_key_jwt") return issues;
    issues.push({
      path: "client_secret",
      expected: `a secret, because token_endpoint_auth_method is ${quote(method)}`,
      received: "nothing",
      hint: `Add a client_secret, or set token_endpoint_auth_method to "none" for a public client.`,
    });
  } else if (method === "none" || method === "private_key_jwt") {
    issues.push({
      path: "client_secret",
      expected: `no secret, because token_endpoint_auth_method is ${quote(method)}`,
      received: "a secret",
      hint: "Remove client_secret, or name the method that uses it.",
    });
  } else if (!/^[\x20-\x7E]+$/.test(client.client_secret)) {
    issues.push({
      path: "client_secret",
      expected: "printable ASCII characters, at least one",
      received: client.client_secret === "" ? "an empty text" : "other characters",
      hint: "Choose a long random secret of letters and digits.",
    });
  }
  return issues;
}
