/** What an API must compare of an introspection response: each changed one differs from the honest in one member. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import type { AttackResult, CheckReport, ClientDriver } from "../../src/check/mod.ts";
import type { Exchange } from "../../src/recorder/exchange.ts";
import { withoutServerNumber } from "../../src/check/journeys.ts";
import { checkClientWithEdDsa } from "./patient_check.ts";
import { introspectionChecks } from "./resource_client.ts";

const only = ["resource/introspection-odd", "resource/introspection-audience", "resource/introspection-meaning"];

type Check = typeof introspectionChecks[string];

/** An API that accepts an introspection response if these checks accept it. */
const api = (checks: readonly Check[]): ClientDriver => ({
  name: "API",
  readsClock: true,
  async acceptToken({ issuer, resource, accessToken, fetch, client: { client_id, client_secret }, now }) {
    const response = await fetch(`${issuer}/oauth2/introspect`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
      body: new URLSearchParams({ token: accessToken }),
    });
    const members = await response.json();
    const isRight = checks.every((check) => check(members, { issuer, resource, now: now() / 1000 }));
    if (!isRight) throw new Error("invalid_token");
    return { sub: String(members.sub) };
  },
});

/** What is another with each token. */
const ofToken = ["jti", "iat", "client_id", "auth_time", "sid"];

/** The last introspection response: each member as text, without the number of the server, and `exp` from `iat` on. */
function lastIntrospection(exchanges: readonly Exchange[]): ReadonlyMap<string, string> {
  const body = exchanges.findLast(({ endpoint }) => endpoint === "introspect")?.response?.body ?? "{}";
  const members = JSON.parse(body);
  const shown = Object.entries({ ...members, exp: members.exp - members.iat }).filter(([name]) =>
    !ofToken.includes(name)
  );
  return new Map(shown.map(([name, value]) => [name, withoutServerNumber(JSON.stringify(value))]));
}

/** The members of a changed response that the honest one does not have so. */
function changedMembers({ evidence }: AttackResult, honest: ReadonlyMap<string, string>): readonly string[] {
  const received = lastIntrospection(evidence.exchanges);
  return [...new Set([...honest.keys(), ...received.keys()])].filter((name) => honest.get(name) !== received.get(name));
}

const checkApi = async (checks: readonly Check[]): Promise<CheckReport> => {
  const report = await checkClientWithEdDsa(api(checks), { only });
  assert(report.control.passed, String(report));
  return report;
};

for (const [left, check] of [["nothing", undefined] as const, ...Object.entries(introspectionChecks)]) {
  test(`an API that leaves out ${left} accepts the introspection responses that differ in it, and no others`, async () => {
    const report = await checkApi(Object.values(introspectionChecks).filter((other) => other !== check));
    const honest = lastIntrospection(report.control.exchanges);
    for (const result of report.results) {
      const changed = changedMembers(result, honest);
      assertEquals(changed.length, 1, `${JSON.stringify(result.values)}: ${changed}`);
      assertEquals(result.verdict === "passed", changed[0] !== left, String(report));
    }
  });
}
