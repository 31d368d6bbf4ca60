/**
 * Rejections with and without `server/explain/`: the protocol decides, explanations only add texts.
 *
 * @extensions requested_claims
 */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import type { Approver, LatchkeyOptions, Plugin } from "../../src/mod.ts";
import { authorizeRules } from "../../src/core/rules/authorize.ts";
import type { RuleId } from "../../src/core/rules/mod.ts";
import { traceWarnings } from "../../src/server/explain/accepted_texts.ts";
import type { HostedServer } from "../../src/server/hosted_server.ts";
import type { Trace } from "../../src/server/trace.ts";
import { basic, clients, encode, type Fields, forEachCase, getRejections, testServer } from "../kit.ts";
import type { TestServer } from "../kit.ts";

/** A request that a server rejects by a rule. */
interface Case {
  readonly rule: RuleId;
  readonly send: (server: TestServer) => Promise<Response>;
  readonly options?: LatchkeyOptions;
}

const asJson = { headers: { accept: "application/json" } };

function authorize(rule: RuleId, fields: Fields, options?: LatchkeyOptions): Case {
  return { rule, send: (server) => server.authorize(fields, asJson), options };
}

function get(rule: RuleId, path: string, options?: LatchkeyOptions): Case {
  return { rule, send: (server) => server.get(path, asJson), options };
}

/** Exchanges a code that was requested with these parameters. */
function exchange(rule: RuleId, request: Fields, fields: Fields): Case {
  return {
    rule,
    send: async (server) => {
      const code = await server.code(request);
      const headers = request.client_id === "web" ? basic("web", "web-secret") : {};
      return await server.token({ code, ...fields }, { headers });
    },
  };
}

const approve: Approver = async (_request, { users, now }) => ({
  user: (await users.list({ limit: 1 }))[0]!,
  scope: [],
  authTime: now(),
});

const web = { client_id: "web", redirect_uri: "https://web.example/cb" };
const noChallenge = { code_challenge: undefined, code_challenge_method: undefined };
const twoUris = { client_id: "two", redirect_uris: ["https://two.example/a", "https://two.example/b"] };
const machine = {
  client_id: "machine",
  client_secret: "machine-secret",
  grant_types: ["client_credentials"],
  redirect_uris: ["https://machine.example/cb"],
};

const cases: readonly Case[] = [
  authorize("AZ-02", { client_id: undefined }),
  authorize("AZ-02", { client_id: ["spa", "spa"] }),
  authorize("AZ-02", { client_id: "spaa" }),
  authorize("AZ-06", { redirect_uri: ["https://spa.example/cb", "https://spa.example/cb"] }),
  authorize("AZ-07", { scope: ["read", "read"] }),
  authorize("AZ-09", { response_type: undefined }),
  authorize("AZ-09", { response_type: "token" }),
  authorize("AZ-11", { client_id: "machine", redirect_uri: "https://machine.example/cb" }, { clients: [machine] }),
  authorize("AZ-13", { state: "x".repeat(5000) }),
  authorize("AZ-13", { nonce: "x".repeat(2000) }),
  authorize("AZ-15", { scope: 're"ad' }),
  authorize("AZ-16", { scope: undefined }, { defaultScope: "read", clients: [{ ...clients[0], scope: "write" }] }),
  authorize("AZ-17", { scope: "raed" }),
  authorize("AZ-17", { scope: "write" }, { clients: [{ ...clients[0], scope: "read" }] }),
  authorize("AZ-18", {}, { approver: approve }),
  authorize("AZ-19", { response_mode: "other" }),
  authorize("AZ-21", {}, { users: [] }),
  authorize("AZ-21", {}, {
    approver: ({ scope }, { now }) => ({ user: { sub: "carol" }, scope, authTime: now() }),
  }),
  authorize("JR-01", { request_uri: "https://spa.example/request" }),
  authorize("JR-01", { request_uri: "urn:x", request: "x" }),
  authorize("RU-01", { redirect_uri: "https://spa.example/other" }),
  authorize("RU-01", { redirect_uri: "javascript:x" }, { redirectUris: "any" }),
  authorize("RU-06", { client_id: "two", redirect_uri: undefined, scope: "read" }, { clients: [twoUris] }),
  authorize("RU-07", { redirect_uri: undefined }),
  authorize("PK-01", noChallenge),
  authorize("PK-02", { ...web, ...noChallenge }, { pkce: { requireForConfidential: true } }),
  authorize("PK-04", { code_challenge_method: "plain" }),
  authorize("PK-05", { code_challenge_method: undefined }, { pkce: { requireMethod: true } }),
  authorize("PK-06", { code_challenge: undefined }),
  authorize("PK-07", { code_challenge: "x" }),
  exchange("PK-08", {}, { code_verifier: "x" }),
  exchange("PK-09", {}, { code_verifier: "x".repeat(43) }),
  exchange("PK-10", {}, { code_verifier: undefined }),
  exchange("PK-11", { ...web, ...noChallenge }, { client_id: undefined, redirect_uri: web.redirect_uri }),
  authorize("MC-02", {}, { resourceParameter: "required" }),
  authorize("FP-03", { response_mode: "form_post", state: "a\nb" }),
  authorize("RI-01", { resource: "x" }),
  authorize("OI-03", { prompt: "none login" }),
  authorize("OI-03", { prompt: "none" }, { login: "interactive" }),
  authorize("OI-05", { max_age: "x" }),
  authorize("OI-06", { login_hint: "carol" }, { unknownLoginHint: "reject" }),
  authorize("OI-07", { id_token_hint: "x" }),
  authorize("OI-08", { claims: "x" }),
  authorize("ST-08", { claims: '{"id_token":{"acr":{"essential":true,"value":"high"}}}' }),
  authorize("ST-12", {}, { approver: async (request, at) => ({ ...await approve(request, at), acr: "high" }) }),
  get("LO-02", "/oauth2/logout?id_token_hint=x"),
  get("LO-02", "/oauth2/logout?state=1&state=2"),
  get("LO-03", "/oauth2/logout?post_logout_redirect_uri=https://spa.example/"),
  get("LO-03", "/oauth2/logout?client_id=spa&post_logout_redirect_uri=https://spa.example/"),
  get("UI-14", "/oauth2/login?interaction=x", { login: "interactive" }),
  {
    rule: "UI-30",
    send: (server) => server.authorize({}, { headers: { "sec-fetch-site": "cross-site", "sec-fetch-dest": "iframe" } }),
  },
  { rule: "TK-04", send: (server) => server.token({ code: ["x", "x"] }) },
];

const withoutExplanations: Plugin = {
  extend: (server) => ({ ...server, explainError: (_, error) => Promise.resolve(error), observe: () => {} }),
};

/** What the client receives and the trace contains. */
async function reject({ send, options }: Case, plugins: readonly Plugin[]) {
  const server = await testServer({ ...options, plugins });
  const response = await send(server);
  const location = response.headers.get("location");
  const params: URLSearchParams = location === null
    ? new URLSearchParams(response.headers.has("content-type") ? await readMembers(response) : "")
    : new URL(location).searchParams;
  const { error, explanation } = getRejections(server.events).at(-1)!;
  assertEquals(params.get("error"), error);
  return { status: response.status, error, description: params.get("error_description"), explanation };
}

/** The members of an error in JSON, or the fields of a form that a page sends. */
async function readMembers(response: Response): Promise<string> {
  const text = await response.text();
  if (!text.startsWith("<")) return encode(JSON.parse(text));
  return encode(
    Object.fromEntries([...text.matchAll(/name="(error\w*)" value="([^"]*)"/g)].map(([, ...pair]) => pair)),
  );
}

test("without explanations, every request is rejected by the same rule and code, with the message alone", async () => {
  await forEachCase(cases, async (one) => {
    const explained = await reject(one, []);
    const bare = await reject(one, [withoutExplanations]);
    assertEquals([explained.explanation.rule, bare.explanation.rule], [one.rule, one.rule]);
    assertEquals([bare.status, bare.error], [explained.status, explained.error]);
    const { reason, fix: _, ...others } = bare.explanation;
    assertEquals(Object.entries(others).filter(([, value]) => value !== undefined), [["rule", one.rule]]);
    assertEquals(bare.description, `${reason} [${one.rule}]`.replaceAll('"', "'"));
    assert(explained.explanation.expected !== undefined, "the explanation has no expected value");
  });
});

test("an explanation that fails changes no response", async () => {
  const failing: Plugin = {
    extend: (server) => ({ ...server, explainError: () => Promise.reject(new Error("explain")) }),
  };
  await forEachCase(cases, async (one) => {
    assertEquals(await reject(one, [failing]), await reject(one, [withoutExplanations]));
  });
});

test("the cases have every rule by which authorization requests are rejected", () => {
  const tested = new Set<string>(cases.map(({ rule }) => rule));
  // An internal error has no explanation.
  const rejecting = Object.entries(authorizeRules).filter(([id, row]) => "code" in row && id !== "AZ-22");
  assertEquals(rejecting.map(([id]) => id).filter((id) => !tested.has(id)), [], "add a case for each");
});

test("a warning has a fix, also that of a rule without a text", () => {
  const fixes: (string | undefined)[] = [];
  const trace: Trace = (event) => event.type === "warning" && fixes.push(event.explanation.fix);
  traceWarnings({ now: () => 0, trace } as Partial<HostedServer> as HostedServer, "web", [{
    rule: "PK-05",
    reason: "a",
  }, { rule: "HT-01", reason: "b" }]);
  assertEquals(fixes.map((fix) => fix === ""), [false, false]);
});
