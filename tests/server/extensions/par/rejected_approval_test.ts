/**
 * Requests that are rejected after their approval: a pushed request gets the same response as any other, and is then
 * used up (group PA).
 *
 * @extensions par, requested_claims, response_types, step_up
 */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import type { Approver } from "../../../../src/mod.ts";
import { clients, type Fields, forEachCase, getRejections, type TestServer, testServer } from "../../../kit.ts";
import { openBrowser } from "../../browser.ts";
import { assertInvalidRequestUri, pushed, refer } from "./pushed_requests.ts";

const responseTypes = ["code", "id_token", "code id_token"] as const;
const idToken: Fields = {
  ...{ response_type: "id_token", scope: "openid profile", nonce: "n0nce" },
  ...{ code_challenge: undefined, code_challenge_method: undefined },
};
const [low, high] = ["urn:example:low", "urn:example:high"] as const;

/** What an approver returns, if it differs from an approval of the whole request by alice, now. */
interface Decision {
  readonly sub?: string;
  readonly scope?: readonly string[];
  readonly acr?: string;
  /** The age of the login, in seconds. */
  readonly age?: number;
}

interface Case {
  readonly decision?: Decision;
  readonly fields?: Fields;
  /** Whether alice is logged in before. */
  readonly hasSession?: true;
  /** Whether alice is removed when she has approved. */
  readonly isRemoved?: true;
  readonly rule: string | undefined;
  readonly error: string;
  /** Whether the client may send the request again, because the error is temporary and nothing was issued. */
  readonly isReusable?: true;
}

const cases: Readonly<Record<string, Case>> = {
  "another user, with prompt=none": {
    decision: { sub: "bob" },
    fields: { prompt: "none" },
    hasSession: true,
    rule: "OI-03",
    error: "login_required",
  },
  "a login that is too old": {
    decision: { age: 100 },
    fields: { max_age: "10" },
    rule: "OI-05",
    error: "login_required",
  },
  "a login in the future": { decision: { age: -9999 }, rule: undefined, error: "server_error", isReusable: true },
  "a level that the server does not have": {
    decision: { acr: "urn:example:other" },
    rule: "ST-12",
    error: "server_error",
    isReusable: true,
  },
  "a level that the request does not accept": {
    decision: { acr: low },
    fields: { acr_values: high },
    rule: "ST-06",
    error: "unmet_authentication_requirements",
  },
  "a user whom the request does not accept": {
    decision: { sub: "bob" },
    fields: { claims: JSON.stringify({ id_token: { sub: { value: "alice" } } }) },
    rule: "OI-08",
    error: "access_denied",
  },
  "no scope": { decision: { scope: [] }, rule: "AZ-18", error: "access_denied" },
  "a user who was removed": { isRemoved: true, rule: "AZ-21", error: "access_denied" },
  "an ID token without openid": {
    decision: { scope: ["profile"] },
    fields: idToken,
    rule: "AZ-18",
    error: "access_denied",
  },
  "a code and an ID token without openid": {
    decision: { scope: ["read"] },
    fields: { response_type: "code id_token", nonce: "n0nce" },
    rule: "AZ-18",
    error: "access_denied",
  },
  "an ID token that is too long": { fields: idToken, decision: { sub: "long" }, rule: "HY-15", error: "server_error" },
};

/** A server whose approver decides as the case says, and logs in alice if nothing is to be decided. */
async function start({ decision = {}, isRemoved }: Case): Promise<TestServer & { decide(): void }> {
  let decides = false;
  const approver: Approver = async ({ scope }, { users, now }) => {
    const { sub = "alice", age = 0, acr, scope: granted = scope } = decides ? decision : {};
    const user = (await users.find(sub))!;
    if (decides && isRemoved) await server.as.users.delete(sub);
    return { user, scope: granted, authTime: now() - age * 1000, acr };
  };
  const server = await testServer({
    ...{ approver, responseTypes, clients: [{ ...clients[0], response_types: responseTypes }] },
    users: [{ sub: "alice" }, { sub: "bob" }, { sub: "long", name: "n".repeat(9000) }],
    acrValues: [{ value: low, methods: ["approver"] }, { value: high, methods: ["approver"] }],
  });
  return { ...server, decide: () => void (decides = true) };
}

/** The error in a response that is sent to the client. */
function errorFor(response: Response): string | null {
  const location = response.headers.get("location") ?? "";
  assert(location.startsWith("https://spa.example/cb"), location || `status ${response.status}, without a redirect`);
  const { search, hash } = new URL(location);
  const params = new URLSearchParams(hash.slice(1) || search);
  assertEquals([params.get("state"), params.get("code"), params.get("id_token")], ["st4te", null, null]);
  return params.get("error");
}

test("[PA-06, AZ-18] a rejection after the approval is sent to the client, and uses up a request_uri", async () => {
  await forEachCase(Object.values(cases), async (one) => {
    const { fields, hasSession, rule, error, isReusable } = one;
    for (const isPushed of [false, true]) {
      const server = await start(one);
      const browser = openBrowser(server);
      if (hasSession) await browser.login();
      const request_uri = isPushed ? await pushed(server, fields) : "";
      server.decide();
      const inBrowser = { ...server, get: browser.get };
      const response = isPushed ? await refer(inBrowser, request_uri) : await browser.authorize(fields);
      assertEquals(errorFor(response), error);
      assertEquals(getRejections(server.events).at(-1)!.explanation.rule, rule);
      if (!isPushed) continue;
      const again = await refer(inBrowser, request_uri);
      if (isReusable) assertEquals(errorFor(again), error);
      else await assertInvalidRequestUri(server, again);
    }
  });
});
