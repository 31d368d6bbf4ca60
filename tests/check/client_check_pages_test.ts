/** The pages that check a client of a running server, as the program has them on a test host. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../src/devtools/mod.ts";
import type { LatchkeyOptions } from "../../src/mod.ts";
import { clientCheck } from "../../src/check/client_check.ts";
import { checkPages } from "../../src/check/check_pages.ts";
import { encode } from "../kit.ts";
import { latchkey } from "../secret_leak_check.ts";
import { until } from "../until.ts";
import { type ApplicationMistake, startWebApplication } from "./small_web_application.ts";

/** A server as the program starts it, with an application that has it as its issuer. */
async function start({ mistake, ...settings }: LatchkeyOptions & { readonly mistake?: ApplicationMistake } = {}) {
  const check = clientCheck({ program: "npx -y deno task start" });
  const flows = inspector();
  const as = await latchkey({
    alg: "EdDSA",
    clients: [{ client_id: "other", redirect_uris: ["http://localhost:3000/cb"] }, {
      client_id: "api",
      client_secret: "secret-of-the-api-client",
      grant_types: ["client_credentials"],
    }, { client_id: "real", redirect_uris: ["https://shop.example.com/cb"] }],
    ...settings,
    plugins: [check.plugin, flows, checkPages(check), {
      setup: ({ developerPages }) => void (developerPages.rulesPath = "/docs/rules"),
    }],
  });
  const { url } = await as.listen({ port: 0 });
  const application = await startWebApplication(() => ({ issuer: as.issuer, clientId: "shop", alg: "EdDSA", mistake }));
  await as.clients.set({ client_id: "shop", redirect_uris: [`${application.url}/callback`] });
  const page = `${url}/clients/shop/check`;
  /** Opens the page, and returns how its form is sent. */
  const open = async (path = page) => {
    const response = await fetch(path);
    const html = await response.text();
    const cookie = response.headers.getSetCookie().map((line) => line.split(";", 1)[0]).join("; ");
    const form_token = /name="form_token" value="([^"]+)"/.exec(html)?.[1] ?? "";
    return {
      ...{ status: response.status, html },
      submit: (values: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) =>
        fetch(page, {
          method: "POST",
          redirect: "manual",
          headers: { cookie, origin: url, "content-type": "application/x-www-form-urlencoded", ...headers },
          body: encode({ form_token, ...values }),
        }),
    };
  };
  const values = { do: "start", loginUrl: `${application.url}/login`, loggedInUrl: `${application.url}/me` };
  return {
    ...{ as, url, check, flows, application, page, open, values },
    ended: () => until(() => check.state().status !== "running"),
    async [Symbol.asyncDispose]() {
      await application[Symbol.asyncDispose]();
      await as.close();
    },
  };
}

test("[CO-07] from the page of a client to the report, whose flows it links to, and back", async () => {
  await using server = await start({ mistake: "does not verify the ID token" });
  const { as, url, flows, open, values, ended, application } = server;
  assertStringIncludes((await open(`${url}/clients/shop`)).html, 'href="/clients/shop/check"');
  const { html, submit } = await open();
  assertStringIncludes(html, `value="${application.url}/login"`);
  const before = { users: as.users.list(), clients: as.clients.list(), recorded: flows.recorder.exchanges().length };
  const started = await submit({ ...values, only: "id-token/signed-by-stranger id-token/nonce-wrong" });
  assertEquals([started.status, started.headers.get("location")], [303, "/clients/shop/check?progress"]);
  const running = await open(`${url}/clients/shop/check?progress`);
  assertStringIncludes(running.html, 'id="progress"');
  assertStringIncludes(running.html, "Reload");
  await ended();
  const report = await fetch(`${url}/clients/shop/check?progress`);
  assertEquals([report.status, report.redirected, report.url], [200, true, `${url}/flows/check`]);
  const text = await report.text();
  assertStringIncludes(text, "id-token/signed-by-stranger");
  assertMatch(text, /<a href="\/clients\/shop">Back to the client<\/a>/);
  assertMatch(
    text,
    /npx -y deno task start check http\S+\/login --issuer \S+ --client-id shop .* --logged-in-url http\S+\/me --only id-token\/signed-by-stranger/,
  );
  assertEquals((await fetch(`${url}/flows/check/1`)).status, 200);
  assertEquals(
    { users: as.users.list(), clients: as.clients.list(), recorded: flows.recorder.exchanges().length },
    before,
  );
  // The next check begins with the same values, and the page leads to the report of this one.
  const again = (await open()).html;
  assertStringIncludes(again, 'value="id-token/signed-by-stranger id-token/nonce-wrong"');
  assertStringIncludes(again, '<a href="/flows/check">Report of the last check</a>');
  const other = (await open(`${url}/clients/other/check`)).html;
  assert(!other.includes("Report of the last check"));
  assertStringIncludes(other, 'value="http://localhost:3000/login"');
  // A redirect URI of this server is no application's.
  as.clients.set({ client_id: "own", redirect_uris: [`${as.issuer}/authorized`] });
  assertMatch((await open(`${url}/clients/own/check`)).html, /name="loginUrl"[^>]* value(?:=""|)\/?>/);
});

test("[CO-07] a login without an attack that the server rejects: the report has the page of the rule", async () => {
  await using server = await start();
  const { as, url, open, values, ended, check, application } = server;
  const client_secret = "secret-that-the-application-lacks";
  await as.clients.set({ client_id: "shop", client_secret, redirect_uris: [`${application.url}/callback`] });
  await (await open()).submit({ ...values, only: "id-token/signed-by-stranger" });
  await ended();
  const { control: { rejections } } = await (await fetch(`${url}/flows/check.json`)).json();
  const [{ rule, url: page, sources }] = rejections;
  assertEquals([page, sources.length > 0], [`${url}/docs/rules/${rule}`, true]);
  assertMatch(String(check.report()), new RegExp(`\\n {2}page: +${page}$`));
  assertStringIncludes(await (await fetch(`${url}/flows/check`)).text(), `<a href="/docs/rules/${rule}">`);
});

test("[CO-07] the form names a page that refreshes tokens, and the attacks to leave out, as the command does", async () => {
  await using server = await start();
  const { as, open, values, ended, check, application } = server;
  const grant_types = ["authorization_code", "refresh_token"];
  await as.clients.set({ client_id: "shop", redirect_uris: [`${application.url}/callback`], grant_types });
  const { html } = await open();
  assertMatch(html, /<details><summary>More about the application/);
  const refreshUrl = `${application.url}/refresh`;
  const except = "refresh/rejected keys";
  assertEquals(
    (await (await open()).submit({ ...values, only: "refresh/token-omitted refresh/rejected", except, refreshUrl }))
      .status,
    303,
  );
  await ended();
  assertEquals(check.report()!.results.map(({ attack, verdict }) => [attack.id, verdict]), [[
    "refresh/token-omitted",
    "passed",
  ]]);
  const again = (await open()).html;
  assertMatch(again, /<details open><summary>More about the application/);
  for (const value of [except, refreshUrl]) assertStringIncludes(again, `value="${value}"`);
  const wrong = await (await open()).submit({ ...values, refreshUrl: "http://10.0.0.1/", except: "none" });
  assertEquals(wrong.status, 400);
  assertMatch(await wrong.text(), /<details open>.*id="refreshUrl-fault".*id="except-fault"/s);
});

test("[CO-07] a second check is 409, and a stopped one leads to its report", async () => {
  await using server = await start();
  const { url, open, values, check } = server;
  const { submit } = await open();
  assertEquals((await submit({ ...values, only: "response" })).status, 303);
  const second = await submit(values);
  assertEquals(second.status, 409);
  assertStringIncludes(await second.text(), "A check of shop is running.");
  const elsewhere = await fetch(`${url}/clients/other/check`);
  assertEquals(elsewhere.url, `${url}/clients/shop/check?progress`);
  const stopped = await submit({ do: "stop" });
  assertEquals([stopped.status, stopped.headers.get("location")], [303, "/clients/shop/check?progress"]);
  assertEquals(check.state().status, "stopped");
  assertStringIncludes(await (await fetch(`${url}/clients/shop/check?progress`)).text(), "Check of http://127.0.0.1");
});

test("[CO-07, UI-04, DI-04] pages of other sites, other hosts and invalid values start no check", async () => {
  await using server = await start();
  const { url, page, open, values, check } = server;
  const { submit } = await open();
  const rejected = [
    await submit(values, { origin: "https://evil.example.com" }),
    await submit(values, { origin: "null" }),
    await submit({ ...values, form_token: "another" }),
    await submit(values, { cookie: "" }),
  ];
  assertEquals(rejected.map(({ status }) => status), [403, 403, 403, 403]);
  for (const host of ["evil.example.com", "rebound.example.com:9000"]) {
    const request = (method: string) => server.as.fetch(new Request(page, { method, headers: { host, origin: url } }));
    assertEquals([(await request("GET")).status, (await request("POST")).status], [403, 403]);
  }
  for (const loginUrl of ["http://169.254.169.254/", "https://app.example.com/login", "javascript:alert(1)", ""]) {
    const response = await submit({ ...values, loginUrl });
    assertEquals(response.status, 400, loginUrl);
    assertMatch(await response.text(), /id="loginUrl-fault"/);
  }
  const attack = await submit({ ...values, only: "id-tokens" });
  assertEquals(attack.status, 400);
  assertMatch(await attack.text(), /id="only-fault".*Did you mean/s);
  assertEquals((await submit({ ...values, do: "remove" })).status, 400);
  assertEquals(check.state().status, "none");
});

test("[CO-07] other clients have no such page: without a redirect URI on a test host, registered by themselves, or unknown", async () => {
  await using server = await start({ registration: { mode: "open" } });
  const { as, url, open } = server;
  const { client_id } = await (await fetch(`${as.issuer}/oauth2/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ redirect_uris: ["http://localhost:3000/cb"] }),
  })).json();
  for (const id of ["api", "real", client_id, "unknown"]) {
    assert(!(await open(`${url}/clients/${id}`)).html.includes("/check"), id);
    assertEquals((await open(`${url}/clients/${id}/check`)).status, 404, id);
  }
  for (const path of ["shop/check/1", "shop/other", "%ff/check"]) {
    assertEquals((await open(`${url}/clients/${path}`)).status, 404, path);
  }
  for (const directory of ["off", "read"] as const) {
    await using without = await start({ directory });
    assertEquals((await fetch(without.page)).status, 404, directory);
  }
});

test("[CO-07] where each request has an issuer, the check has that of the page; users log in without passwords", async () => {
  await using server = await start({ issuer: "from-host", login: "interactive" });
  const { open, values, ended, check } = server;
  const { submit } = await open();
  assertEquals((await submit({ ...values, only: "id-token/signed-by-stranger" })).status, 303);
  await ended();
  const { control, passed } = check.report()!;
  assertEquals([check.state().status, passed], ["ended", true], String(control.error));
});

test("[CO-07] where browsers reach the server under another name, the check still follows the login", async () => {
  await using server = await start({ frontChannelUrl: "http://demo.test" });
  const { open, values, ended, check } = server;
  const { submit } = await open();
  assertEquals((await submit({ ...values, only: "id-token/signed-by-stranger" })).status, 303);
  await ended();
  const { control, passed } = check.report()!;
  assertEquals(passed, true, String(control.error));
});
