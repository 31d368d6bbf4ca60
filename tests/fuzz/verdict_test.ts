/** Whether the fuzzer would notice: servers that are spoilt in one way each, and the fault that must be found. */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { test } from "node:test";
import type { Plugin } from "../../src/mod.ts";
import type { HttpResponse } from "../../src/core/http/message.ts";
import type { Attack, Step } from "./attack.ts";
import { assertAttackFails, attack, runAttack } from "./campaign.ts";
import { serverKinds } from "./servers.ts";

/** Steps in order. */
const calmly = (...moves: readonly (readonly [Step["move"], number])[]): Step[] =>
  moves.map(([move, pick]) => ({ move, client: 0, pick, text: "alice", changes: [] }));

const page = calmly(["open", 0]);
const redirect = calmly(["authorize", 1]);
const tokens = calmly(["authorize", 1], ["exchangeCode", 1]);
const rejected = calmly(["exchangeCode", 1]);

/** A plugin that changes every response of one status. */
function spoiling(status: number, spoil: (response: Response, text: string) => Response): Plugin {
  return {
    handle: (next) => async (request, peer) => {
      const given = await next(request, peer);
      if (given.status !== status) return given;
      const response = new Response(given.body, given);
      return spoil(response, await response.clone().text());
    },
  };
}

const withHeader = (status: number, name: string, value: string) =>
  spoiling(status, (response, text) => {
    const headers = new Headers(response.headers);
    if (value === "") headers.delete(name);
    else headers.append(name, value);
    return new Response(text === "" ? null : text, { status, headers });
  });
const leading = (location: string) => spoiling(302, () => new Response(null, { status: 302, headers: { location } }));
const withText = (status: number, change: (text: string) => string) =>
  spoiling(status, ({ headers }, text) => new Response(change(text), { status, headers }));
const inBody = (html: string) => withText(200, (text) => text.replace("</main>", `${html}</main>`));
const fail = (): never => {
  throw new Error("inside");
};
const throwing = (): Plugin => ({
  handle: (next) => (request, peer) =>
    request.url.endsWith("/") ? Promise.reject(new Error("unforeseen")) : next(request, peer),
});
/** Returns earlier tokens of another client instead of a rejection. */
const again = (): Plugin => {
  let kept: string | undefined;
  return {
    handle: (next) => async (request, peer) => {
      const given = await next(request, peer);
      if (typeof given.body === "string" && given.body.includes("access_token")) kept = given.body;
      return given.status === 400 && kept !== undefined ? { ...given as HttpResponse, status: 200, body: kept } : given;
    },
  };
};
const gossip = (secret: (location: string) => string | null): Plugin => {
  let format = (_: string) => {};
  return {
    extend(server) {
      const event = { type: "code_issued", at: server.now(), client: "spa", sub: "alice", scope: [] } as const;
      // This member is not redacted.
      format = (grantId) => server.trace({ ...event, grantId });
      return server;
    },
    handle: (next) => async (request, peer) => {
      const response = await next(request, peer);
      const found = secret(new Headers(response.headers).get("location") ?? "x:");
      if (found !== null) format(`saw ${found}`);
      return response;
    },
  };
};

const cases: readonly (readonly [name: string, steps: readonly Step[], plugin: Plugin, fault: RegExp])[] = [
  ["a failure", page, throwing(), /unforeseen/],
  ["a 500", page, spoiling(200, () => Response.json({ error: "server_error" }, { status: 500 })), /HT-18/],
  [
    "a bug that is traced",
    redirect,
    { forRequest: () => ({ randomBytes: () => fail() }) },
    /a bug at .*inside/,
  ],
  ["a redirect elsewhere", redirect, leading("https://evil.example/"), /RU-01/],
  ["a redirect with a token", redirect, leading("https://spa.example/cb#access_token=x"), /NV-01/],
  ["a redirect to a longer host", redirect, leading("https://spa.example/cbx?code=1"), /RU-01/],
  ["markup as it came", page, inBody("<q7zq7z>"), /UI-03/],
  ["an attribute as it came", page, inBody('<p title=""q7zq7z="">'), /UI-03/],
  ["a script in the page", page, inBody("<script>1</script>"), /UI-02/],
  ["a handler in the page", page, inBody('<p onclick="x">'), /UI-02/],
  ["a link off this server", page, inBody('<a href="https://evil.example/">x</a>'), /leads off/],
  ["a link to another scheme", page, inBody('<a href="javascript:x">x</a>'), /leads off/],
  ["no policy", page, withHeader(200, "content-security-policy", ""), /UI-01/],
  ["a page that may be kept", page, withHeader(200, "cache-control", ""), /UI-02/],
  ["no nosniff", page, withHeader(200, "x-content-type-options", ""), /HT-12/],
  ["a cookie for scripts", page, withHeader(200, "set-cookie", "latchkey_x=1; Path=/; SameSite=Lax; Secure"), /UI-07/],
  ["what came, in a header", page, withHeader(200, "x-note", "q7zq7z"), /comes back in the header/],
  ["a refresh", page, withHeader(200, "refresh", "0; url=/"), /Refresh/],
  ["a challenge with a 400", rejected, withHeader(400, "www-authenticate", 'Basic realm="x"'), /SC-03/],
  ["a rejection as text", rejected, spoiling(400, () => new Response("no", { status: 400 })), /SC-04/],
  ["a rejection without error", rejected, withText(400, () => "{}"), /SC-04/],
  ["a rejection that says more", rejected, withText(400, (text) => text.replace("{", '{"code":"x",')), /says more/],
  ["a rejection in other characters", rejected, withText(400, (text) => text.replace("code", "cöde\\n")), /SC-04/],
  ["broken JSON", rejected, withText(400, (text) => text.slice(1)), /HT-12/],
  ["a rejection that may be cached", rejected, withHeader(400, "cache-control", "public"), /may be cached/],
  ["no cross-origin reading", rejected, withHeader(400, "access-control-allow-origin", "x"), /HT-05/],
  ["a code that works twice", [...tokens, ...calmly(["exchangeCode", 1])], again(), /CI-06.*exchanged 2 times: code/],
  [
    "a refresh token that works twice",
    [...tokens, ...calmly(["refresh", 1], ["again", 1])],
    again(),
    /exchanged 2 times: refresh token/,
  ],
  ["a code in the log", redirect, gossip((location) => new URL(location).searchParams.get("code")), /HT-15/],
];

for (const [name, steps, plugin, fault] of cases) {
  test(`the fuzzer notices ${name}`, async () => {
    const attack = { serverKind: 0, steps };
    assertEquals((await runAttack(attack)).problems, []);
    const kind = serverKinds[0]!;
    const { problems } = await runAttack(attack, { ...kind, options: { ...kind.options, plugins: [plugin] } });
    assert(problems.some((one) => fault.test(one)), `found only ${JSON.stringify(problems)}`);
  });
}

/** What some attack must lead to. */
const outcomes = [
  "GET /oauth2/authorize 302",
  "GET /oauth2/authorize 400",
  "POST /oauth2/authorize 303",
  "POST /oauth2/token 200",
  "POST /oauth2/token 400",
  "POST /oauth2/token 401",
  "POST /oauth2/login 303",
  "POST /oauth2/consent 303",
  "GET /oauth2/userinfo 200",
  "POST /oauth2/introspect 200",
  "POST /clients 303",
  "POST /users 303",
  "POST /authorized/try 200",
  "POST /clients 403",
  "POST /oauth2/register 201",
  "POST /oauth2/par 201",
  "POST /oauth2/device_authorization 200",
  "POST /device 303",
  "POST /oauth2/backchannel_authentication 200",
  "POST /oauth2/backchannel_authentication 400",
  "GET /backchannel 200",
  "GET /backchannel 302",
  "POST /oauth2/register 400",
  "PUT /oauth2/register 200",
  "DELETE /oauth2/register 204",
  "POST /oauth2/token 200 with a proof",
  "POST /oauth2/token 400 with a proof",
  "POST /mcp 200",
  "POST /mcp 202",
  "POST /mcp 400",
  "POST /mcp 401",
  "GET /mcp 401",
];

/** Seeds that together reach all outcomes; if an attack changes, the others may have to help. */
const seeds = [25, 30, 58, ...Array.from({ length: 15 }, (_, i) => 60 + i)];

/** Nine hundred attacks, generated as they are needed. */
function* generateAttacks(): Generator<Attack> {
  for (const seed of seeds) yield* fc.sample(attack, { seed, numRuns: 50 });
}

test("[HT-18, HT-19, UI-03, HT-15] attacks reach codes, tokens, each kind of rejection and pages that change state; every response is valid", async () => {
  const missing = new Set(outcomes);
  for (const one of generateAttacks()) {
    const listening: Plugin = {
      handle: (next) => async (request, peer) => {
        const response = await next(request, peer);
        const path = /^[^?#]*?(\/(?:oauth2\/\w+|device|backchannel|clients|users|flows|authorized\/try|mcp))(?:[/?#]|$)/
          .exec(request.url)?.[1];
        const key = `${request.method} ${path} ${response.status}`;
        missing.delete(key);
        if (request.headers.get("dpop") !== null) missing.delete(`${key} with a proof`);
        return response;
      },
    };
    const kind = serverKinds[one.serverKind]!;
    const { problems } = await runAttack(one, { ...kind, options: { ...kind.options, plugins: [listening] } });
    assertEquals(problems, []);
    if (missing.size === 0) break;
  }
  assertEquals([...missing], []);
  assertEquals(await assertAttackFails({ serverKind: 0, steps: page }), 1);
});
