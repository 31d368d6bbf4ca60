/** An instance that dies between the steps of a token request: the next request finds the state before or after. */

import { assert, assertEquals } from "@std/assert";
import { decodeJwt } from "jose";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { client, type Tokens } from "./client.ts";
import { runLoad } from "./load.ts";
import { killAll, newFolder, postgresServer, redisServer, waitUntil } from "./processes.ts";
import { type Instance, startInstance } from "./instances.ts";

after(killAll);

const places: Readonly<Record<string, () => Promise<string>>> = {
  "SQLite file": () => Promise.resolve(`sqlite:${join(newFolder(), "latchkey.db")}`),
  PostgreSQL: async () => (await postgresServer()).url,
  Redis: async () => (await redisServer()).url,
};

test("the audit finds lost records and double exchanges", async () => {
  const store = await places["SQLite file"]!();
  const liar = await startInstance("deno", store, { lies: true });
  const { lost, doubleExchanges } = await runLoad(
    "A store that lies, which must show",
    [liar],
    (load) => load.flows(30),
  );
  assert(lost.includes("a refresh token was rejected: invalid_grant"), lost.join());
  for (const what of ["a code was exchanged twice concurrently", "a code was exchanged a second time"]) {
    assert(doubleExchanges.includes(what), [...new Set(doubleExchanges)].join());
  }
  await liar.process().end();
});

for (const [name, open] of Object.entries(places)) {
  test(`[CI-06, RT-04] ${name}: a process killed between consume and response never makes the value usable again`, async () => {
    const store = await open();
    const [living, healing] = await Promise.all([
      startInstance("deno", store),
      startInstance("node", store, { settings: { refresh: { grace: 60 } } }),
    ]);
    const { logIn, exchange, refresh, isActive } = client();
    const outcomes: Record<string, unknown> = {};

    const dying = async (dieAfter: string, use: (instance: typeof living) => Promise<unknown>) => {
      const mortal = await startInstance("bun", store, { dieAfter });
      assertEquals(await use(mortal).catch(() => "no response"), "no response");
      await mortal.process().exited;
    };

    // The code is used up, and there is nothing else yet.
    let login = await logIn(living);
    await dying("consume code", (mortal) => exchange(mortal, login));
    outcomes["after the code was used"] = await exchange(living, login);

    // The tokens exist, but the client did not receive them.
    login = await logIn(living);
    await dying("add refresh_token", (mortal) => exchange(mortal, login));
    outcomes["after the refresh token was stored"] = await exchange(living, login);

    // The old refresh token is used up, and there is no new one yet.
    const kept = await exchange(living, await logIn(living)) as Tokens;
    await dying("consume refresh_token", (mortal) => refresh(mortal, kept.refresh_token));
    outcomes["the access token from before"] = await isActive(living, kept.access_token);
    outcomes["after the refresh token was used"] = await refresh(living, kept.refresh_token);
    outcomes["the access token after the replay"] = await isActive(living, kept.access_token);

    // The same with a grace period: the client repeats the request, and continues.
    const patient = await exchange(living, await logIn(living)) as Tokens;
    await dying("consume refresh_token", (mortal) => refresh(mortal, patient.refresh_token));
    const next = await refresh(healing, patient.refresh_token) as Tokens;
    outcomes["with a grace"] = await isActive(living, next.access_token);
    outcomes["and on"] = typeof (await refresh(healing, next.refresh_token) as Tokens).access_token;

    assertEquals(outcomes, {
      "after the code was used": "400 invalid_grant",
      "after the refresh token was stored": "400 invalid_grant",
      "the access token from before": true,
      "after the refresh token was used": "400 invalid_grant",
      "the access token after the replay": false,
      "with a grace": true,
      "and on": "string",
    });
    for (const one of [living, healing]) await one.process().end();
  });
}

test("[SS-10] a security event of a process that was killed before its post is posted by another one", async () => {
  const received: string[] = [];
  const receiver = createServer((request, response) => {
    request.setEncoding("utf8").on("data", (token) => received.push(token));
    request.on("end", () => response.writeHead(202).end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const endpoint_url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/events`;
  const scope = "ssf.manage";
  const clients = [{ client_id: "receiver", client_secret: "s3cret", grant_types: ["client_credentials"], scope }];
  const options = { settings: { sharedSignals: true, clients, privateHosts: ["127.0.0.1"] } };
  const store = await places["SQLite file"]!();
  const post = async ({ url }: Instance, path: string, headers: Record<string, string>, body: BodyInit) => {
    const response = await fetch(url + path, { method: "POST", headers, body });
    return response.status === 204 ? undefined : await response.json();
  };

  const mortal = await startInstance("deno", store, { ...options, dieAfter: "replace stream_event" });
  const form = new URLSearchParams({ grant_type: "client_credentials", scope });
  const basic = { authorization: `Basic ${btoa("receiver:s3cret")}` };
  const { access_token } = await post(mortal, "/oauth2/token", basic, form);
  const headers = { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
  const delivery = { method: "urn:ietf:rfc:8935", endpoint_url };
  const { stream_id } = await post(mortal, "/ssf/stream", headers, JSON.stringify({ delivery }));
  const verify = (instance: Instance, state: string) =>
    post(instance, "/ssf/verification", headers, JSON.stringify({ stream_id, state }));
  await verify(mortal, "killed").catch(() => undefined);
  await mortal.process().exited;
  assertEquals(received, []);

  const living = await startInstance("deno", store, { ...options, ahead: 120_000 });
  await verify(living, "living");
  await waitUntil("both events are posted", () => Promise.resolve(received.length === 2));
  const states = received.map((token) => JSON.stringify(decodeJwt(token).events).match(/"state":"(\w+)"/)![1]);
  assertEquals(states, ["killed", "living"]);
  await living.process().end();
  receiver.close();
});
