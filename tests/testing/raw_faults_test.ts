/** Faults that change what a server sends below its own rules: the JOSE header, the browser's redirect. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { faults } from "../../src/testing/mod.ts";
import { testLatchkey } from "./test_latchkey.ts";
import { decodePart } from "../check/decode_part.ts";

test("idToken.editedHeader changes the JOSE header, and the signature stays valid", async () => {
  await using as = await testLatchkey({ alg: "RS256" });
  const client = as.client();
  as.on("token").once(faults.idToken.editedHeader({ kid: null, crit: ["b64"], b64: false }));
  const { tokens: { id_token } } = await as.logIn(client, { scope: "openid" });
  const header = decodePart(id_token!, 0);
  assertEquals([Object.hasOwn(header, "kid"), header.crit, header.b64], [false, ["b64"], false]);
  const { keys } = await (await as.fetch(`${as.issuer}/oauth2/jwks`)).json();
  const { alg } = header;
  const key = await crypto.subtle.importKey(
    "jwk",
    keys.find((jwk: { readonly alg: unknown }) => jwk.alg === alg),
    { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
    false,
    ["verify"],
  );
  const [head, payload, signature] = id_token!.split(".");
  const bytes = Uint8Array.from(atob(signature!.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const signed = new TextEncoder().encode(`${head}.${payload}`);
  assertEquals([alg, await crypto.subtle.verify(key.algorithm.name, key, bytes, signed)], ["RS256", true]);
});

test("authorizationResponse.edited replaces, removes, adds and repeats parameters of the redirect", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  as.on("authorize").once(faults.authorizationResponse.edited({ code: null, state: ["one", "two"], extra: "a b&c" }));
  const { client_id, redirect_uri } = client;
  const parameters = { client_id, redirect_uri, response_type: "code", state: "zero", scope: "openid" };
  const pkce = { code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256" };
  const { url } = await as.browser().authorize({ ...parameters, ...pkce });
  const { searchParams } = new URL(url);
  assertEquals(
    [searchParams.has("code"), searchParams.getAll("state"), searchParams.get("extra"), searchParams.get("iss")],
    [false, ["one", "two"], "a b&c", as.issuer],
  );
});
