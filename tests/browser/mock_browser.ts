/** The mock with a real browser, as in end-to-end tests. */

import { assertEquals } from "@std/assert";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { type StorageState, testLatchkey } from "../../src/testing/mod.ts";
import { decodeClaims } from "../kit.ts";
import { findFreePort } from "../platform/runtime/free_port.ts";
import { closeBrowser, executablePath, openPage } from "./harness.ts";

after(closeBrowser);

test("a browser logs in at a listening mock as the persona of its header, and is redirected", {
  skip: executablePath === undefined,
}, async () => {
  await using as = await testLatchkey();
  await as.listen();
  const app = createServer((_, response) => response.end("Welcome back")).listen(0, "127.0.0.1");
  await once(app, "listening");
  const { port } = app.address() as AddressInfo;
  const client = as.client({ redirect_uris: [`http://127.0.0.1:${port}/callback`] });
  await using opened = await openPage(`${as.issuer}/`);
  const { page } = opened;
  await page.setExtraHTTPHeaders({ "latchkey-persona": "as=bob" });
  const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
  const request = new URLSearchParams({
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: client.redirect_uri,
    scope: "openid",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  });
  await page.goto(`${as.issuer}/oauth2/authorize?${request}`);
  await page.getByText("Welcome back").waitFor();
  const code = new URL(page.url()).searchParams.get("code")!;
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    client_id: client.client_id,
    redirect_uri: client.redirect_uri,
    code_verifier: verifier,
  });
  const { id_token } = await (await as.fetch("/oauth2/token", { method: "POST", body })).json();
  assertEquals(decodeClaims(id_token).sub, "bob");
  as.log.expect("token").called(1).by(client).succeeded();
  app.close();
});

for (
  const [name, { path, tls }] of Object.entries(
    {
      "http": { path: "", tls: undefined },
      "https, with a cookie of this host": { path: "", tls: "self-signed" },
      "https, with a cookie of a path": { path: "/tenant", tls: "self-signed" },
    } as const,
  )
) {
  test(`a browser starts with the session of a test browser: ${name}`, {
    skip: executablePath === undefined,
  }, async () => {
    const port = await findFreePort();
    // With pages, so that a browser without the session does not log in by itself.
    const issuer = `${tls === undefined ? "http" : "https"}://localhost:${port}${path}`;
    await using as = await testLatchkey({ login: "interactive", issuer });
    await as.listen({ tls });
    const client = as.client({ redirect_uri: `${new URL(issuer).origin}/authorized`, scope: "openid" });
    const agent = as.browser({ as: "bob" });
    await as.logIn(client, { browser: agent });
    const request = new URLSearchParams({
      ...{ response_type: "code", client_id: client.client_id, redirect_uri: client.redirect_uri, scope: "openid" },
      ...{ code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256" },
      prompt: "none",
    });
    const url = `${issuer}/oauth2/authorize?${request}`;
    const receivedError = async (storageState?: StorageState) => {
      await using opened = await openPage(url, { storageState, ignoreHTTPSErrors: true });
      return new URL(opened.page.url()).searchParams.get("error");
    };
    // Without a page the consent is missing: the user is known.
    assertEquals(await receivedError(agent.storageState()), "consent_required");
    assertEquals(await receivedError(), "login_required");
  });
}
