/** Every fault in the metadata of one client (RFC 7591 §2). */

import type { ClientMetadata } from "./client.ts";
import { quote } from "./fault.ts";
import type { Fault } from "./fault.ts";
import { redirectUriFault } from "./redirect_uri.ts";
import { splitScope } from "./scope.ts";

/** Grant types that a client may be registered for, served here or not. */
const grantTypes = [
  "authorization_code",
  "refresh_token",
  "client_credentials",
  "urn:ietf:params:oauth:grant-type:device_code",
  "urn:ietf:params:oauth:grant-type:token-exchange",
  "urn:ietf:params:oauth:grant-type:jwt-bearer",
];

/** Finds them all; places are relative to the client. */
export function* clientFaults(
  client: ClientMetadata,
  server: { readonly scopes: readonly string[]; readonly insecureAllowHttpRedirectUris: boolean },
): Generator<Fault> {
  if (typeof client.client_id !== "string" || !/^[\x20-\x7E]{1,256}$/.test(client.client_id)) {
    yield {
      place: "client_id",
      expected: "1 to 256 printable ASCII characters",
      found: quote(client.client_id),
      mend: "Choose a short identifier.",
    };
  }
  yield* clientSecretFaults(client);
  for (const [i, type] of (client.grant_types ?? []).entries()) {
    if (grantTypes.includes(type)) continue;
    yield {
      place: `grant_types[${i}]`,
      expected: `one of ${grantTypes.join(", ")}`,
      found: quote(type),
      mend: type === "password" || type === "implicit"
        ? "OAuth 2.1 has no such grant: use authorization_code."
        : "Correct the spelling.",
    };
  }
  for (const [i, type] of (client.response_types ?? []).entries()) {
    if (type === "code") continue;
    yield { place: `response_types[${i}]`, expected: `"code"`, found: quote(type), mend: `Write ["code"].` };
  }
  const uris = client.redirect_uris ?? [];
  if (uris.length === 0 && (client.grant_types ?? ["authorization_code"]).includes("authorization_code")) {
    yield {
      place: "redirect_uris",
      expected: "at least one redirect URI, because the client is registered for authorization_code",
      found: "none",
      mend: "Add the URI the client listens on, or give it other grant_types.",
    };
  }
  for (const [i, uri] of uris.entries()) {
    const fault = redirectUriFault(uri, server.insecureAllowHttpRedirectUris);
    if (fault !== undefined) yield { place: `redirect_uris[${i}]`, ...fault, found: quote(uri) };
  }
  for (const token of splitScope(client.scope ?? "")) {
    if (server.scopes.includes(token)) continue;
    yield {
      place: "scope",
      expected: `values that the server's scopes hold (${server.scopes.join(" ")})`,
      found: quote(token),
      mend: `Add ${quote(token)} to scopes, or remove it here.`,
    };
  }
}

function* clientSecretFaults(client: ClientMetadata): Generator<Fault> {
  const method = client.token_endpoint_auth_method;
  if (client.client_secret === undefined) {
    if (method === undefined || method === "none") return;
    yield {
      place: "client_secret",
      expected: `a secret, because token_endpoint_auth_method is ${quote(method)}`,
      found: "nothing",
      mend: `Add a client_secret, or set token_endpoint_auth_method to "none" for a public client.`,
    };
  } else if (method === "none") {
    yield {
      place: "client_secret",
      expected: `no secret, because token_endpoint_auth_method is "none"`,
      found: "a secret",
      mend: "Remove client_secret, or name the method that uses it.",
    };
  } else if (!/^[\x20-\x7E]+$/.test(client.client_secret)) {
    yield {
      place: "client_secret",
      expected: "printable ASCII characters, at least one",
      found: client.client_secret === "" ? "an empty text" : "other characters",
      mend: "Choose a long random secret of letters and digits.",
    };
  }
}
