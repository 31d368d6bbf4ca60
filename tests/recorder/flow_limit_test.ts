/** Recording under load: a number of new flows, as many rejected requests, and as many of both a second later. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { formatEvent } from "../../src/cli/operating/format_event.ts";
import { inspector } from "../../src/devtools/mod.ts";
import { publicTokens, refresh, testClients, userinfo } from "../server/client_endpoints.ts";
import { testServer } from "../kit.ts";
import { type RecordedServer, recordedServer, summarizeExchanges } from "./recorded_server.ts";
import { replaceTimers } from "../until.ts";

/** Runs a body at a fixed time of the process, which `advance` changes. */
async function atFixedTime(body: (advance: (milliseconds: number) => void) => Promise<void>): Promise<void> {
  let time = 1000;
  const restore = replaceTimers({ elapsed: () => time });
  try {
    await body((milliseconds) => void (time += milliseconds));
  } finally {
    restore();
  }
}

const summaries = ({ recorder }: RecordedServer) =>
  recorder.flows().map(({ exchanges }) => summarizeExchanges(exchanges));

const login = ["authorize done", "token done"];

test("above the limit, new flows are left out until the second is over", async () => {
  await atFixedTime(async (advance) => {
    const recorded = await recordedServer({ maxFlowsPerSecond: 2 });
    const { server, recorder } = recorded;
    for (let i = 0; i < 5; i++) await publicTokens(server);
    assertEquals([summaries(recorded), recorder.leftOut], [[login, login], 6]);
    const started = () => server.events.filter(({ type }) => type === "flow_limit_reached");
    assertEquals(started().length, 1);
    assertMatch(
      formatEvent(started()[0]!)!,
      /more than 2 new flows in one second: .flows omits others/,
    );
    advance(999);
    await publicTokens(server);
    assertEquals([summaries(recorded).length, started().length], [2, 1]);
    advance(1);
    for (let i = 0; i < 3; i++) await publicTokens(server);
    assertEquals([summaries(recorded), started().length], [[login, login, login, login], 2]);
  });
});

test("each second records as many new flows as the limit allows; below it all are recorded", async () => {
  await atFixedTime(async (advance) => {
    const recorded = await recordedServer({ maxFlowsPerSecond: 20 });
    const logInAtRate = async (count: number, perSecond: number) => {
      const before = recorded.recorder.flows().length;
      for (let i = 0; i < count; i++) {
        await publicTokens(recorded.server);
        advance(1000 / perSecond);
      }
      return recorded.recorder.flows().length - before;
    };
    assertEquals(await logInAtRate(300, 100), 60);
    assertEquals(await logInAtRate(30, 10), 30);
    assertEquals(await logInAtRate(100, 100), 20);
  });
});

test("above the limit, a rejected request is recorded with reason and form, and recorded flows continue", async () => {
  await atFixedTime(async () => {
    const recorded = await recordedServer({ maxFlowsPerSecond: 1 });
    const { server, recorder } = recorded;
    const first = await publicTokens(server);
    const other = await publicTokens(server);
    await userinfo(server, first.access_token);
    await refresh(server, first.refresh_token);
    await userinfo(server, other.access_token);
    await refresh(server, other.refresh_token);
    await server.post("/oauth2/token", { grant_type: "refresh_token", client_id: "spa", refresh_token: "unknown" });
    assertEquals(summaries(recorded), [[...login, "userinfo done", "token done"], ["token rejected"]]);
    const exchange = recorder.exchanges().find(({ outcome }) => outcome === "rejected")!;
    assertEquals(exchange.request.form.find(([name]) => name === "refresh_token"), ["refresh_token", "unknown"]);
    assertEquals([exchange.rejection?.error, exchange.client, exchange.response?.status], [
      "invalid_grant",
      "spa",
      400,
    ]);
    // Passed checks cost most, so the server is asked for none beyond the limit.
    assertEquals(recorder.flows()[0]!.exchanges.map(({ passed }) => passed.length > 0), [true, false, false, false]);
    assertEquals(recorder.leftOut, 4);
  });
});

test("rejected requests evict and hide no login: a second records as many of them as logins", async () => {
  await atFixedTime(async (advance) => {
    const recorded = await recordedServer({ maxFlowsPerSecond: 2, limit: 10 });
    const { server, recorder } = recorded;
    const { refresh_token } = await publicTokens(server);
    for (let i = 0; i < 10; i++) {
      await server.get(`/picture.png?${i}`, { headers: { "sec-fetch-site": "cross-site" } });
      await server.get(`/oauth2/authorize?client_id=unregistered-${i}`);
      await server.post("/oauth2/token", {
        grant_type: "refresh_token",
        client_id: "spa",
        refresh_token: `guess-${i}`,
      });
      await server.get(`/oauth2/no-such-page-${i}`);
    }
    const rejected = [["unknown rejected"], ["authorize rejected"]];
    assertEquals([summaries(recorded), recorder.leftOut], [[login, ...rejected], 38]);
    await publicTokens(server);
    await refresh(server, refresh_token);
    assertEquals(summaries(recorded), [[...login, "token done"], ...rejected, login]);
    assert(recorder.flows().at(-1)!.exchanges[0]!.passed.length > 0);
    assertEquals(server.events.filter(({ type }) => type === "flow_limit_reached").length, 1);
    advance(1000);
    await server.get("/oauth2/authorize?client_id=unregistered");
    assertEquals([summaries(recorded).at(-1), recorder.leftOut], [["authorize rejected"], 38]);
  });
});

test("by default the inspector records 100 new flows a second, and its page and an event say what is missing", async () => {
  await atFixedTime(async () => {
    const pages = inspector({ limit: 10_000 });
    const server = await testServer({ ...testClients, plugins: [pages] });
    for (let i = 0; i < 101; i++) await publicTokens(server);
    assertEquals(pages.recorder.flows().length, 100);
    assertMatch(await (await server.get("/flows")).text(), /2 requests were not recorded, because too many/);
    assertEquals(server.events.filter(({ type }) => type === "flow_limit_reached").length, 1);
  });
});

test("a recorder of a program's own records everything by default", async () => {
  const recorded = await recordedServer();
  for (let i = 0; i < 101; i++) await publicTokens(recorded.server);
  assertEquals([recorded.recorder.flows().length, recorded.recorder.leftOut], [101, 0]);
});
