/** `--control on`: the program as a process, controlled over the network. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { runProgram, startProgram } from "../../platform/runtime/run_program.ts";
import { challenge } from "../../kit.ts";
import { controlClient } from "./harness.ts";

test("the program does what the control says: a client, a user, a fault that /faults shows, the clock, the log", async () => {
  const { banner, port, signal, exited } = await startProgram({
    args: ["--port", "0", "--control", "on", "--log", "off"],
  });
  const issuer = `http://localhost:${port}`;
  assertStringIncludes(banner, `Control    ${issuer}/_control/openapi.json`);
  const { get, post } = controlClient({ issuer, fetch });
  const redirect_uri = "http://localhost:3000/cb";
  await post("/clients/set", { client_id: "shop", redirect_uris: [redirect_uri] });
  await post("/users/set", { sub: "carol" });
  const authorize = async (query: Record<string, string> = {}, headers: Record<string, string> = {}) => {
    const params = { response_type: "code", client_id: "shop", redirect_uri, scope: "openid", ...query };
    const pkce = { code_challenge: challenge, code_challenge_method: "S256" };
    const url = `${issuer}/oauth2/authorize?${new URLSearchParams({ ...params, ...pkce })}`;
    const response = await fetch(url, { redirect: "manual", headers });
    await response.body?.cancel();
    return new URL(response.headers.get("location")!).searchParams;
  };
  assertEquals((await authorize({ login_hint: "carol" })).has("code"), true);
  // A hint that names no user logs in the default user, as without the control.
  assertEquals((await authorize({ login_hint: "mallory" })).has("code"), true);
  assertEquals((await authorize({}, { "latchkey-persona": "deny=yes" })).get("error"), "access_denied");
  await post("/faults/add", { fault: "status", parameters: { code: 503 }, endpoint: "jwks" });
  assertStringIncludes(await (await fetch(`${issuer}/faults`)).text(), "status at jwks, for the next request");
  assertEquals((await fetch(`${issuer}/oauth2/jwks`)).status, 503);
  const { body: { count, exchanges } } = await get("/log/exchanges", { client: "shop" });
  assertEquals([count, exchanges.at(-1).outcome], [3, "rejected"]);
  await post("/clock/set", { time: "2030-01-01" });
  assertEquals((await fetch(issuer)).headers.get("content-type"), "text/html; charset=utf-8");
  assertEquals((await get("/health")).body.time.slice(0, 10), "2030-01-01");
  assertEquals((await post("/reset")).status, 204);
  const { body: { clients } } = await get("/clients/all");
  assertEquals(clients.map(({ client_id }: { client_id: string }) => client_id), ["demo-public", "demo-confidential"]);
  signal("SIGTERM");
  assertEquals((await exited).code, 0);
});

test("the start says that machines of the network can control the server, unless it has a secret, or its pages are off", async () => {
  const start = async (config: object) => {
    const { banner, signal, exited } = await startProgram({
      args: ["--port", "0", "--host", "0.0.0.0", "--issuer", "http://as.test"],
      env: { LATCHKEY_CONFIG_JSON: JSON.stringify(config) },
    });
    signal("SIGTERM");
    await exited;
    return banner;
  };
  assertStringIncludes(await start({ control: true }), "can read every login in /flows, and can control the server by");
  assertStringIncludes(await start({ faults: true }), "rotate keys in /faults, and can check clients.");
  const withSecret = await start({ control: true, controlSecret: "a-secret-for-the-control" });
  assertEquals(withSecret.includes("can control"), false);
  assertEquals(withSecret.includes("a-secret"), false);
});

test("[CO-01] the program does not start with the control on a real host without a secret", async () => {
  const config = {
    ...{ login: "interactive", insecure: ["open-login"], users: [{ sub: "alice" }] },
    clients: [{ client_id: "web", redirect_uris: ["https://web.corp.com/cb"] }],
  };
  const { code, stderr } = await runProgram({
    args: ["--port", "0", "--issuer", "https://auth.corp.com", "--control", "on"],
    env: { LATCHKEY_CONFIG_JSON: JSON.stringify(config) },
  });
  assertEquals(code, 1);
  assertStringIncludes(stderr, "controlSecret");
});
