/** Whether the watch over logs would notice: the proof that its silence in all other tests means something. */

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import type { Plugin } from "../src/server/hosting/options.ts";
import type { HttpResponse } from "../src/core/http/message.ts";
import { challenge, encode, forEachCase, goodRequest, testServer, verifier } from "./kit.ts";
import { postRegistration, register } from "./server/registering.ts";
import { findRandomSecrets } from "./secrets.ts";
import { latchkey } from "./secret_leak_check.ts";
import { testLatchkey } from "./testing/test_latchkey.ts";

/** A plugin that writes the values found by `pick` into the trace, in a text that is not redacted. */
function gossip(pick: (url: string, location: URLSearchParams) => string | null | undefined): Plugin {
  let format = (_: string) => {};
  return {
    extend(server) {
      const event = { type: "code_issued", at: server.now(), client: "spa", sub: "alice", scope: [] } as const;
      format = (word) => server.trace({ ...event, grantId: `saw ${word}` });
      return server;
    },
    handle: (next) => async (request, peer) => {
      const response = await next(request, peer);
      const location = new Headers(response.headers).get("location") ?? "";
      const picked = pick(request.url, new URLSearchParams(location.slice(location.indexOf("?"))));
      if (picked) format(picked);
      return response;
    },
  };
}

const theCode = (_: string, location: URLSearchParams) => location.get("code");

test("[HT-15] a code in the log is found, in its own request or in a later one", async () => {
  const { code } = await testServer({ plugins: [gossip(theCode)] });
  await assertRejects(() => code(), Error, "the log holds the secret");
  let known: string | null = null;
  const late = await testServer({
    plugins: [gossip((url, location) => {
      known ??= location.get("code");
      return url.endsWith("/oauth2/jwks") ? known : undefined;
    })],
  });
  await late.code();
  await late.get("/");
  await assertRejects(() => late.get("/oauth2/jwks"), Error, "the log holds the secret");
});

test("[HT-15] secrets sent by a client are found, in its body and in its headers", async () => {
  const { code, token } = await testServer({
    plugins: [gossip((url) => url.endsWith("/token") ? `the verifier ${verifier}` : undefined)],
  });
  const given = await code();
  const error = await assertRejects(() => token({ code: given }), Error);
  assertStringIncludes(error.message, verifier);
  const secret = "a-long-enough-secret";
  const web = await testServer({
    // Another value: registered secrets are redacted before any listener.
    clients: [{ client_id: "web", client_secret: "registered", redirect_uris: ["https://web.example/cb"] }],
    plugins: [gossip((url) => url.endsWith("/token") ? `the secret ${secret}` : undefined)],
  });
  const headers = { authorization: `Basic ${btoa(`web:${secret}`)}` };
  await assertRejects(() => web.token({ code: "none", client_id: undefined }, { headers }), Error, secret);
});

test("[HT-15] the credentials of a registration are found, in its response and in a JSON body", async () => {
  let known: string | undefined;
  const server = await testServer({ plugins: [gossip((url) => url.endsWith("/jwks") ? known : undefined)] });
  const metadata = { redirect_uris: ["https://a.example/"] };
  const deleted = await register(server, metadata);
  const deletion = await server.get(new URL(deleted.registration_client_uri).pathname, {
    method: "DELETE",
    headers: { authorization: `Bearer ${deleted.registration_access_token}` },
  });
  assertEquals(deletion.status, 204);
  const sent = "a-software-statement-of-a-client";
  await postRegistration(server, { redirect_uris: [], software_statement: sent });
  for (const secret of [deleted.registration_access_token, sent]) {
    known = secret;
    await assertRejects(() => server.get("/oauth2/jwks"), Error, secret);
  }
});

test("[HT-15] servers created without the harness are checked too", async () => {
  const settings = {
    issuer: "https://as.test",
    clients: [{ client_id: "spa", redirect_uris: ["https://spa.example/cb"] }],
    plugins: [gossip(theCode)],
  };
  const request = () => new Request(`https://as.test/oauth2/authorize?${encode(goodRequest)}`);
  for (const make of [latchkey, testLatchkey]) {
    await using as = await make(settings);
    await assertRejects(() => as.fetch(request()), Error, "the log holds the secret");
  }
});

test("[NV-01] an authorization response with an access token fails, in query, fragment and form", async () => {
  const spoiling = (spoil: (location: string) => HttpResponse): Plugin => ({
    handle: (next) => async (request, peer) => {
      const response = await next(request, peer);
      const location = new Headers(response.headers).get("location");
      return location === null ? response : spoil(location);
    },
  });
  const redirect = (location: string): HttpResponse => ({ status: 302, headers: { location }, body: null });
  const html =
    '<form method="post" action="https://spa.example/cb"><input type="hidden" name="access_token" value="x"/></form>';
  await forEachCase([
    spoiling((location) => redirect(`${location}&access_token=x`)),
    spoiling((location) => redirect(`${location}#token_type=Bearer`)),
    spoiling(() => ({ status: 200, headers: { "content-type": "text/html" }, body: html })),
  ], async (plugin) => {
    const { authorize } = await testServer({ plugins: [plugin] });
    await assertRejects(() => authorize(), Error, "[NV-01] an authorization response holds");
  });
});

test("[HT-15] the program's output is searched for anything that looks like a secret", async () => {
  const b = await testServer();
  const code = await b.code();
  const { access_token, id_token } = await (await b.token({ code })).json();
  const cookie = (await b.authorize()).headers.get("set-cookie")!.split(";")[0]!.split("=")[1]!;
  await forEachCase([code, access_token, id_token, cookie, verifier], (secret) => {
    assertEquals(findRandomSecrets(`09:14:07 rejected at /oauth2/token: received ${secret}; expected another`), [
      secret,
    ]);
  });
  const safe = `"kid":"${challenge}" https://as.test/oauth2/token $scrypt$ln=15,r=8,p=3$c2FsdA$${challenge}`;
  assertEquals(findRandomSecrets(safe), []);
});

test("every test that creates servers checks them", () => {
  const files = globSync("tests/**/*.ts").map((path) => path.replaceAll("\\", "/"));
  // The fuzzer and the redaction's attack watch themselves; processes of their own are read by those who start them.
  // That one tests options with which no server starts.
  const startsNone = "tests/server/one_description_test.ts";
  // These test the server without the pages for developers, which the functions of that file add.
  const withoutPages = /^tests\/server\/(?:alone|pages\/replaced_pages|endpoints\/(?:home|start))_test\.ts$/;
  // The plugins of immediate_test.ts return no responses, which the plugin of the check could not read.
  const exempt =
    /^tests\/(?:secret_leak_check|server\/immediate|testing\/test_latchkey|fuzz\/servers|recorder\/redact_attack|packages\/|browser\/)|_child\.ts$/;
  const unwatched = files.filter((path) => path !== startsNone && !exempt.test(path) && !withoutPages.test(path))
    .filter((path) => {
      const imports = [
        ...readFileSync(path, "utf-8").matchAll(
          /^import \{([^}]*)\} from "[^"]*\/src\/(?:testing\/)?(?:mod|latchkey|test_latchkey)\.ts";/gm,
        ),
      ];
      return imports.some(([, names]) => /(?:^|[\s,])(?:latchkey|testLatchkey)(?:[\s,]|$)/.test(names!));
    });
  assertEquals(unwatched, []);
});

test("values that are not secret may be logged", async () => {
  const { authorize, code, token } = await testServer({
    plugins: [gossip((url) => url.includes("authorize") ? `${challenge} https://spa.example/cb st4te` : undefined)],
  });
  assertEquals((await authorize()).status, 302);
  assertEquals((await token({ code: await code() })).status, 200);
});
