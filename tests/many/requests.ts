/** What the clients of every instance send: `spa`, which is public, and `api`, which has a secret. */

import { createHash, randomBytes } from "node:crypto";

/** A request, as `fetch` takes it; plain values, which can be handed to another process. */
export interface Sent {
  readonly path: string;
  readonly init: { readonly method: string; readonly body?: string; readonly headers?: Record<string, string> };
}

const redirectUri = "https://spa.example/cb";

/** An authorization request, and the verifier that the code is then exchanged with. */
export function authorization(): Sent & { readonly verifier: string } {
  const verifier = randomBytes(32).toString("base64url");
  const asked = new URLSearchParams({
    response_type: "code",
    client_id: "spa",
    redirect_uri: redirectUri,
    scope: "openid offline_access",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  return { path: `/oauth2/authorize?${asked}`, init: { method: "GET" }, verifier };
}

/** Exchanges a code. */
export function redemption({ code, verifier }: { readonly code: string; readonly verifier: string }): Sent {
  return post("/oauth2/token", {
    grant_type: "authorization_code",
    client_id: "spa",
    redirect_uri: redirectUri,
    code,
    code_verifier: verifier,
  });
}

/** Exchanges a refresh token. */
export function renewal(token: string): Sent {
  return post("/oauth2/token", { grant_type: "refresh_token", client_id: "spa", refresh_token: token });
}

/** A form that the confidential client sends. */
export function asApi(path: string, fields: Readonly<Record<string, string>>): Sent {
  return post(path, fields, { authorization: `Basic ${btoa("api:api-secret")}` });
}

function post(path: string, fields: Readonly<Record<string, string>>, headers: Record<string, string> = {}): Sent {
  return {
    path,
    init: {
      method: "POST",
      body: new URLSearchParams(fields).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    },
  };
}
