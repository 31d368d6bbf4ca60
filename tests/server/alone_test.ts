/** A whole login with the server's entry and nothing else. */

import { assertEquals } from "@std/assert";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { latchkey } from "../../src/mod.ts";

test("a public client logs a user in with the main entry alone", async () => {
  const redirect_uri = "http://localhost:5173/callback";
  await using as = await latchkey({
    clients: [{ client_id: "spa", redirect_uris: [redirect_uri] }],
    users: [{ sub: "alice", name: "Alice" }],
  });
  const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
  const request = {
    ...{ response_type: "code", client_id: "spa", redirect_uri, scope: "openid profile", state: "state" },
    ...{ code_challenge: createHash("sha256").update(verifier).digest("base64url"), code_challenge_method: "S256" },
  };
  const sent = await as.fetch(new Request(`${as.issuer}/oauth2/authorize?${new URLSearchParams(request)}`));
  const code = new URL(sent.headers.get("location")!).searchParams.get("code")!;
  const form = { grant_type: "authorization_code", client_id: "spa", redirect_uri, code, code_verifier: verifier };
  const response = await as.fetch(
    new Request(`${as.issuer}/oauth2/token`, { method: "POST", body: new URLSearchParams(form) }),
  );
  const { access_token } = await response.json();
  const userinfo = await as.fetch(
    new Request(`${as.issuer}/oauth2/userinfo`, { headers: { authorization: `Bearer ${access_token}` } }),
  );
  const { sub, name } = await userinfo.json();
  assertEquals([response.status, sub, name], [200, "alice", "Alice"]);
});
