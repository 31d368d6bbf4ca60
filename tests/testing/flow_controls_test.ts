/** How much there is on the page of a flow: links, buttons and inputs. */

import { assertEquals, assertLessOrEqual, assertMatch, assertStringIncludes } from "@std/assert";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { inspector } from "../../src/devtools/mod.ts";
import { faultPages } from "../../src/testing/fault_pages/mod.ts";
import { getRedirectParams, testServer } from "../kit.ts";

const scope = "openid profile email offline_access";

const codeFrom = (response: Response) => getRedirectParams(response).get("code")!;

/** The page of a flow in the program: with the pages of rules and faults, which add links and buttons. */
const withAllPages = () => {
  const flows = inspector({ readRules: () => readFile("tests/rules.md", "utf8") });
  return testServer({ plugins: [flows, faultPages()] });
};

/** Links, buttons and inputs, those of folded parts too. */
const controls = (html: string) =>
  html.match(/<(?:a\b[^>]* href=|button\b|input\b(?![^>]*type="hidden")|select\b|textarea\b)/g)!.length;

test("[FL-21] the page of a failed flow has at most 40 controls, and names at most three next actions", async () => {
  const server = await withAllPages();
  const response = await server.authorize({ scope });
  await server.token({ code: codeFrom(response), redirect_uri: "https://spa.example/cb/" });
  const html = await (await server.get("/flows/1")).text();
  assertStringIncludes(html, "pill bad");
  assertLessOrEqual(controls(html), 40);
  assertEquals(actions(html), ["Share as HTML", "Copy as Markdown", "Show all secrets"]);
  await server.token({ client_id: "web", client_secret: "wrong" });
  const withChange = actions(await (await server.get("/flows/2")).text());
  assertEquals(withChange.map((label) => label.replace(/<[^>]*>/g, "")), [
    "Compare with the client web",
    "Share as HTML",
    "Copy as Markdown",
  ]);
});

test("[FL-21] the page of a successful flow has at most 40 controls, and names at most three next actions", async () => {
  const server = await withAllPages();
  const tokens = await (await server.token({ code: codeFrom(await server.authorize({ scope, nonce: "n" })) })).json();
  await server.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${tokens.access_token}` } });
  const html = await (await server.get("/flows/1")).text();
  assertStringIncludes(html, "pill good");
  assertMatch(html, /id="step-3"/);
  assertLessOrEqual(controls(html), 40);
  assertEquals(actions(html), ["Share as HTML", "Copy as Markdown", "Show all secrets"]);
});

/** The buttons before the sequence that are not folded. */
function actions(html: string): string[] {
  const [opening] = html.split('id="sequence"');
  const shown = opening!.slice(opening!.indexOf("<main")).replace(/<details[^]*<\/details>/, "");
  return [...shown.matchAll(/<(?:a|button)\b[^>]*class="button[^>]*>(.*?)<\/(?:a|button)>/g)]
    .map(([, label]) => label!.replace(/<span class="unseen">.*?<\/span>/, ""));
}

test("[FL-01] rows of the list begin with a capital letter or a name of the protocol", async () => {
  const { authorize, token, get } = await withAllPages();
  await authorize({ scope: "openid nonsense", redirect_uri: "https://elsewhere.example" });
  await token({ code: "guess" });
  await token({ code: codeFrom(await authorize({ scope })), redirect_uri: "https://spa.example/cb/" });
  await authorize({ client_id: "unknown" });
  const html = await (await get("/flows")).text();
  const rows = [...html.matchAll(/<span class="what">(?:<bdi>)?([^<]+)/g)].map(([, text]) => text!);
  assertEquals(rows.length, 4);
  assertEquals(rows.filter((text) => !/^(?:[A-Z]|\w+_)/.test(text)), []);
});
