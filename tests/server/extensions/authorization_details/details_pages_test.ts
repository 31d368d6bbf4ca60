/**
 * Rich authorization requests on the login and consent pages (group RA).
 *
 * @extensions assertion_authentication, par
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import type { LatchkeyOptions } from "../../../../src/mod.ts";
import { type Browser, openBrowser } from "../../browser.ts";
import { refresh } from "../../client_endpoints.ts";
import {
  assertAuthorizationResponse,
  assertTokenResponse,
  decodeClaims,
  encode,
  getOutcome,
  goodRequest,
  testServer,
} from "../../../kit.ts";
import type { Fields, TestServer } from "../../../kit.ts";
import {
  describePage,
  fillForm,
  getCode,
  logIn,
  logInAndAllow,
  openPage,
  requestAuthorization,
  send,
  submit,
} from "../../page_navigation.ts";
import type { Page } from "../../page_navigation.ts";
import { details, editFiles, payment, readFiles, richOptions } from "./rich_requests.ts";

function pagesServer(options: LatchkeyOptions = {}): Promise<TestServer> {
  return testServer({ ...richOptions, login: "interactive", ...options });
}

/** The details of the tokens that a code is exchanged for. */
async function grantedDetails(server: TestServer, page: Page): Promise<unknown> {
  const tokens = await assertTokenResponse(await server.token({ code: getCode(page) })) as object;
  return (tokens as Record<string, unknown>).authorization_details;
}

/** The values of the checkboxes of objects. */
function choicesOf({ forms }: Page): string[] {
  return forms.flatMap(({ controls }) => controls).filter(({ name }) => name === "detail").map(({ value }) => value);
}

test("[RA-06] the consent page shows scope and every object with all its fields, and markup in them is inert", async () => {
  const server = await pagesServer();
  const hostile = `<b onclick="x">&"'</b>`;
  const reversed = "shop\u202e.evil\u0000\u3164";
  const objects = [
    { ...payment, creditor: hostile, note: null },
    { ...payment, creditor: reversed },
    { ...editFiles, identifier: hostile, datatypes: [], options: { [hostile]: [{ depth: true }, 1], none: {} } },
  ];
  const browser = openBrowser(server);
  const page = await logIn(browser, "alice", details(...objects));
  assertEquals(describePage(page), "consent");
  assertEquals(choicesOf(page), ["0 payment", "1 payment", "2 files"]);
  const shown = ["Payment", "creditor", "amount › currency", "EUR", "amount › value", "12.5", "note", "null"];
  for (
    const text of [...shown, hostile, "actions", "read, write", "depth", "none", "Read your data"]
  ) {
    assertStringIncludes(page.text, text);
  }
  assert(!page.html.includes("<b onclick"));
  assert(!page.html.includes("\u202e"));
  assertStringIncludes(page.text, "shop\\u202e.evil\\u0000\\u3164");
  assertEquals(await grantedDetails(server, await submit(browser, page, "decision", "allow")), objects);
});

test("[RA-06, RA-07] one decision covers scope and details, and each object can be left out", async () => {
  const server = await pagesServer();
  const cases: readonly (readonly [scope: string | undefined, denied: string[], granted: unknown, scope: string])[] = [
    ["openid read", [], [payment, editFiles], "openid read"],
    ["openid read", ["0 payment"], [editFiles], "openid read"],
    ["openid read", ["1 files", "read"], [payment], "openid"],
    ["openid read", ["0 payment", "1 files"], undefined, "openid read"],
    [undefined, ["0 payment"], [editFiles], ""],
    ["read", ["read"], [payment, editFiles], ""],
  ];
  for (const [scope, denied, granted, grantedScope] of cases) {
    const browser = openBrowser(server);
    const page = await logIn(browser, "alice", { ...details(payment, editFiles), scope });
    const code = getCode(await submit(browser, page, "decision", "allow", {}, denied));
    const tokens = await assertTokenResponse(await server.token({ code }));
    assertEquals((tokens as unknown as Record<string, unknown>).authorization_details, granted);
    assertEquals(decodeClaims(tokens.access_token).authorization_details, granted);
    assertEquals(tokens.scope ?? "", grantedScope);
  }
  for (const [scope, denied] of [[undefined, ["0 payment"]], ["read", ["0 payment", "read"]]] as const) {
    const browser = openBrowser(server);
    const page = await logIn(browser, "alice", { ...details(payment), scope });
    assertEquals(describePage(await submit(browser, page, "decision", "allow", {}, denied)), "access_denied");
  }
});

test("[RA-06] an earlier consent covers no details: the page is shown, and prompt=none is consent_required", async () => {
  const server = await pagesServer();
  const browser = openBrowser(server);
  await logInAndAllow(browser, "alice", details(payment));
  const again = await requestAuthorization(browser);
  assertEquals(describePage(again), "code", "the scope was remembered");
  assertEquals(describePage(await requestAuthorization(browser, details(payment))), "consent");
  const silent = await requestAuthorization(browser, { ...details(payment), prompt: "none" });
  assertEquals(describePage(silent), "consent_required");
  assertEquals(describePage(await requestAuthorization(browser, { ...details(), prompt: "none" })), "code");
  const auto = await testServer(richOptions);
  const code = await auto.code(details(payment));
  assertEquals((await auto.token({ code })).status, 200);
});

test("[RA-06] a grant of details alone is on the account page, and revoking it there ends its tokens", async () => {
  const server = await pagesServer();
  const browser = openBrowser(server);
  const code = getCode(await logInAndAllow(browser, "alice", { ...details(payment), scope: undefined }));
  const { refresh_token } = await (await server.token({ code })).json();
  const account = await openPage(browser, "/account", await browser.get("/account"));
  assertStringIncludes(account.text, "spa");
  await submit(browser, account, "");
  assertEquals(await getOutcome(await refresh(server, refresh_token)), "400 invalid_grant");
});

test("[RA-01, RA-06] the pages grant nothing but objects of the request, whatever the form holds", async () => {
  const server = await pagesServer();
  const browser = openBrowser(server);
  const page = await logIn(browser, "alice", details(payment, readFiles));
  const { path, fields } = fillForm(page, "decision", "allow", {}, ["0 payment"]);
  for (const value of ["0", "1 payment", "2 files", JSON.stringify(editFiles), ""]) fields.append("detail", value);
  fields.append("authorization_details", JSON.stringify([payment]));
  const next = await openPage(browser, path, await send(browser, path, fields));
  assertEquals(await grantedDetails(server, next), [readFiles]);
});

test("[RA-01, RA-13] a request goes through login and consent unchanged; the browser does not carry pushed details", async () => {
  const server = await pagesServer();
  const push = async (fields: Fields) => {
    const { request_uri } = await (await server.post("/oauth2/par", { ...goodRequest, ...fields })).json();
    return `/oauth2/authorize?${encode({ client_id: "spa", request_uri })}`;
  };
  const open = async (browser: Browser, path: string) => {
    const login = await openPage(browser, path, await browser.get(path));
    const consent = await submit(browser, login, "sub", "alice");
    for (const page of [login, consent]) {
      const [, content = ""] = new URL(page.path, "https://as.test").searchParams.get("interaction")!.split(".");
      assert(!atob(content.replaceAll("-", "+").replaceAll("_", "/")).includes("inbox-of-alice"));
    }
    return await submit(browser, consent, "decision", "allow");
  };
  for (const size of [1, 550]) {
    const objects = [{ ...readFiles, identifier: "inbox-of-alice".repeat(size) }, payment];
    const page = await open(openBrowser(server), await push(details(...objects)));
    assertEquals(await grantedDetails(server, page), objects);
  }
  const tooLarge = await server.authorize(details({ ...readFiles, identifier: "x".repeat(6500) }));
  assertEquals(assertAuthorizationResponse(tooLarge).error, "invalid_request");
  const browser = openBrowser(server);
  const path = await push(details(payment));
  const login = await openPage(browser, path, await browser.get(path));
  server.advance(29 * 60);
  assertEquals(describePage(await submit(browser, login, "sub", "alice")), "consent");
});

test("[RA-03, RA-05] what was valid at the start is checked again when the user has decided", async () => {
  const server = await pagesServer();
  const browser = openBrowser(server);
  const client = { ...richOptions.clients!.find(({ client_id }) => client_id === "spa")! };
  const page = await logIn(browser, "alice", details(payment));
  await server.as.clients.set({ ...client, authorization_details_types: ["files"] });
  assertEquals(describePage(await submit(browser, page, "decision", "allow")), "invalid_authorization_details");
});
