/** Proof key for code exchange, from the challenge to the verifier (group PK). */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { constantTimeEqual } from "../../../src/core/keys/secrets.ts";
import {
  assertAuthorizationResponse,
  assertPage,
  authorizeByPost,
  basic,
  challenge,
  clients,
  decodeClaims,
  forEachCase,
  getRejections,
  testServer,
  verifier,
} from "../../kit.ts";
import type { Fields, TestServer } from "../../kit.ts";
import { assertInvalidGrant, codesIssued, s256 } from "../code_exchange.ts";

const spa: Fields = {};
const web = { client_id: "web", redirect_uri: "https://web.example/cb" };
const poster = { client_id: "poster", redirect_uri: "https://poster.example/cb" };

/** A request that says nothing of PKCE. */
const bare = { code_challenge: undefined, code_challenge_method: undefined };

/** The error that `spa`, or the client named, is redirected with; asserts that no code was issued. */
async function rejection(server: TestServer, fields: Fields): Promise<Readonly<Record<string, string>>> {
  const before = codesIssued(server);
  const uri = fields.redirect_uri as string | undefined;
  const result = assertAuthorizationResponse(await server.authorize(fields), { uri });
  assertEquals(assertAuthorizationResponse(await authorizeByPost(server, fields), { uri }), result);
  assert("error" in result, "a code was issued");
  assertEquals(codesIssued(server), before);
  return result;
}

/** Exchanges a code of `web`. */
function exchangeAsWeb({ token }: TestServer, fields: Fields): Promise<Response> {
  const { redirect_uri } = web;
  return token({ client_id: undefined, redirect_uri, ...fields }, { headers: basic("web", "web-secret") });
}

function warnings({ events }: TestServer, rule: string): number {
  return events.filter((event) => event.type === "warning" && event.explanation.rule === rule).length;
}

test("[PK-01] a public client without a challenge gets invalid_request and no code", async () => {
  const server = await testServer();
  await forEachCase([undefined, ""], async (code_challenge) => {
    assertEquals((await rejection(server, { ...bare, code_challenge })).error, "invalid_request");
    assertEquals((await rejection(server, { code_challenge })).error, "invalid_request");
    assertEquals((await rejection(server, { ...bare, code_challenge, scope: "read" })).error, "invalid_request");
  });
  assertEquals((await rejection(server, { ...bare, Code_Challenge: challenge })).error, "invalid_request");
  const native = await testServer({
    clients: [{ client_id: "spa", redirect_uris: ["https://spa.example/cb"], application_type: "native" }],
    pkce: { requireForConfidential: false, requireMethod: false },
  });
  assertEquals((await rejection(native, bare)).error, "invalid_request");
});

test("[PK-02] a challenge is optional for a confidential client", async () => {
  const server = await testServer();
  await forEachCase([undefined, ""], async (code_challenge) => {
    const code = await server.code({ ...web, ...bare, code_challenge });
    assertEquals((await exchangeAsWeb(server, { code, code_verifier: undefined })).status, 200);
    const posted = await server.code({ ...poster, ...bare, code_challenge });
    const fields = { ...poster, client_secret: "poster-secret", code: posted, code_verifier: undefined };
    assertEquals((await server.token(fields)).status, 200);
  });
});

test("[PK-02] with pkce.requireForConfidential every confidential client must send a challenge", async () => {
  const server = await testServer({ pkce: { requireForConfidential: true } });
  await forEachCase([web, poster], async (client) => {
    assertEquals((await rejection(server, { ...client, ...bare })).error, "invalid_request");
    assertEquals((await rejection(server, { ...client, ...bare, code_challenge: "" })).error, "invalid_request");
    assert(await server.code(client));
  });
  assertEquals(
    getRejections(server.events)[0]!.explanation.reason,
    "the configuration requires PKCE of this confidential client",
  );
});

test("[PK-02] a confidential client with require_pkce must send a challenge, others need not", async () => {
  const server = await testServer({
    clients: [{ ...clients[1], require_pkce: true }, { ...clients[2], require_pkce: false }],
  });
  assertEquals((await rejection(server, { ...web, ...bare })).error, "invalid_request");
  assertEquals(
    getRejections(server.events)[0]!.explanation.reason,
    "require_pkce in the metadata of this client requires PKCE",
  );
  assertEquals((await exchangeAsWeb(server, { code: await server.code(web) })).status, 200);
  assert(await server.code({ ...poster, ...bare }));
});

test("[PK-03] S256 is the unpadded base64url of SHA-256 over the verifier", async () => {
  const server = await testServer();
  const verifiers = [
    ...["dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "a".repeat(43), "~".repeat(128), "-._~".repeat(32)],
    ...["0".repeat(64), "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"],
  ];
  assertEquals(await s256(verifiers[0]!), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
  await forEachCase(verifiers, async (code_verifier) => {
    const code_challenge = await s256(code_verifier);
    const code = await server.code({ code_challenge });
    assertEquals((await server.token({ code, code_verifier })).status, 200);
    const other = await server.code({ ...web, code_challenge });
    assertEquals((await exchangeAsWeb(server, { code: other, code_verifier })).status, 200);
  });
});

test("[PK-05] a challenge without a method is read as S256, with a warning in the trace", async () => {
  const server = await testServer();
  await forEachCase([undefined, ""], async (code_challenge_method) => {
    await forEachCase([spa, web], async (client) => {
      const before = warnings(server, "PK-05");
      const code = await server.code({ ...client, code_challenge_method });
      assertEquals(warnings(server, "PK-05"), before + 1);
      const exchangeCode = (code_verifier: string) =>
        client === web ? exchangeAsWeb(server, { code, code_verifier }) : server.token({ code, code_verifier });
      await assertInvalidGrant(await exchangeCode(challenge));
      assertEquals((await exchangeCode(verifier)).status, 200);
    });
  });
  const before = warnings(server, "PK-05");
  await server.code();
  await server.code({ ...web, ...bare });
  assertEquals(warnings(server, "PK-05"), before);
});

test("[PK-05, AZ-17] a request that is rejected for another reason draws no warnings", async () => {
  const server = await testServer();
  const warned = { ...spa, code_challenge_method: undefined, scope: "openid read unknown" };
  await rejection(server, { ...warned, max_age: "x" });
  assertEquals([warnings(server, "PK-05"), warnings(server, "AZ-17")], [0, 0]);
  await server.code(warned);
  assertEquals([warnings(server, "PK-05"), warnings(server, "AZ-17")], [1, 1]);
});

test("[PK-05] with pkce.requireMethod a challenge without a method is invalid_request", async () => {
  const server = await testServer({ pkce: { requireMethod: true } });
  await forEachCase([spa, web], async (client) => {
    assertEquals((await rejection(server, { ...client, code_challenge_method: undefined })).error, "invalid_request");
    assertEquals((await rejection(server, { ...client, code_challenge_method: "" })).error, "invalid_request");
    assert(await server.code(client));
  });
  assert(await server.code({ ...web, ...bare }));
});

test("[PK-09, CI-09] a verifier that does not match is invalid_grant without tokens, and does not consume the code", async () => {
  const server = await testServer();
  const wrong = [
    ...[`e${verifier.slice(1)}`, `${verifier.slice(0, -1)}l`, `${verifier}a`, `.${verifier}`, verifier + verifier],
    ...[verifier.toUpperCase(), verifier.toLowerCase(), [...verifier].reverse().join("")],
    ...[challenge, "a".repeat(43), "a".repeat(128)],
  ];
  const code = await server.code();
  const other = await server.code(web);
  await forEachCase(wrong, async (code_verifier) => {
    await assertInvalidGrant(await server.token({ code, code_verifier }));
    await assertInvalidGrant(await exchangeAsWeb(server, { code: other, code_verifier }));
  });
  assertEquals(server.events.filter((event) => event.type === "tokens_issued").length, 0);
  assertEquals((await server.token({ code })).status, 200);
  assertEquals((await exchangeAsWeb(server, { code: other })).status, 200);
});

test("[PK-09] the verifier of one code does not exchange another", async () => {
  const server = await testServer();
  const [mine, theirs] = ["m".repeat(43), "t".repeat(43)];
  const code = await server.code({ code_challenge: await s256(mine) });
  const stolen = await server.code({ code_challenge: await s256(theirs) });
  await assertInvalidGrant(await server.token({ code: stolen, code_verifier: mine }));
  assertEquals((await server.token({ code, code_verifier: mine })).status, 200);
});

test("[PK-09] the comparison reads every character, wherever the values differ", () => {
  const looks = (ours: string, theirs: string) => {
    const seen: number[] = [];
    const watched = { length: ours.length, charCodeAt: (i: number) => (seen.push(i), ours.charCodeAt(i)) };
    assertEquals(constantTimeEqual(watched as unknown as string, theirs), ours === theirs);
    return seen;
  };
  const all = [...challenge].map((_, i) => i);
  assertEquals(looks(challenge, challenge), all);
  for (const i of all) {
    const other = `${challenge.slice(0, i)}${challenge[i] === "A" ? "B" : "A"}${challenge.slice(i + 1)}`;
    assertEquals(looks(challenge, other), all);
    assertEquals(looks(other, challenge), all);
  }
});

test("[PK-10] a code with a challenge is rejected without a verifier, and not consumed", async () => {
  const server = await testServer();
  const code = await server.code();
  const other = await server.code(web);
  await forEachCase([undefined, ""], async (code_verifier) => {
    const responses = [
      await server.token({ code, code_verifier }),
      await server.token({ code, code_verifier, Code_Verifier: verifier }),
      await exchangeAsWeb(server, { code: other, code_verifier }),
    ];
    for (const response of responses) {
      assertEquals(await assertInvalidGrant(response), "code_verifier is missing [PK-10]");
    }
  });
  assertEquals((await server.token({ code })).status, 200);
  assertEquals((await exchangeAsWeb(server, { code: other })).status, 200);
});

test("[PK-10] a public client needs a verifier even for a code issued without a challenge while it was confidential", async () => {
  const server = await testServer();
  const code = await server.code({ ...web, ...bare });
  server.as.clients.set({ client_id: "web", redirect_uris: [web.redirect_uri] });
  await assertInvalidGrant(await server.token({ ...web, code, code_verifier: undefined }));
  await assertInvalidGrant(await server.token({ ...web, code }));
});

test("[PK-10] a client that got require_pkce cannot exchange a code that was issued without a challenge before", async () => {
  const server = await testServer();
  const code = await server.code({ ...web, ...bare });
  server.as.clients.set({ ...clients[1]!, require_pkce: true });
  await assertInvalidGrant(await exchangeAsWeb(server, { code, code_verifier: undefined }));
  const { reason, received } = getRejections(server.events).at(-1)!.explanation;
  assertEquals(
    [reason, received],
    [
      "require_pkce in the metadata of this client requires PKCE",
      "a code that was issued before PKCE was required",
    ],
  );
});

test("[PK-11] a verifier for a code without a challenge is rejected, and the code is not consumed", async () => {
  const server = await testServer();
  const code = await server.code({ ...web, ...bare });
  await assertInvalidGrant(await exchangeAsWeb(server, { code, code_verifier: verifier }));
  assertEquals((await exchangeAsWeb(server, { code, code_verifier: undefined })).status, 200);
});

/** A text as it is and in the encodings in which it might hide. */
function disguises(text: string): string[] {
  const bytes = [...new TextEncoder().encode(text)];
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const base64 = btoa(text).replaceAll("=", "");
  const url = base64.replaceAll("+", "-").replaceAll("/", "_");
  return [text, hex, hex.toUpperCase(), base64, url, encodeURIComponent(text)];
}

test("[PK-12] no response contains the challenge or its method", async () => {
  const server = await testServer();
  const own = await s256("never to be seen again, neither readable nor encoded");
  const code_challenge = own;
  const code = await server.code({ code_challenge });
  const responses = [
    await server.authorize({ code_challenge }),
    await authorizeByPost(server, { code_challenge }),
    await server.authorize({ code_challenge, scope: "bogus" }),
    await server.authorize({ code_challenge, code_challenge_method: "plain" }),
    await server.authorize({ code_challenge: `${own}=` }),
    await server.authorize({ code_challenge: [own, own] }),
    await server.authorize({ code_challenge, client_id: "unknown" }),
    await server.authorize({ code_challenge, redirect_uri: "https://evil.example/cb" }),
    await server.authorize({ code_challenge }, { method: "PUT" }),
    await server.get(`/authorized?code=${code}`),
    await server.get(`/authorized?code=${code}&code_challenge=${own}&code_challenge_method=S256`),
    await server.token({ code, code_verifier: "w".repeat(43) }),
    await server.token({ code, code_verifier: undefined }),
    await server.token({ code, code_challenge, code_challenge_method: "S256" }),
  ];
  const mine = await server.token({ code: await server.code() });
  const body = await mine.clone().json();
  const texts = await Promise.all(responses.map(async (one) => `${[...one.headers].join()} ${await one.text()}`));
  for (const text of texts) {
    for (const disguise of disguises(own)) assert(!text.includes(disguise), text);
  }
  const claims = [body.access_token, body.id_token].map((jwt) => JSON.stringify(decodeClaims(jwt)));
  const success = responses[0]!.headers.get("location")!;
  for (const text of [await mine.text(), ...claims, success]) {
    for (const disguise of [...disguises(challenge), "code_challenge"]) assert(!text.includes(disguise), text);
  }
  for (const text of claims) assert(!text.includes("S256"), text);
});

test("[PK-13, MD-08] both metadata documents list S256 and no other method", async () => {
  const { get } = await testServer();
  await forEachCase(["oauth-authorization-server", "openid-configuration"], async (name) => {
    const metadata = await (await get(`/.well-known/${name}`)).json();
    assertEquals(metadata.code_challenge_methods_supported, ["S256"]);
  });
});

test("[PK-14] a challenge repeated by the same client while its first code is valid causes a warning", async () => {
  const server = await testServer();
  await server.code();
  await server.code({ ...web });
  await server.code({ code_challenge: await s256("x".repeat(43)) });
  assertEquals(warnings(server, "PK-14"), 0);
  server.advance(299);
  await server.code();
  assertEquals(warnings(server, "PK-14"), 1);
  server.advance(300);
  await server.code();
  assertEquals(warnings(server, "PK-14"), 1);
});

test("[PK-14] a challenge without an issued code is not remembered", async () => {
  const server = await testServer();
  for (const _ of [1, 2]) {
    assertEquals(assertAuthorizationResponse(await server.authorize({ prompt: "none" })).error, "login_required");
  }
  await server.code();
  assertEquals(warnings(server, "PK-14"), 0);
});

test("[PK-14] the warning names the client and not the challenge", async () => {
  const server = await testServer();
  await server.code();
  await authorizeByPost(server);
  const [warning] = server.events.filter((event) => event.type === "warning");
  assertEquals(warning?.client, "spa");
  assert(!JSON.stringify(server.events).includes(challenge));
});

test("[PK-07, PK-08, HT-15] rejections repeat the sent values neither on pages nor in the trace", async () => {
  const server = await testServer();
  const secret = "do-not-log-what-i-sent-here-0123456789-abc";
  const code = await server.code();
  await server.authorize({ code_challenge: `${secret}=` });
  await server.authorize({ code_challenge: [secret, secret] });
  await server.token({ code, code_verifier: secret });
  await server.token({ code, code_verifier: `${secret}=` });
  await server.token({ code, code_verifier: [secret, secret] });
  assertEquals(getRejections(server.events).length, 5);
  assert(!JSON.stringify(server.events).includes("do-not-log"));
  await assertPage(await server.authorize({ code_challenge: secret, client_id: "unknown" }), 400, secret);
});
