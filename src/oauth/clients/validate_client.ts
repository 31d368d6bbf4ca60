/** Every fault in the metadata of one client (RFC 7591 §2). */

import type { ClientMetadata } from "./client.ts";
import { sectorOf } from "./repository.ts";
import { grants } from "../grants/mod.ts";
import { allowsHttp, httpHosts } from "../test_hosts.ts";
import { quote, typeFaults } from "../config/config_issue.ts";
import type { Fault } from "../config/config_issue.ts";
import { signingAlgorithms } from "../keys/keys.ts";
import { redirectUriFault } from "./redirect_uri.ts";
import { subjectTypes } from "../users/subject.ts";
import { splitScope } from "../authorize/scope.ts";
import { hasTestHost } from "../config/settings.ts";
import type { Settled } from "../config/settings.ts";

/** The supported values: a client that is registered for another one would be rejected at each request. */
const grantTypes = grants.map(({ type }) => type);

/** Metadata whose type everything else relies on, each with a value that is right. */
const examples: Partial<ClientMetadata> = {
  redirect_uris: ["http://localhost:5173/callback"],
  post_logout_redirect_uris: ["http://localhost:5173/"],
  grant_types: ["authorization_code"],
  response_types: ["code"],
  scope: "openid read",
};

/** Finds them all; places are relative to the client. */
export function clientFaults(
  client: ClientMetadata,
  server: Pick<Settled, "issuer" | "scopes" | "insecureAllowHttpRedirectUris">,
): Fault[] {
  const faults = typeFaults(client, examples);
  if (faults.length > 0) return faults;
  const onTestHost = hasTestHost(server.issuer);
  if (typeof client.client_id !== "string" || !/^[\x20-\x7E]{1,256}$/.test(client.client_id)) {
    faults.push({
      place: "client_id",
      expected: "1 to 256 printable ASCII characters",
      found: quote(client.client_id),
      mend: "Choose a short identifier.",
    });
  }
  faults.push(...clientSecretFaults(client), ...clientKeyFaults(client, onTestHost));
  for (const [i, type] of (client.grant_types ?? []).entries()) {
    if (grantTypes.includes(type)) continue;
    faults.push({
      place: `grant_types[${i}]`,
      expected: `one of ${grantTypes.join(", ")}`,
      found: quote(type),
      mend: type === "password" || type === "implicit"
        ? "OAuth 2.1 has no such grant: use authorization_code."
        : "Remove it: this server does not support it.",
    });
  }
  for (const [i, type] of (client.response_types ?? []).entries()) {
    if (type === "code") continue;
    faults.push({ place: `response_types[${i}]`, expected: `"code"`, found: quote(type), mend: `Write ["code"].` });
  }
  const uris = client.redirect_uris ?? [];
  if (uris.length === 0 && (client.grant_types ?? ["authorization_code"]).includes("authorization_code")) {
    faults.push({
      place: "redirect_uris",
      expected: "at least one redirect URI, because the client is registered for authorization_code",
      found: "none",
      mend: "Add the URI the client listens on, or give it other grant_types.",
    });
  }
  for (const [i, uri] of uris.entries()) {
    const fault = redirectUriFault(uri, server.insecureAllowHttpRedirectUris, onTestHost);
    if (fault !== undefined) faults.push({ place: `redirect_uris[${i}]`, ...fault, found: quote(uri) });
  }
  for (const [i, uri] of (client.post_logout_redirect_uris ?? []).entries()) {
    const fault = redirectUriFault(uri, server.insecureAllowHttpRedirectUris, onTestHost);
    if (fault !== undefined) faults.push({ place: `post_logout_redirect_uris[${i}]`, ...fault, found: quote(uri) });
  }
  for (const name of ["id_token_signed_response_alg", "userinfo_signed_response_alg"] as const) {
    faults.push(...algorithmFaults(name, client[name]));
  }
  faults.push(...sectorFaults(client));
  for (const token of splitScope(client.scope ?? "")) {
    if (server.scopes.includes(token)) continue;
    faults.push({
      place: "scope",
      expected: `values that the server's scopes hold (${server.scopes.join(" ")})`,
      found: quote(token),
      mend: `Add ${quote(token)} to scopes, or remove it here.`,
    });
  }
  return faults;
}

/** A fault if the id of a client that is added at run time equals the audience of access tokens (RFC 9068 §2.2). */
export function audienceFaults({ client_id }: ClientMetadata, audience: string): Fault[] {
  if (client_id !== audience) return [];
  return [{
    place: "client_id",
    expected: "an id that is not the audience of access tokens",
    found: quote(client_id),
    mend: "Choose another id, or set audience to the URI of your API.",
  }];
}

/** A fault, if a token is to be signed with an algorithm that there is not; `undefined` is fine. */
export function algorithmFaults(place: string, alg: string | undefined): Fault[] {
  if (alg === undefined || signingAlgorithms.some((known) => known === alg)) return [];
  return [{
    place,
    expected: `one of ${signingAlgorithms.join(", ")}`,
    found: quote(alg),
    mend: "RS256 is understood everywhere, EdDSA is the quickest.",
  }];
}

function sectorFaults(client: ClientMetadata): Fault[] {
  const faults: Fault[] = [];
  if (client.subject_type !== undefined && !subjectTypes.some((known) => known === client.subject_type)) {
    faults.push({
      place: "subject_type",
      expected: subjectTypes.map((known) => quote(known)).join(" or "),
      found: quote(client.subject_type),
      mend: "Leave it out for subjects that are the same for every client.",
    });
  }
  const uri = client.sector_identifier_uri;
  if (uri !== undefined && !(URL.canParse(uri) && uri.startsWith("https://"))) {
    faults.push({
      place: "sector_identifier_uri",
      expected: "an https URL",
      found: quote(uri),
      mend: "Write https://host/path.",
    });
  } else if (client.subject_type === "pairwise" && sectorOf(client) === undefined) {
    faults.push({
      place: "subject_type",
      expected: "redirect URIs that all have one host, because subject_type is pairwise",
      found: "several hosts, or none",
      mend: "Add a sector_identifier_uri whose host is the sector.",
    });
  }
  return faults;
}

/** Members of a JWK that must never leave their owner (RFC 7518 §6). */
const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** Which algorithms suit a method of client assertion. */
const assertionAlgorithms: Readonly<Record<string, RegExp>> = {
  client_secret_jwt: /^HS(?:256|384|512)$/,
  private_key_jwt: /^(?:(?:RS|PS|ES)(?:256|384|512)|Ed25519|EdDSA)$/,
};

function isFetchable(uri: string, onTestHost: boolean): boolean {
  if (!URL.canParse(uri)) return false;
  const { protocol, hostname } = new URL(uri);
  return protocol === "https:" || (protocol === "http:" && allowsHttp(hostname, onTestHost));
}

function clientKeyFaults(client: ClientMetadata, onTestHost: boolean): Fault[] {
  const faults: Fault[] = [];
  const alg = client.token_endpoint_auth_signing_alg;
  const suits = assertionAlgorithms[
    client.token_endpoint_auth_method ?? (client.jwks ?? client.jwks_uri ? "private_key_jwt" : "none")
  ];
  if (alg !== undefined && !suits?.test(alg)) {
    faults.push({
      place: "token_endpoint_auth_signing_alg",
      expected: "HS256, HS384 or HS512 for client_secret_jwt, another JWS algorithm for private_key_jwt",
      found: quote(alg),
      mend: "Leave it out to accept every algorithm that suits the method and the key.",
    });
  }
  const keys = client.jwks?.keys ?? [];
  const { jwks_uri: uri } = client;
  if (uri !== undefined && client.jwks !== undefined) {
    faults.push({ place: "jwks_uri", expected: "jwks or jwks_uri", found: "both", mend: "Keep one of the two." });
  }
  if (uri !== undefined && !isFetchable(uri, onTestHost)) {
    faults.push({
      place: "jwks_uri",
      expected: `an https URL, or an http URL on ${httpHosts(onTestHost)}`,
      found: quote(uri),
      mend: "Write https://host/path.",
    });
  }
  if (client.token_endpoint_auth_method === "private_key_jwt" && keys.length === 0 && uri === undefined) {
    faults.push({
      place: "jwks",
      expected: `at least one public key, because token_endpoint_auth_method is "private_key_jwt"`,
      found: "none",
      mend: "Add the client's public keys as a JWK Set, or a jwks_uri where they are found.",
    });
  }
  for (const [i, key] of keys.entries()) {
    const secret = privateMembers.find((name) => name in key);
    if (secret === undefined) {
      faults.push(...rsaFaults(key, `jwks.keys[${i}]`));
      continue;
    }
    faults.push({
      place: `jwks.keys[${i}]`,
      expected: "a public key",
      found: `a key with the private member ${quote(secret)}`,
      mend: "Export the public half only.",
    });
  }
  return faults;
}

/** Minimum size of an RSA key, in bits (RFC 7518 §3.3 and §3.5). */
const leastRsaBits = 2048;

function rsaFaults({ kty, n }: Readonly<Record<string, unknown>>, place: string): Fault[] {
  if (kty !== "RSA") return [];
  const bits = typeof n === "string" ? bitsOf(n) : undefined;
  if (bits !== undefined && bits >= leastRsaBits) return [];
  return [{
    place: `${place}.n`,
    expected: `the modulus of an RSA key of ${leastRsaBits} bits or more, as base64url`,
    found: bits === undefined ? kindOf(n) : `${bits} bits`,
    mend: `Create a key of ${leastRsaBits} bits or more, or one for ES256 or Ed25519.`,
  }];
}

/** The bits of a base64url number without leading zeros; `undefined` if the text is not one. */
function bitsOf(number: string): number | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(number)) return undefined;
  const significant = number.replace(/^A+/, "");
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const leading = alphabet.indexOf(significant.charAt(0));
  if (leading < 0) return 0;
  // The last character includes padding bits.
  const spare = number.length * 6 % 8;
  return significant.length * 6 - (6 - (32 - Math.clz32(leading))) - spare;
}

function kindOf(value: unknown): string {
  return value === undefined
    ? "nothing"
    : typeof value === "string"
    ? "a string that is not base64url"
    : "not a string";
}

function clientSecretFaults(client: ClientMetadata): Fault[] {
  const faults: Fault[] = [];
  const method = client.token_endpoint_auth_method;
  if (client.client_secret === undefined) {
    if (method === undefined || method === "none" || method === "private_key_jwt") return faults;
    faults.push({
      place: "client_secret",
      expected: `a secret, because token_endpoint_auth_method is ${quote(method)}`,
      found: "nothing",
      mend: `Add a client_secret, or set token_endpoint_auth_method to "none" for a public client.`,
    });
  } else if (method === "none" || method === "private_key_jwt") {
    faults.push({
      place: "client_secret",
      expected: `no secret, because token_endpoint_auth_method is ${quote(method)}`,
      found: "a secret",
      mend: "Remove client_secret, or name the method that uses it.",
    });
  } else if (!/^[\x20-\x7E]+$/.test(client.client_secret)) {
    faults.push({
      place: "client_secret",
      expected: "printable ASCII characters, at least one",
      found: client.client_secret === "" ? "an empty text" : "other characters",
      mend: "Choose a long random secret of letters and digits.",
    });
  }
  return faults;
}
