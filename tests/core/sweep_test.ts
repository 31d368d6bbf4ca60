/** What is deleted when the system clock jumps. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { timers } from "../../src/core/http/timers.ts";
import { memoryStore } from "../../src/core/store/memory.ts";
import { startCore } from "./kit.ts";

/** Runs a test on a system clock of its own, then restores that of the runtime. */
async function onSystemClock(run: (server: Awaited<ReturnType<typeof startOnSystemClock>>) => Promise<void>) {
  const { now, elapsed } = timers;
  try {
    await run(await startOnSystemClock());
  } finally {
    Object.assign(timers, { now, elapsed });
  }
}

/** A server on the system clock, which a test lets pass or sets. */
async function startOnSystemClock() {
  let wall = Date.UTC(2030, 0, 1);
  let uptime = 0;
  Object.assign(timers, { now: () => wall, elapsed: () => uptime });
  const store = memoryStore();
  const started = await startCore({ now: () => timers.now(), store, policy: { alg: "EdDSA", refresh: { grace: 10 } } });
  const tick = async () => {
    await started.send("/oauth2/jwks");
  };
  return {
    ...started,
    /** Seconds pass. */
    async pass(seconds: number) {
      wall += seconds * 1000;
      uptime += seconds * 1000;
      await tick();
    },
    /** The system clock is set, to so many seconds later. */
    async set(seconds: number) {
      wall += seconds * 1000;
      for (let i = 0; i < 3; i++) {
        wall += 1000;
        uptime += 1000;
        await tick();
      }
    },
    count: () => store.count("code", ""),
  };
}

test("[CI-06, CI-08, RV-05] a clock that jumps forward and back makes no used code and no revoked token valid", () =>
  onSystemClock(async ({ code, exchange, post, send, set, lastRule }) => {
    const used = await code({ scope: "openid" });
    const { access_token } = await (await exchange(used)).json();
    const revoked = await post(
      "/oauth2/revoke",
      new URLSearchParams({ token: access_token, client_id: "spa" }).toString(),
    );
    assertEquals(revoked.status, 200);
    const userinfo = () => send("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } });
    assertEquals((await userinfo()).status, 401);
    await set(40 * 24 * 3600);
    await set(-40 * 24 * 3600);
    assertEquals((await userinfo()).status, 401);
    lastRule();
    assertEquals((await exchange(used)).status, 400);
    assertEquals(lastRule(), "CI-06");
  }));

test("expired records are deleted when time passes, and an hour after the clock was set forward", () =>
  onSystemClock(async ({ code, pass, set, count }) => {
    await code();
    await pass(100);
    assertEquals(await count(), 1);
    await pass(300);
    assertEquals(await count(), 0);
    await code();
    await set(1000);
    assertEquals(await count(), 1);
    await pass(3600);
    assertEquals(await count(), 0);
  }));

test("[RT-05] refresh.grace ends when the clock is set back by more than clocks may differ", async () => {
  for (const [seconds, status] of [[-20, 200], [-60, 400], [-3600, 400]] as const) {
    await onSystemClock(async ({ code, exchange, token, set }) => {
      const { refresh_token } = await (await exchange(await code({ scope: "offline_access read" }))).json();
      const refresh = () => token({ grant_type: "refresh_token", client_id: "spa", refresh_token });
      assertEquals((await refresh()).status, 200);
      await set(seconds);
      assertEquals((await refresh()).status, status, String(seconds));
    });
  }
});
