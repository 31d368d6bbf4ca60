/** The page `/faults`: faults for the next request of a client, the clock, and the keys, by forms. */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../src/devtools/mod.ts";
import { ConfigurationError } from "../../src/core/rules/configuration_error.ts";
import type { Latchkey, LatchkeyOptions } from "../../src/mod.ts";
import { latchkey } from "../secret_leak_check.ts";
import { logging } from "../../src/cli/operating/logging.ts";
import { allFaults } from "../../src/check/fault.ts";
import { faultDefinitions } from "../../src/testing/faults/mod.ts";
import { scenarios } from "../../src/testing/scenarios/scenarios.ts";
import { verbs } from "../../src/testing/control/verbs/mod.ts";
import { faultPages } from "../../src/testing/fault_pages/mod.ts";
import { until } from "../until.ts";
import { challenge, encode, verifier } from "../kit.ts";

const issuer = "https://faults.test";
const redirect_uri = "https://client.test/callback";

/** A server with the pages that the program has by default on this machine, with two clients. */
async function start(settings: LatchkeyOptions = {}): Promise<Latchkey> {
  const flows = inspector();
  return await latchkey({
    ...settings,
    issuer,
    alg: "ES256",
    clients: [{ client_id: "shop", redirect_uris: [redirect_uri] }, {
      client_id: "other",
      redirect_uris: [redirect_uri],
    }],
    plugins: [flows, faultPages()],
  });
}

/** A browser at the page: its cookie, and the token of its forms. */
async function openPage(as: Latchkey, query = "") {
  const response = await as.fetch(new Request(`${issuer}/faults${query}`));
  const html = await response.text();
  const cookie = response.headers.getSetCookie().map((line) => line.split(";", 1)[0]).join("; ");
  const form_token = /name="form_token" value="([^"]+)"/.exec(html)![1]!;
  return {
    status: response.status,
    html,
    submit: (fields: Readonly<Record<string, string>>) =>
      as.fetch(
        new Request(`${issuer}/faults`, {
          method: "POST",
          headers: { cookie, origin: issuer, "content-type": "application/x-www-form-urlencoded" },
          body: encode({ form_token, ...fields }),
        }),
      ),
  };
}

/** Sends an authorization request, and returns the parameters of the response. */
async function authorize(as: Latchkey, client_id: string): Promise<URLSearchParams> {
  const request = { response_type: "code", client_id, redirect_uri, scope: "openid", code_challenge: challenge };
  const url = `${issuer}/oauth2/authorize?${encode({ ...request, code_challenge_method: "S256" })}`;
  const response = await as.fetch(new Request(url, { redirect: "manual" }));
  return new URL(response.headers.get("location")!).searchParams;
}

/** Logs in, and returns the token response. */
async function logIn(as: Latchkey, client_id: string): Promise<Response> {
  const code = (await authorize(as, client_id)).get("code")!;
  return await as.fetch(
    new Request(`${issuer}/oauth2/token`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: encode({ grant_type: "authorization_code", client_id, redirect_uri, code, code_verifier: verifier }),
    }),
  );
}

test("a fault that is chosen on the page meets the next request of that client alone, and the flow shows it", async () => {
  await using as = await start();
  const clientPage = await (await as.fetch(new Request(`${issuer}/clients/shop`))).text();
  assertStringIncludes(clientPage, 'href="/faults?client=shop"');
  const page = await openPage(as, "?client=shop&fault=error");
  assertStringIncludes(page.html, 'name="parameter_code"');
  const added = await page.submit({
    ...{ do: "faults.add", shown_client: "shop", client: "shop", fault: "error", endpoint: "token" },
    parameter_code: "invalid_grant",
  });
  assertEquals([added.status, added.headers.get("location")], [303, "/faults?client=shop"]);
  assertStringIncludes((await openPage(as)).html, "error at token, for the next request of shop: fired 0 times");
  assertEquals((await logIn(as, "other")).status, 200);
  const rejected = await logIn(as, "shop");
  assertEquals([rejected.status, (await rejected.json()).error], [400, "invalid_grant"]);
  assertEquals((await logIn(as, "shop")).status, 200);
  assertMatch((await openPage(as)).html, /No fault is active.*finished, fired once.*Remove/s);
  const flow = await (await as.fetch(new Request(`${issuer}/flows/2`))).text();
  assertMatch(flow, /injected fault: \S*invalid_grant/i);
});

test("the terminal names each change, and each fault that applies", async () => {
  const lines: string[] = [];
  await using as = await latchkey({
    issuer,
    alg: "ES256",
    clients: [{ client_id: "shop", redirect_uris: [redirect_uri] }],
    plugins: [inspector(), logging({ write: (line) => lines.push(line), format: "text" }), faultPages()],
  });
  const { submit } = await openPage(as);
  await submit({ do: "faults.add", fault: "status", endpoint: "token", parameter_code: "503" });
  assertEquals((await logIn(as, "shop")).status, 503);
  await submit({ do: "clock.advance", seconds: "60" });
  await submit({ do: "rotateKeys", lead: "0" });
  const [added, applied, moved, rotated] = lines.map((line) => line.replace(/^\S+ /, ""));
  assertEquals(added, "changed on a page: Fault added: status at token, for the next request of any client");
  assertMatch(
    applied!.replaceAll("  ", " | "),
    /^! POST \/oauth2\/token \| 503 \| shop \| fault status 503 \| → https?:\S+\/flows\/of\/2$/,
  );
  assertMatch(moved!, /^changed on a page: Clock moved by 1 minute to /);
  assertMatch(rotated!, /^changed on a page: Signing key rotated: kid /);
});

/** A token request that ends with `invalid_grant`; the status. */
async function refresh(as: Latchkey, client_id: string): Promise<number> {
  const body = new URLSearchParams({ grant_type: "refresh_token", client_id, refresh_token: "unknown" });
  return (await as.fetch(new Request(`${issuer}/oauth2/token`, { method: "POST", body }))).status;
}

test("a fault lasts for a number of requests, of one client and one grant type", async () => {
  await using as = await start();
  const page = await openPage(as, "?client=shop&fault=status");
  assertMatch(page.html, /name="grant_type"[^]*<option value="refresh_token">/);
  assertMatch(page.html, /name="times"[^>]* value="1"/);
  const rule = { do: "faults.add", client: "shop", fault: "status", endpoint: "token", parameter_code: "503" };
  const added = await page.submit({ ...rule, times: "2", grant_type: "refresh_token" });
  assertEquals(added.status, 303);
  assertStringIncludes(
    (await openPage(as)).html,
    "status at token, for the next 2 requests of shop with grant_type refresh_token: fired 0 times",
  );
  assertEquals((await openPage(as)).html.includes("finished, "), false);
  assertEquals((await logIn(as, "shop")).status, 200);
  assertEquals(await refresh(as, "other"), 400);
  assertEquals([await refresh(as, "shop"), await refresh(as, "shop"), await refresh(as, "shop")], [503, 503, 400]);
  assertStringIncludes((await openPage(as)).html, "fired 2 times");
});

test("a number of requests that is none, or a grant type at another endpoint, is explained with what was entered", async () => {
  await using as = await start();
  const { submit } = await openPage(as);
  const rule = { do: "faults.add", fault: "status", endpoint: "token" };
  for (const times of ["0", "1.5", "many"]) {
    const response = await submit({ ...rule, times, grant_type: "refresh_token" });
    assertEquals(response.status, 400);
    const html = await response.text();
    assertMatch(html, /role="alert"[^]*whole number of at least 1/);
    assertMatch(html, /value="refresh_token" selected/);
    assertStringIncludes(html, `name="times"`);
    assertStringIncludes(html, `value="${times}"`);
  }
  const misplaced = await submit({ ...rule, endpoint: "jwks", times: "1", grant_type: "refresh_token" });
  assertEquals(misplaced.status, 400);
  assertMatch(await misplaced.text(), /role="alert"[^]*requests to jwks have none[^]*value="jwks" selected/);
  assert(!(await openPage(as)).html.includes("fired 0 times"));
});

test("a fault for one client leaves the userinfo requests of others alone; one for a document lasts until it is removed", async () => {
  await using as = await start();
  const { submit } = await openPage(as);
  const rule = { do: "faults.add", client: "shop", fault: "status", always: "true", parameter_code: "503" };
  await submit({ ...rule, endpoint: "userinfo" });
  const userinfo = async (client: string) => {
    const { access_token } = await (await logIn(as, client)).json();
    const headers = { authorization: `Bearer ${access_token}` };
    return (await as.fetch(new Request(`${issuer}/oauth2/userinfo`, { headers }))).status;
  };
  assertEquals([await userinfo("other"), await userinfo("shop")], [200, 503]);
  await submit({ ...rule, endpoint: "jwks" });
  assertStringIncludes((await openPage(as)).html, "status at jwks, for every request of any client");
  const keys = async () => (await as.fetch(new Request(`${issuer}/oauth2/jwks`))).status;
  assertEquals([await keys(), await keys()], [503, 503]);
  await submit({ do: "faults.remove", id: "2" });
  assertEquals(await keys(), 200);
});

test("the first screen has the clock and six common faults, each added by one button; tokens of a user are revoked", async () => {
  await using as = await start();
  const { html, submit } = await openPage(as, "?client=shop");
  const common = html.slice(html.indexOf('id="common"'), html.indexOf('id="scenarios"'));
  const forms = [...common.matchAll(/<form [^>]*>(.*?)<\/form>/gs)].map(([, form]) =>
    Object.fromEntries([...form!.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, ...pair]) => pair))
  );
  assertEquals(forms.length, 6);
  assert(html.indexOf('id="clock"') > 0);
  for (const { form_token: _, ...fields } of forms) {
    assertEquals([fields.client, (await submit(fields)).status], ["shop", 303], JSON.stringify(fields));
  }
  assertEquals((await logIn(as, "other")).status, 200);
  const [, ids = ""] = /id="rules"(.*?)<\/section>/s.exec((await openPage(as)).html)!;
  for (const [, id] of ids.matchAll(/name="id" value="(\d+)"/g)) await submit({ do: "faults.remove", id: id! });
  const { access_token } = await (await logIn(as, "shop")).json();
  const headers = { authorization: `Bearer ${access_token}` };
  const userinfo = async () => (await as.fetch(new Request(`${issuer}/oauth2/userinfo`, { headers }))).status;
  assertEquals(await userinfo(), 200);
  assertEquals((await submit({ do: "revoke" })).status, 400);
  assertEquals((await submit({ do: "constructor" })).status, 400);
  assertEquals((await submit({ do: "revoke", client: "shop", sub: "alice" })).status, 303);
  assertEquals(await userinfo(), 401);
});

test("the forms have the fields of the verbs of the control", async () => {
  await using as = await start();
  const html = (await openPage(as)).html + (await openPage(as, "?fault=idToken.edited")).html;
  const shown = new Set([...html.matchAll(/<(?:input|select) id="(\w+)" name="\1"/g)].map(([, name]) => name));
  const verbsOfPage = verbs.filter(({ name }) => ["faults.add", "clock.advance", "revoke"].includes(name));
  assertEquals(verbsOfPage.length, 3);
  for (const { input: { members } } of verbsOfPage) {
    for (const name of Object.keys(members)) {
      if (name === "fault") assertStringIncludes(html, 'name="fault" value="idToken.edited"');
      else if (name === "parameters") assert(shown.has("parameter_edit"));
      else if (name === "params") assertEquals(shown.has(name), false);
      else assert(shown.has(name), name);
    }
  }
});

test("the page counts the faults of each group, and its search finds them by words", async () => {
  await using as = await start();
  const idsOf = (html: string) =>
    [...html.matchAll(/<li data-text="[^"]*"><a href="\/faults\?[^"]*fault=([^"&]+)"/g)].map(([, id]) => id!);
  const { html } = await openPage(as);
  assertEquals(idsOf(html).sort(), allFaults.map(({ id }) => encodeURIComponent(id)).sort());
  const ofIdToken = allFaults.filter(({ id }) => id.startsWith("idToken.")).length;
  assertStringIncludes(html.replaceAll(/<[^>]+>/g, ""), `ID token (${ofIdToken})`);
  const found = await openPage(as, "?client=shop&q=ID+TOKEN+Nonce");
  const ids = ["id-token%2Fnonce-wrong", "response%2Fcode-injected"];
  assertEquals(idsOf(found.html).sort(), ids);
  assertStringIncludes(found.html, 'href="/faults?client=shop&amp;q=ID+TOKEN+Nonce&amp;fault=id-token%2Fnonce-wrong"');
  assertEquals(idsOf((await openPage(as, "?q=%3Cscript%3E")).html), []);
});

test("the groups of faults are folded until a search opens those with hits", async () => {
  await using as = await start();
  const groupsOf = async (query: string) =>
    [...(await openPage(as, query)).html.matchAll(/<details[^>]*><summary><h3>/g)]
      .filter(([tag]) => !tag.includes(" hidden")).map(([tag]) => tag.startsWith("<details open"));
  const groups = new Set(allFaults.map(({ id }) => id.split(/[./]/).slice(0, -1).join()));
  assertEquals(await groupsOf(""), Array(groups.size).fill(false));
  assertEquals(await groupsOf("?fault=error"), Array(groups.size).fill(false));
  assertEquals(new Set(await groupsOf("?q=nonce")), new Set([true]));
});

test("the search finds a fault by its effect, and the first screen denies a consent", async () => {
  await using as = await start();
  for (const q of ["denied", "access_denied", "consent"]) {
    assertStringIncludes((await openPage(as, `?q=${q}`)).html, `q=${q}&amp;fault=error"`);
  }
  const { html, submit } = await openPage(as);
  const form = html.slice(0, html.indexOf("Deny consent<"));
  const fields = [...form.slice(form.lastIndexOf("<form")).matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
  assertEquals((await submit(Object.fromEntries(fields.map(([, ...pair]) => pair)))).status, 303);
  const errors = [await authorize(as, "shop"), await authorize(as, "shop")].map((params) => params.get("error"));
  assertEquals(errors, ["access_denied", null]);
});

test("each scenario of exec is a button, and says what it did", async () => {
  const says: Readonly<Record<string, RegExp>> = {
    "clock-ahead-10m": /Clock moved by 10 minutes/,
    "keys-rotated": /Signing key rotated: kid /,
    "tokens-revoked": /Revoked: every code and token of 1 login/,
    "user-removed": /the user and the sessions and tokens of the user are removed/,
    "user-names": /12 faults added/,
  };
  for (const { name } of scenarios) {
    await using as = await start();
    if (name === "tokens-revoked") await logIn(as, "shop");
    const { html, submit } = await openPage(as);
    assertStringIncludes(html, `name="scenario" value="${name}"`);
    const response = await submit({ do: "scenario", scenario: name });
    const cookie = response.headers.getSetCookie()[0]!.split(";", 1)[0]!;
    const after = await (await as.fetch(new Request(`${issuer}/faults`, { headers: { cookie } }))).text();
    const reported = /role="status"><p>.*?<bdi>(.*?)<\/bdi>/.exec(after)?.[1] ?? "";
    assertMatch(reported, new RegExp(`^Scenario ${name}: ${(says[name] ?? /Fault added: /).source}`));
    if (name === "consent-denied") assertEquals((await authorize(as, "shop")).get("error"), "access_denied");
  }
  await using as = await start();
  assertEquals((await (await openPage(as)).submit({ do: "scenario", scenario: "constructor" })).status, 400);
});

test("each parameter of a fault has a label in words, with its unit, and a choice where only some values are valid", async () => {
  await using as = await start();
  // One attack is enough: the form of each is made in the same way.
  const attack = allFaults.find(({ id }) => id === "id-token/exp-past")!;
  for (const { id, parameters } of [...faultDefinitions, attack]) {
    const { html } = await openPage(as, `?fault=${encodeURIComponent(id)}`);
    const labels = [...html.matchAll(/<label for="parameter_(\w+)">([^<]*)</g)].map(([, name, text]) => [name, text]);
    assertEquals(labels.map(([name]) => name), parameters.map(({ name }) => name), id);
    const isInWords = ([, text]: readonly (string | undefined)[]) =>
      /^[A-Z]+[a-z]*( ([a-z]+|[A-Z]+))*(, in (milli)?seconds)?$/.test(text!);
    assertEquals(labels.filter((label) => !isInWords(label)), [], id);
    assertEquals(new Set(labels.map(([, text]) => text)).size, labels.length, id);
    const choices = [...html.matchAll(/<select id="parameter_(\w+)"/g)].map(([, name]) => name);
    assertEquals(
      choices,
      parameters.filter((parameter) => parameter.choices !== undefined).map(({ name }) => name),
      id,
    );
  }
  const { html } = await openPage(as, "?fault=error");
  assertMatch(
    html,
    /<label for="grant_type">Grant type<\/label><select id="grant_type"[^>]*><option value selected>any</,
  );
});

test("claims of an ID token are edited by JSON", async () => {
  await using as = await start();
  const page = await openPage(as, "?client=shop&fault=idToken.edited");
  assertStringIncludes(page.html, 'value="{&quot;sub&quot;:null}"');
  const edit = JSON.stringify({ email: "bob@example.com", auth_time: null });
  await page.submit({ do: "faults.add", fault: "idToken.edited", endpoint: "token", parameter_edit: edit });
  const claims = JSON.parse(atob((await (await logIn(as, "shop")).json()).id_token.split(".")[1]));
  assertEquals([claims.sub, claims.email, claims.auth_time], ["alice", "bob@example.com", undefined]);
  const wrong = await page.submit({
    do: "faults.add",
    fault: "idToken.edited",
    endpoint: "token",
    parameter_edit: "sub: x",
  });
  assertEquals(wrong.status, 400);
  assertMatch(await wrong.text(), /role="alert"[^]*expected an object[^]*value="sub: x"/);
});

test("a visitor of the page cannot add a regular expression, which could block the server", async () => {
  await using as = await start();
  const { submit } = await openPage(as);
  const params = JSON.stringify({ scope: { pattern: "(a+)+$" } });
  await submit({ do: "faults.add", fault: "status", endpoint: "token", params });
  // Without the condition, the fault applies to each token request.
  assertEquals((await logIn(as, "shop")).status, 503);
});

test("a wrong parameter is explained on the page, with what was entered", async () => {
  await using as = await start();
  const { submit } = await openPage(as);
  const response = await submit({
    do: "faults.add",
    fault: "delay",
    endpoint: "token",
    parameter_milliseconds: "many",
  });
  assertEquals(response.status, 400);
  const html = await response.text();
  assertMatch(html, /role="alert"[^]*milliseconds/);
  assertMatch(html, /value="many"/);
  assertEquals((await submit({ do: "faults.add", fault: "no such fault" })).status, 400);
});

test("drop and hang end a connection, also of a server that writes a log", async () => {
  const flows = inspector();
  const lines: string[] = [];
  const as = await latchkey({
    issuer,
    clients: [{ client_id: "shop", redirect_uris: [redirect_uri] }],
    plugins: [
      logging({ write: (line) => lines.push(line), format: "json" }),
      ...[flows, faultPages()],
    ],
  });
  const { submit } = await openPage(as);
  const request = () => as.fetch(new Request(`${issuer}/.well-known/openid-configuration`));
  for (const moment of ["before", "after"]) {
    await submit({ do: "faults.add", fault: "drop", endpoint: "discovery", parameter_moment: moment });
    await assertRejects(request, TypeError, "the connection was dropped");
  }
  await submit({ do: "faults.add", fault: "hang", endpoint: "discovery" });
  const hung = assertRejects(request, TypeError, "the connection was dropped");
  await as.close();
  await hung;
  assertEquals(lines.filter((line) => /"status":5|internal_error/.test(line)), []);
});

test("a request that waits continues when the page releases it, and ends when the page removes it", async () => {
  await using as = await start();
  const { submit } = await openPage(as);
  const request = () => as.fetch(new Request(`${issuer}/.well-known/openid-configuration`));
  const hold = { do: "faults.add", fault: "hold", endpoint: "discovery", always: "true" };
  await submit(hold);
  const waiting = [request(), request()];
  await until(async () => (await openPage(as)).html.includes("fired 2 times"));
  assertMatch((await openPage(as)).html, /<button type="submit" class="button" name="do" value="faults.release">/);
  const forged = await as.fetch(
    new Request(`${issuer}/faults`, {
      method: "POST",
      headers: { origin: issuer, "content-type": "application/x-www-form-urlencoded" },
      body: encode({ do: "faults.release", id: "1" }),
    }),
  );
  assertEquals(forged.status, 403);
  assertEquals((await submit({ do: "faults.release", id: "1" })).status, 303);
  for (const response of await Promise.all(waiting)) assertEquals(response.status, 200);
  assertEquals((await request()).status, 200);
  assert(!(await openPage(as)).html.includes('id="rules"'));

  for (const [fault, rule] of [["hold", "2"], ["hang", "3"]] as const) {
    await submit({ ...hold, fault });
    const ended = assertRejects(request, TypeError, "the connection was dropped");
    await until(async () => (await openPage(as)).html.includes("fired once"));
    await submit({ do: "faults.remove", id: rule });
    await ended;
    assertEquals((await request()).status, 200);
  }
});

test("no rule keeps the user from the page", async () => {
  await using as = await start();
  const { submit } = await openPage(as);
  for (const endpoint of ["any", "faults"]) {
    await submit({ do: "faults.add", fault: "drop", endpoint, always: "true" });
    assertEquals((await openPage(as)).status, 200);
  }
  await assertRejects(() => as.fetch(new Request(`${issuer}/.well-known/openid-configuration`)), TypeError);
  assertEquals((await submit({ do: "faults.remove", id: "1" })).status, 303);
  assertEquals((await as.fetch(new Request(`${issuer}/.well-known/openid-configuration`))).status, 200);
});

test("the page moves the clock of the server, and back", async () => {
  await using as = await start();
  const { submit } = await openPage(as);
  const expiry = async () => JSON.parse(atob((await (await logIn(as, "shop")).json()).id_token.split(".")[1])).exp;
  const before = await expiry();
  assertEquals((await submit({ do: "clock.advance", seconds: "86400" })).status, 303);
  assert(await expiry() - before >= 86_400);
  await submit({ do: "clock.reset" });
  assert(await expiry() - before < 60);
  for (const [seconds, problem] of [["a day", "number of seconds"], ["9e12", "1970 to 9999"]] as const) {
    const response = await submit({ do: "clock.advance", seconds });
    assertEquals(response.status, 400);
    assertMatch(await response.text(), new RegExp(`role="alert"[^]*${problem}`));
  }
  assert(await expiry() - before < 60);
});

test("[DI-08] each move that the page offers lets what its name says expire, by the lifetimes of the server", async () => {
  const lifetimes = { code: 30, access_token: 120, id_token: 120, refresh_token: 86_400 };
  await using as = await start({ lifetimes });
  const { html, submit } = await openPage(as);
  const moves = [...html.matchAll(/<button [^>]*name="seconds" value="(\d+)">(.*?)<\/button>/g)];
  const texts = moves.map(([, seconds, text]) => [Number(seconds), text!.replaceAll(/<[^>]+>/g, "")]);
  assertEquals(texts.slice(0, 3), [
    [30, "+ 30 seconds: codes expire"],
    [120, "+ 2 minutes: access tokens, ID tokens, signed authorization responses expire"],
    [600, "+ 10 minutes: device codes expire"],
  ]);
  const { access_token } = await (await logIn(as, "shop")).json();
  const headers = { authorization: `Bearer ${access_token}` };
  const userinfo = async () => (await as.fetch(new Request(`${issuer}/oauth2/userinfo`, { headers }))).status;
  assertEquals(await userinfo(), 200);
  assertEquals((await submit({ do: "clock.advance", seconds: moves[1]![1]! })).status, 303);
  assertEquals(await userinfo(), 401);
});

test("[DI-08] the page says once what its form changed: the clock, the key, the fault", async () => {
  await using as = await start();
  const { submit } = await openPage(as);
  const after = async (fields: Readonly<Record<string, string>>) => {
    const response = await submit(fields);
    assertEquals([response.status, response.headers.get("location")], [303, "/faults"]);
    const cookie = response.headers.getSetCookie()[0]!.split(";", 1)[0]!;
    const page = await as.fetch(new Request(`${issuer}/faults`, { headers: { cookie } }));
    return /role="status"><p>.*?<bdi>(.*?)<\/bdi>/.exec(await page.text())?.[1] ?? "";
  };
  assertMatch(
    await after({ do: "clock.advance", seconds: "3600" }),
    /^Clock moved by 1 hour to 20\d\d-[\d-]+T[\d:.]+Z$/,
  );
  assertMatch(await after({ do: "clock.advance", seconds: "-60" }), /^Clock set back by 1 minute to 20/);
  assertMatch(await after({ do: "clock.reset" }), /^Clock reset to the system time: 20/);
  const { keys } = await (await as.fetch(new Request(`${issuer}/oauth2/jwks`))).json();
  const rotation = /^Signing key rotated: kid (\S+) signs now; (\S+) stays published until its last token expires$/;
  const [, kid, previous] = rotation.exec(await after({ do: "rotateKeys", lead: "0" })) ?? [];
  assert(kid !== undefined && keys.every((key: { kid: string }) => key.kid !== kid));
  assertEquals(keys.map((key: { kid: string }) => key.kid), [previous]);
  const { keys: rotated } = await (await as.fetch(new Request(`${issuer}/oauth2/jwks`))).json();
  assertEquals(rotated.map((key: { kid: string }) => key.kid).sort(), [kid, previous].sort());
  const [header] = (await (await logIn(as, "shop")).json()).id_token.split(".");
  assertEquals(JSON.parse(atob(header)).kid, kid);
  const fault = { do: "faults.add", fault: "drop", endpoint: "token" };
  assertEquals(await after(fault), "Fault added: drop at token, for the next request of any client");
  const removed = "Fault removed: drop at token, for the next request of any client";
  assertEquals(await after({ do: "faults.remove", id: "1" }), removed);
  assertEquals(await after({ do: "faults.remove", id: "1" }), "Nothing changed: the fault was already removed");
  await after({ do: "clock.advance", seconds: String(90 * 86_400) });
  const { keys: later } = await (await as.fetch(new Request(`${issuer}/oauth2/jwks`))).json();
  assertEquals(later.map((key: { kid: string }) => key.kid), [kid]);
  assert(!(await openPage(as)).html.includes('class="notice good"'));
});

test("forms of other sites, other hosts and real issuers are rejected", async () => {
  await using as = await start();
  const forged = await as.fetch(
    new Request(`${issuer}/faults`, {
      method: "POST",
      headers: { origin: "https://attacker.test", "content-type": "application/x-www-form-urlencoded" },
      body: encode({ do: "rotateKeys" }),
    }),
  );
  assert(forged.status >= 400);
  const host = await as.fetch(new Request(`${issuer}/faults`, { headers: { host: "rebound.example" } }));
  assert(host.status >= 400);
  const real = {
    issuer: "https://login.example.com",
    clients: [],
    login: "interactive",
    users: [],
    plugins: [faultPages()],
  } as const;
  await assertRejects(() => latchkey(real), ConfigurationError, "not a test host");
});

test("the pages say how far the clock was moved, with a link to reset it", async () => {
  await using as = await start();
  const read = async (path: string) =>
    (await (await as.fetch(new Request(issuer + path))).text()).replaceAll("<wbr/>", "");
  await logIn(as, "shop");
  const paths = ["/", "/flows", "/flows/1", "/faults"];
  for (const path of paths) assert(!(await read(path)).includes("<p>The clock of the server is"), path);
  const page = await openPage(as);
  assertMatch(page.html, /The clock changes nothing for codes that the server issues later/);
  assertStringIncludes(page.html, 'href="/faults?fault=store.expired"');
  await page.submit({ do: "clock.advance", seconds: "300" });
  for (const path of paths) {
    const notice = '<p>The clock of the server is 5 minutes ahead. <a href="/faults#clock">Reset the clock</a></p>';
    assertStringIncludes(await read(path), notice, path);
  }
  await page.submit({ do: "clock.advance", seconds: "-4000" });
  assertStringIncludes(await read("/"), "The clock of the server is about 62 minutes behind.");
  await page.submit({ do: "clock.reset" });
  for (const path of paths) assert(!(await read(path)).includes("<p>The clock of the server is"), path);
});

test("[CI-02] the page finds the fault of an expired code, which rejects the next exchange of that client by its rule", async () => {
  await using as = await start();
  assertMatch(
    (await openPage(as, "?client=shop&q=expired")).html,
    /fault=store\.expired">Authorization code or refresh token/,
  );
  const page = await openPage(as, "?client=shop&fault=store.expired");
  await page.submit({ do: "faults.add", client: "shop", fault: "store.expired", endpoint: "token" });
  assertEquals((await logIn(as, "other")).status, 200);
  const rejected = await logIn(as, "shop");
  assertEquals(rejected.status, 400);
  assertMatch((await rejected.json()).error_description, /^the code has expired \[CI-02\]/);
  const flow = await (await as.fetch(new Request(`${issuer}/flows/2`))).text();
  assertMatch(flow, /injected fault: expired code/i);
  assertMatch(flow, /CI-02/);
  assertEquals((await logIn(as, "shop")).status, 200);
});
