/** An instance that dies between the steps of a token request: the next request finds the state before or after. */

import { assert, assertEquals } from "@std/assert";
import { after, test } from "node:test";
import { join } from "node:path";
import { client, type Tokens } from "./client.ts";
import { runLoad } from "./load.ts";
import { killAll, newFolder, postgresServer, redisServer } from "./processes.ts";
import { startInstance } from "./instances.ts";

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
