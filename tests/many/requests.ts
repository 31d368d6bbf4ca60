/** What the clients of every instance send: `spa`, which is public, and `api`, which has a secret. */

import { createHash, randomBytes } from "node:crypto";

/** A request for `fetch`, as plain values that another process can receive. */
export interface RequestData {
  readonly path: string;
  readonly init: { readonly method: string; readonly body?: string; readonly headers?: Record<string, string> };
}

const redirectUri = "https://spa.example/cb";

/** An authorization request, and the verifier that the code is then exchanged with. */
export function authorizationRequest(): RequestData & { readonly verifier: string } {
  const verifier = randomBytes(32).toString("base64url");
  const params = new URLSearchParams({
    response_type: "code",
    client_id: "spa",
    redirect_uri: redirectUri,
    scope: "openid offline_access",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  return { path: `/oauth2/authorize?${params}`, init: { method: "GET" }, verifier };
}

/** Exchanges a code. */
export function codeExchange({ code, verifier }: { readonly code: string; readonly verifier: string }): RequestData {
  return post("/oauth2/token", {
    grant_type: "authorization_code",
    client_id: "spa",
    redirect_uri: redirectUri,
    code,
    code_verifier: verifier,
  });
}

/** Exchanges a refresh token. */
export function tokenRefresh(token: string): RequestData {
  return post("/oauth2/token", { grant_type: "refresh_token", client_id: "spa", refresh_token: token });
}

/** A form that the confidential client sends. */
export function apiRequest(path: string, fields: Readonly<Record<string, string>>): RequestData {
  return post(path, fields, { authorization: `Basic ${btoa("api:api-secret")}` });
}

/** A form. */
export function post(
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Record<string, string> = {},
): RequestData {
  return {
    path,
    init: {
      method: "POST",
      body: new URLSearchParams(fields).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    },
  };
}
