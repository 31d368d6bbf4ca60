/** Rejections by the embedding program: they name no rule, and contain their own fix. */

import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../src/devtools/mod.ts";
import { OAuthError } from "../../src/mod.ts";
import { type GrantType, parameters } from "../../src/server/extension.ts";
import { withFix } from "../../src/server/rules.ts";
import { logging } from "../../src/cli/operating/mod.ts";
import { LoginError } from "../../src/testing/mod.ts";
import { latchkey } from "../secret_leak_check.ts";
import { testLatchkey } from "./test_latchkey.ts";

const fix = "Send the ticket of today.";

const ticket: GrantType = {
  type: "urn:example:ticket",
  parameters: parameters({ name: "ticket", secret: "ticket" }),
  authorize() {
    const facts = { expected: "a ticket of today", received: "one of yesterday" };
    throw new OAuthError("invalid_grant", "the ticket is not valid", { fix, ...facts });
  },
};

test("a grant type of the embedding program rejects without a rule, and its fix is shown wherever that of a rule is", async () => {
  const lines: string[] = [];
  const records: Record<string, unknown>[] = [];
  await using as = await testLatchkey({
    grantTypes: [ticket],
    plugins: [
      logging({ write: (line) => lines.push(line), format: "text" }),
      logging({ write: (line) => records.push(JSON.parse(line)), format: "json" }),
    ],
    startsAt: "2026-01-01T00:00:00Z",
  });
  const client = as.client({ client_id: "gate", grant_types: [ticket.type] });
  const request = { grant_type: ticket.type, ticket: "TICKET-4711" };
  const { message, explanation } = await assertRejects(() => as.token(client, request), LoginError);
  assertEquals(message.split("\n"), [
    "The token endpoint rejected client gate: 400 invalid_grant, the ticket is not valid",
    "  the ticket is not valid",
    "  expected: a ticket of today",
    "  received: one of yesterday",
    `  fix: ${fix}`,
  ]);
  assertEquals([explanation?.rule, explanation?.fix], [undefined, fix]);
  assertMatch(
    lines.join("\n"),
    /gate\n +the ticket is not valid\n +expected {2}a ticket of today\n +received {2}one of yesterday\n +fix {7}Send the ticket/,
  );
  const record = records.find(({ event }) => event === "rejected")!;
  assertEquals([record.rule, record.fix], [undefined, fix]);
  as.log.expect("token").rejected("invalid_grant");
  for (const text of [String(as.log), message, ...lines, JSON.stringify(records)]) {
    assertEquals(text.includes("undefined") || text.includes("TICKET-4711"), false, text);
  }
});

test("the page of a flow shows the fix of such a rejection", async () => {
  const clients = [{ client_id: "gate", grant_types: [ticket.type], token_endpoint_auth_method: "none" as const }];
  await using as = await latchkey({ grantTypes: [ticket], clients, plugins: [inspector()] });
  const body = new URLSearchParams({ client_id: "gate", grant_type: ticket.type, ticket: "TICKET-4711" });
  await as.fetch(new Request(`${as.issuer}/oauth2/token`, { method: "POST", body }));
  const page = await (await as.fetch(new Request(`${as.issuer}/flows/1`))).text();
  for (const text of [fix, "the ticket is not valid", "one of yesterday"]) assertStringIncludes(page, text);
  for (const text of ["undefined", "TICKET-4711"]) assertEquals(page.includes(text), false, text);
});

test("an approver of the embedding program rejects without a rule, on a page and by redirect", async () => {
  const approver = (forUser: boolean) => () => {
    throw new OAuthError("access_denied", "this machine is locked", { fix: "Unlock the machine.", forUser });
  };
  await using redirecting = await testLatchkey({ approver: approver(false) });
  const { errorDescription } = await redirecting.browser().authorize(requestOf(redirecting.client()));
  assertEquals(errorDescription, "this machine is locked");
  await using showing = await testLatchkey({ approver: approver(true) });
  const request = new URLSearchParams(requestOf(showing.client()));
  const page = await showing.fetch(`/oauth2/authorize?${request}`);
  assertStringIncludes(await page.text(), "<strong>How to fix it:</strong> <bdi>Unlock the machine.</bdi>");
});

test("a rejection has a rule of the table, a fix of its own, or both, and the fix replaces that of the rule", () => {
  new OAuthError("invalid_request", "no", { rule: "PK-09" });
  new OAuthError("invalid_request", "no", { fix: "Send yes." });
  // @ts-expect-error: neither.
  new OAuthError("invalid_request", "no", {});
  const both = new OAuthError("invalid_request", "no", { rule: "PK-09", fix: "Send yes." });
  assertEquals(withFix(both.explain()).fix, "Send yes.");
  // The response names one rule, the trace another; the fix belongs to that of the trace.
  const hidden = new OAuthError("invalid_grant", "no", { rule: "TK-16", internalRule: "CI-06", fix: "Send yes." });
  assertEquals([hidden.explain().rule, hidden.explain().fix], ["CI-06", "Send yes."]);
});

function requestOf({ client_id, redirect_uri }: { readonly client_id: string; readonly redirect_uri?: string }) {
  return {
    response_type: "code",
    client_id,
    redirect_uri: redirect_uri!,
    scope: "openid",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  };
}
