/** Every broken application is found by the attacks of its row, and the correct application by none of them. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { ClientSecretPost } from "openid-client";
import { sample } from "../sample.ts";
import { accusations } from "./accusations.ts";
import { brokenApplications, clientSecret, correctPages, type PageDecisions } from "./broken_applications.ts";
import { partOf } from "./catalogue_part.ts";
import { checkInProcess, shop } from "./fixed_issuer.ts";

/** Checks an application with a secret. */
const check = (change: Partial<PageDecisions>, only: readonly string[]) =>
  checkInProcess({
    only,
    client: { client_secret: clientSecret, token_endpoint_auth_method: "client_secret_post" },
    application: { authentication: ClientSecretPost(clientSecret), pages: { ...correctPages, ...change } },
    driver: { logoutUrl: only.includes("logout/cookie-kept") ? `${shop}/logout` : undefined },
  });

for (const { name, change, foundBy } of sample(brokenApplications, 16, 2)) {
  test(`an application that ${name} is found by ${foundBy.join(", ")}`, async () => {
    const report = await check(change, foundBy);
    assert(report.control.passed, String(report));
    const found = accusations(report);
    assertEquals(foundBy.filter((id) => !found.includes(id)), [], String(report));
  });
}

/** Correct applications: what is special about them. */
const correct: Readonly<Record<string, Partial<PageDecisions>>> = {
  "": {},
  " that other sites cannot log out, because of SameSite=Strict,": {
    cookieAttributes: "Path=/; HttpOnly; Secure; SameSite=Strict",
    logoutMethods: ["GET"],
  },
};

for (const [place, [name, change]] of Object.entries(correct).entries()) {
  test(`a correct application${name} passes the attacks on sessions and pages`, async () => {
    const report = await check(change, [...partOf(["session"], 3, place), "logout/by-get"]);
    const others = report.results.filter(({ verdict }) => verdict !== "passed" && verdict !== "skipped");
    assertEquals(others.map(({ attack: { id }, because }) => `${id}: ${because}`), [], String(report));
    assert(report.results.some(({ verdict, attack: { id } }) => verdict === "passed" && id === "logout/by-get"));
  });
}

test("logout/by-get is skipped for an application whose pages show no logout", async () => {
  const { results: [result] } = await check({ logoutMethods: [] }, ["logout/by-get"]);
  assertEquals(result!.verdict, "skipped");
  assertEquals(result!.because, "no page that the check saw has a logout link or form");
});
