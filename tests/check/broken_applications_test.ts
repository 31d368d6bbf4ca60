/** Every broken application is found by the attacks of its row, and the correct application by none of them. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { ClientSecretPost } from "openid-client";
import { webApplication } from "../../src/check/web_application.ts";
import type { CheckReport } from "../../src/check/mod.ts";
import type { Fetch } from "../../src/testing/fetch.ts";
import { sample } from "../sample.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";
import { brokenApplications, clientSecret, correctPages, type PageDecisions } from "./broken_applications.ts";
import { partOf } from "./catalogue_part.ts";
import { checkClient } from "./patient_check.ts";
import { webApplicationAt } from "./small_web_application.ts";

const application = "https://shop.test";

/** Checks an application, which is a function. */
async function check(change: Partial<PageDecisions>, only: readonly string[]): Promise<CheckReport> {
  const issuer = "http://localhost:9000";
  const alg = "EdDSA";
  await using as = await testLatchkey({ issuer, alg, now: Date.now });
  as.client({
    ...{ client_id: "shop", client_secret: clientSecret, redirect_uri: `${application}/callback` },
    token_endpoint_auth_method: "client_secret_post",
  });
  const { respond } = webApplicationAt(application, {
    issuer,
    clientId: "shop",
    authentication: ClientSecretPost(clientSecret),
    alg,
    pages: { ...correctPages, ...change },
    fetch: (url, init) => as.fetch(url, init),
  });
  const driver = webApplication(`${application}/login`, {
    loggedInUrl: `${application}/me`,
    loggedInText: "alice",
    logoutUrl: only.includes("logout/cookie-kept") ? `${application}/logout` : undefined,
    fetch: ((url, init) => respond(new Request(url, init as RequestInit))) as Fetch,
  });
  return await checkClient(driver, { as, only, recoveryMs: 0 });
}

for (const { name, change, foundBy } of sample(brokenApplications, 8, 2)) {
  test(`an application that ${name} is found by ${foundBy.join(", ")}`, async () => {
    const report = await check(change, foundBy);
    assert(report.control.passed, String(report));
    const found = report.results.filter(({ verdict }) => verdict === "failed" || verdict === "warning");
    const ids = new Set(found.map(({ attack: { id } }) => id));
    assertEquals(foundBy.filter((id) => !ids.has(id)), [], String(report));
  });
}

/** Correct applications: what is special about them. */
const correct: Readonly<Record<string, Partial<PageDecisions>>> = {
  "": {},
  " that other sites cannot log out, because of SameSite=Strict,": {
    cookieAttributes: "Path=/; HttpOnly; Secure; SameSite=Strict",
    logoutMethods: ["GET"],
  },
  " that keeps the target in a cookie, and compares its origin at the end,": {
    target: () => null,
    startCookies: (login) => [`target=${new URL(login.url).searchParams.get("next") ?? "/"}; Path=/; Secure`],
    landing(_, { headers }) {
      const target = /(?:^|; )target=([^;]+)/.exec(headers.get("cookie") ?? "")?.[1] ?? "/";
      return correctPages.isOwnTarget(target, application) ? target : "/";
    },
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
