/** The agent for clients that use node:https instead of fetch. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { once } from "node:events";
import { createServer, request, type RequestOptions } from "node:https";
import type { AddressInfo } from "node:net";
import type { ClientRequest, IncomingMessage } from "node:http";
import { json, text } from "node:stream/consumers";
import { test } from "node:test";
import { selfSignedCertificate } from "../../src/platform/runtime/self_signed.ts";
import { faults } from "../../src/testing/mod.ts";
import { httpsAgent } from "../../src/testing/node/mod.ts";
import { forEachCase } from "../kit.ts";
import { testLatchkey } from "./test_latchkey.ts";

/** Sends a request as a library does, and returns the response without its body. */
function send(url: string, options: RequestOptions, body = ""): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent: ClientRequest = request(url, options, resolve);
  sent.on("error", reject);
  sent.end(body);
  return promise;
}

test("an agent reaches the server at an origin that does not exist", async () => {
  await forEachCase(["https://login.example.com", "https://login.example.com:8443/tenant"], async (issuer) => {
    await using as = await testLatchkey({ issuer, testKeys: false, insecure: ["auto-login"] });
    const agent = httpsAgent(as);
    const { token_endpoint, ...metadata } = await json(
      await send(`${issuer}/.well-known/openid-configuration`, { agent }),
    ) as Record<string, string>;
    assertEquals(metadata.issuer, issuer);
    const client = as.client({ confidential: true });
    const { url } = await as.browser().authorize({
      ...{ response_type: "code", client_id: client.client_id, redirect_uri: client.redirect_uri },
      ...{ code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256" },
    });
    const body = new URLSearchParams({
      ...{ grant_type: "authorization_code", code: new URL(url).searchParams.get("code")! },
      ...{ redirect_uri: client.redirect_uri, code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" },
    });
    const response = await send(token_endpoint!, {
      agent,
      method: "POST",
      headers: {
        authorization: `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}`,
        "content-type": "application/x-www-form-urlencoded",
      },
    }, String(body));
    assertEquals((await json(response) as { token_type: string }).token_type, "Bearer");
    as.log.expect("token").called(1).by(client).with("client_secret_basic").succeeded();
  });
});

test("a redirect of the server is returned, and each of its cookies", async () => {
  await using as = await testLatchkey({ login: "interactive" });
  const client = as.client();
  const params = new URLSearchParams({
    ...{ response_type: "code", client_id: client.client_id, redirect_uri: client.redirect_uri },
    ...{ code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256" },
  });
  const response = await send(`${as.issuer}/oauth2/authorize?${params}`, { agent: httpsAgent(as) });
  response.resume();
  assertEquals(response.statusCode, 302);
  assert(response.headers.location?.startsWith("/oauth2/login?"), response.headers.location);
  assertEquals(response.headers["set-cookie"]?.length, 1);
});

test("a dropped connection is an error of the client, also in the middle of a body", async () => {
  await using as = await testLatchkey();
  const agent = httpsAgent(as);
  as.on("jwks").once(faults.drop());
  await assertRejects(() => send(`${as.issuer}/oauth2/jwks`, { agent }), Error, "hang up");
  as.on("jwks").once(faults.drop("midway"));
  const response = await send(`${as.issuer}/oauth2/jwks`, { agent });
  await assertRejects(() => text(response), Error, "aborted");
});

test("the timeout of a client ends a request that hangs", async () => {
  await using as = await testLatchkey();
  as.on("jwks").once(faults.hang());
  const sent = request(`${as.issuer}/oauth2/jwks`, { agent: httpsAgent(as), timeout: 1 });
  sent.end();
  await once(sent, "timeout");
  sent.destroy(new Error("timed out"));
  await assertRejects(() => once(sent, "close").then(() => Promise.reject(sent.errored)), Error, "timed out");
});

test("one agent reaches several servers, and other origins over the network", async () => {
  await using one = await testLatchkey({ issuer: "https://one.test" });
  await using two = await testLatchkey({ issuer: "https://two.test" });
  const agent = httpsAgent(one, two);
  const { cert, key } = await selfSignedCertificate(["localhost"]);
  const outside = createServer({ cert, key }, (_, response) => response.end("outside")).listen(0, "127.0.0.1");
  await once(outside, "listening");
  const { port } = outside.address() as AddressInfo;
  for (const { issuer, log } of [one, two]) {
    assertEquals((await send(`${issuer}/oauth2/jwks`, { agent })).resume().statusCode, 200);
    log.expect("jwks").called(1);
  }
  assertEquals(await text(await send(`https://localhost:${port}/`, { agent, ca: cert })), "outside");
  // As undici connects, which uses the callback alone.
  const { promise, resolve } = Promise.withResolvers<NodeJS.ReadWriteStream>();
  const options = { host: `localhost:${port}`, hostname: "localhost", port, servername: null as never, ca: cert };
  agent.createConnection(options, (_, connection) => resolve(connection));
  const connection = await promise;
  connection.write("GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
  assertMatch(await text(connection), /^HTTP\/1\.1 200 OK\r\n/);
  outside.close();
});

test("a connector of undici receives a connection after its call", async () => {
  await using as = await testLatchkey();
  const calls: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<NodeJS.ReadWriteStream>();
  const options = { host: "latchkey.test", hostname: "latchkey.test", protocol: "https:", port: "" };
  httpsAgent(as).createConnection(options, (error, connection) => {
    calls.push("connected");
    return error === null ? resolve(connection) : reject(error);
  });
  calls.push("returned");
  const connection = await promise;
  connection.write("GET /oauth2/jwks HTTP/1.1\r\nhost: latchkey.test\r\nconnection: close\r\n\r\n");
  assertMatch(await text(connection), /^HTTP\/1\.1 200 OK\r\n/);
  assertEquals(calls, ["returned", "connected"]);
});
