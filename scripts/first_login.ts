/** A first login, for `deno task imports`: one authorization code flow of a server with default options. */

import { latchkey } from "../src/mod.ts";

const redirectUri = "http://localhost:5173/callback";
const as = await latchkey({ clients: [{ client_id: "spa", redirect_uris: [redirectUri] }], users: [{ sub: "alice" }] });
const authorize = new URL(`${as.issuer}/oauth2/authorize`);
authorize.search = String(
  new URLSearchParams({
    response_type: "code",
    client_id: "spa",
    scope: "openid",
    redirect_uri: redirectUri,
    // Challenge and verifier of RFC 7636, Appendix B.
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  }),
);
const callback = new URL((await as.fetch(new Request(authorize))).headers.get("location")!);
const body = new URLSearchParams({
  grant_type: "authorization_code",
  client_id: "spa",
  redirect_uri: redirectUri,
  code: callback.searchParams.get("code")!,
  code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
});
const { ok, status } = await as.fetch(new Request(`${as.issuer}/oauth2/token`, { method: "POST", body }));
if (!ok) throw new Error(`The token endpoint responded with status ${status}; expected 200.`);
await as.close();
