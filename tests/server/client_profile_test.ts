/**
 * A profile of one client: its requests are stricter, those of other clients stay as they are (PF-04).
 *
 * @extensions assertion_authentication, client_documents, registration
 */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError, memoryStore, type ProfileName } from "../../src/mod.ts";
import { latchkey } from "../secret_leak_check.ts";
import { assertTokenResponse, basic, challenge, clients, type Fields, testServer } from "../kit.ts";
import { assertionOf, clientKey } from "./client_jwts.ts";
import { postRegistration } from "./registering.ts";
import { ask, ofStrict, ofWeb, strict } from "./strict_client.ts";

const noChallenge: Fields = { code_challenge: undefined, code_challenge_method: undefined };

// The first test: the profiles are not loaded yet.
test("[PF-04] a client with a profile can be added before any other has one", async () => {
  const { as } = await testServer();
  assertEquals((await as.clients.set(strict("oauth2.1"))).policy?.pkce.requireForConfidential, true);
  const invalid = strict("fapi2-security", { client_id: "other" });
  await assertRejects(async () => await as.clients.set(invalid), ConfigurationError);
  assertEquals(as.clients.find("other"), undefined);
});

test("[PF-04, PF-05] a client with a profile must send a challenge, its neighbour need not; the rejection names the profile of the client", async () => {
  const b = await testServer({ clients: [strict("oauth2.1"), ...clients] });
  assertMatch(await ask(b, { ...ofStrict, ...noChallenge }), /, by the profile oauth2\.1 of this client \[PK-02\]$/);
  assertMatch(await ask(b, { ...ofStrict, code_challenge_method: undefined }), /of this client \[PK-05\]$/);
  assertEquals(await ask(b, ofStrict), "code");
  assertEquals(await ask(b, { ...ofStrict, ...noChallenge, nonce: "n" }), "code");
  assertEquals(await ask(b, { ...ofWeb, ...noChallenge }), "code");
  const metadata = await (await b.get("/.well-known/oauth-authorization-server")).json();
  assertEquals(metadata.token_endpoint_auth_methods_supported.length, 5);
});

test("[PF-04] a profile of a client cannot make the server's settings weaker", async () => {
  const b = await testServer({ profile: "mcp", clients: [strict("oauth2.1"), strict("oidc", { client_id: "two" })] });
  for (const client_id of ["strict", "two"]) {
    const description = await ask(b, { ...ofStrict, client_id, ...noChallenge, nonce: "n" });
    assertMatch(description, /, by the profile mcp 2026-07-28 \[PK-02\]$/);
  }
  // The server requires redirect_uri in token requests, which oauth2.1 does not.
  const required = await testServer({ clients: [strict("oauth2.1")] });
  const code = await required.code(ofStrict);
  const headers = basic("strict", "web-secret");
  const fields = { code, client_id: undefined, redirect_uri: undefined };
  assertEquals((await (await required.token(fields, { headers })).json()).error, "invalid_request");
  await assertTokenResponse(
    await required.token({ ...fields, redirect_uri: "https://strict.example/cb" }, { headers }),
  );
});

test("[PF-04] the aud of a client assertion is the issuer for a client with such a profile", async () => {
  const key = await clientKey();
  const metadata = (client_id: string, profile?: ProfileName) => ({
    client_id,
    jwks: { keys: [key.jwk] },
    grant_types: ["client_credentials"],
    profile,
  });
  const b = await testServer({ clients: [metadata("strict", "oauth2.1"), metadata("web")] });
  const status = async (client_id: string, aud: string) => {
    const { status } = await b.token({
      grant_type: "client_credentials",
      client_id: undefined,
      redirect_uri: undefined,
      code_verifier: undefined,
      ...await assertionOf(client_id, key, { claims: { aud } }),
    });
    return status;
  };
  assertEquals(await status("strict", "https://as.test"), 200);
  assertEquals(await status("strict", "https://as.test/oauth2/token"), 401);
  assertEquals(await status("web", "https://as.test/oauth2/token"), 200);
});

test("[PF-04] metadata that the profile of the client forbids stops the start, or the change at run time", async () => {
  const app = strict("mcp", { redirect_uris: ["com.example.app:/cb"] });
  const problem = /redirect_uris\[0\].*by the profile mcp 2026-07-28 of this client/s;
  const error = await assertRejects(() => latchkey({ clients: [app] }), ConfigurationError);
  assertMatch(error.message, problem);
  const b = await testServer();
  const atRunTime = await assertRejects(async () => await b.as.clients.set(app), ConfigurationError);
  assertMatch(atRunTime.message, problem);
  const misspelt = { ...app, profile: "mcp2" as "mcp" };
  await assertRejects(async () => await b.as.clients.set(misspelt), ConfigurationError, '"profile": "mcp"');
});

test("[PF-04] a client that gets a profile at run time is stricter immediately, on each instance of the store", async () => {
  const b = await testServer();
  assertEquals(await ask(b, { ...ofWeb, ...noChallenge }), "code");
  await b.as.clients.set({ ...clients[1], profile: "oauth2.1" });
  assertMatch(await ask(b, { ...ofWeb, ...noChallenge }), /of this client \[PK-02\]$/);

  const store = { ...memoryStore(), persistent: true };
  const one = await testServer({ store });
  const other = await testServer({ store });
  await one.as.clients.set(strict("oauth2.1"));
  for (const instance of [one, other]) {
    assertMatch(await ask(instance, { ...ofStrict, ...noChallenge }), /of this client \[PK-02\]$/);
    assertEquals(await ask(instance, ofStrict), "code");
  }
});

test("[PF-04, DR-04, MC-04] only an operator sets a profile: registration and metadata documents ignore it", async () => {
  const url = "https://app.example/client.json";
  const document = { client_id: url, redirect_uris: ["https://app.example/cb"], profile: "oauth2.1" };
  const b = await testServer({ outbound: () => Promise.resolve(Response.json(document)) });
  const metadata = { redirect_uris: ["https://app.example/cb"], profile: "oauth2.1" };
  const registered = await (await postRegistration(b, metadata)).json();
  assert(!Object.hasOwn(registered, "profile"));
  assertEquals(
    await ask(b, { client_id: registered.client_id, redirect_uri: "https://app.example/cb", ...noChallenge }),
    "code",
  );
  const fields = { client_id: url, redirect_uri: "https://app.example/cb", code_challenge_method: undefined };
  assertEquals(await ask(b, { ...fields, code_challenge: challenge }), "code");
  const reasons = b.events.flatMap((event) => event.type === "warning" ? event.explanation.reason : []);
  assert(reasons.includes("profile of the metadata document is ignored"));
});
