/** The check of a client of a running server, by the control. The pages: `client_check_pages_test.ts`. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { controlClient } from "../../control/harness.ts";
import { clientCheck } from "../../../src/testing/check/mod.ts";
import { testLatchkey } from "../../secret_leak_check.ts";
import { until } from "../../until.ts";
import { type ApplicationMistake, startWebApplication } from "./small_web_application.ts";

/** A server with the control, and an application that has it as its issuer. */
async function start(mistake?: ApplicationMistake) {
  const as = await testLatchkey({ control: true, clientCheck: clientCheck(), alg: "RS256" });
  await as.listen();
  const application = await startWebApplication((url) => {
    as.client({ client_id: "shop", redirect_uris: [`${url}/callback`] });
    return { issuer: as.issuer, clientId: "shop", mistake };
  });
  const { get, post } = controlClient({ issuer: as.issuer, fetch });
  const { url } = application;
  return {
    ...{ as, get, post, url },
    begin: (input: object = {}) =>
      post("/clientCheck/start", { client: "shop", loginUrl: `${url}/login`, loggedInUrl: `${url}/me`, ...input }),
    async end() {
      await until(async () => (await get("/clientCheck/state")).body.status !== "running");
      return (await get("/clientCheck/state")).body;
    },
    async [Symbol.asyncDispose]() {
      await application[Symbol.asyncDispose]();
      await as.close();
    },
  };
}

test("[CO-07] a correct application passes, one with a mistake fails, and the server is as before", async () => {
  for (const mistake of [undefined, "does not compare state"] as const) {
    await using server = await start(mistake);
    const { as, begin, end, get } = server;
    as.clock.freeze("2030-01-01");
    const health = (await get("/health")).body;
    const keys = await (await fetch(`${as.issuer}/oauth2/jwks`)).text();
    as.log.clear();
    const begun = await begin({ only: ["response/state-wrong", "id-token/nonce-wrong"] });
    assertEquals([begun.status, begun.body.status, begun.body.client], [200, "running", "shop"]);
    const { status, passed, failed, done, total } = await end();
    const report = (await get("/clientCheck/report")).body;
    assertEquals([status, passed], ["ended", mistake === undefined], JSON.stringify(report.control));
    assertEquals(failed > 0, mistake !== undefined);
    assert(done === total && done > 1);
    assertEquals(as.log.exchanges, []);
    assertEquals((await get("/health")).body, health);
    assertEquals(await (await fetch(`${as.issuer}/oauth2/jwks`)).text(), keys);
  }
});

test("[CO-07] a second check is rejected; a stopped one has a report of what is known", async () => {
  await using server = await start();
  const { begin, get, post } = server;
  assertEquals((await get("/clientCheck/state")).body.status, "none");
  assertEquals((await get("/clientCheck/report")).status, 404);
  await begin({ only: ["response"] });
  const second = await begin();
  assertEquals([second.status, second.body.detail], [
    409,
    "A check of shop is running. Stop it, or wait until it ends.",
  ]);
  const stopped = await post("/clientCheck/stop");
  assertEquals([stopped.status, stopped.body.status, stopped.body.passed], [200, "stopped", false]);
  assertEquals((await get("/clientCheck/report")).status, 200);
  assertEquals((await begin({ only: ["response/late"] })).status, 200);
  await post("/clientCheck/stop");
});

test("[CO-07] a login URL on another host, an unknown client, and an unknown attack are rejected", async () => {
  await using server = await start();
  const { as, begin } = server;
  const cases = [
    [{ loginUrl: "http://169.254.169.254/latest" }, "loginUrl"],
    [{ loginUrl: "https://app.example.com/login" }, "loginUrl"],
    [{ loginUrl: "file:///etc/passwd" }, "loginUrl"],
    [{ loginUrl: "http://user:password@localhost/login" }, "loginUrl"],
    [{ loggedInUrl: "http://10.0.0.1/me" }, "loggedInUrl"],
    [{ refreshUrl: "http://10.0.0.1/refresh" }, "refreshUrl"],
    [{ client: "other" }, "client"],
    [{ only: ["id-tokens"] }, "only"],
  ] as const;
  for (const [input, place] of cases) {
    const { status, body } = await begin(input);
    assertEquals([status, body.errors[0].place], [400, place], JSON.stringify(body));
  }
  const { client_id } = await as.register({ redirect_uris: ["http://localhost:3000/cb"] });
  const { status, body } = await begin({ client: client_id });
  assertEquals(status, 400);
  assertEquals(body.errors[0].received, "a client that registered itself");
});
