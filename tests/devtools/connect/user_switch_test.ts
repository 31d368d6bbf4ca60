/** The user of automatic login is chosen by hand, without a change of the client. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { openBrowser } from "../../server/browser.ts";
import { assertCsrfProtected, assertPageWithForms } from "../../server/csrf.ts";
import { assertTokenResponse, decodeClaims, testServer } from "../../kit.ts";
import { readFields } from "../../server/page.ts";

const users = [{ sub: "alice", name: "Alice" }, { sub: "bob", name: "Bob" }];

test("[DI-06, DI-08] the form on the home page chooses the user, also of a browser with a session", async () => {
  const made = await testServer({ users });
  const browser = openBrowser(made);
  const logIn = async () => {
    const code = new URL((await browser.authorize()).headers.get("location")!).searchParams.get("code")!;
    return decodeClaims((await assertTokenResponse(await made.token({ code }))).id_token!).sub;
  };
  assertEquals(await logIn(), "alice");
  for (const sub of ["bob", "alice"]) {
    made.advance(1);
    const form = readFields(await assertPageWithForms(await browser.get("/")), "/users", "first");
    const response = await browser.post("/users", { ...form, sub, action: "first" });
    assertEquals([response.status, response.headers.get("location")], [303, "/"]);
    assertStringIncludes(await assertPageWithForms(await browser.get("/")), `${sub} is the default user now`);
    made.advance(1);
    assertEquals(await logIn(), sub);
    // The choice counts for logins before it only: a hint still names the user of a session.
    await browser.authorize({ login_hint: sub === "bob" ? "alice" : "bob" });
    assertEquals(await logIn(), sub === "bob" ? "alice" : "bob");
  }
});

test("[DI-04, DI-06] the form is protected, rejects an unknown user, and is absent where users cannot be chosen", async () => {
  const made = await testServer({ users });
  await assertCsrfProtected(made, "/users", { sub: "bob", action: "first" }, () => made.as.users.list()[0]?.sub);
  const browser = openBrowser(made);
  const { form_token } = readFields(await (await browser.get("/")).text(), "/users", "first");
  assertEquals((await browser.post("/users", { form_token, sub: "carol", action: "first" })).status, 404);
  const others = [{ directory: "read" }, { users: users.slice(1) }, { login: "interactive" }] as const;
  for (const options of others) {
    for (const path of ["/", "/users"]) {
      const text = await (await (await testServer({ users, ...options })).get(path)).text();
      assertEquals(/Automatic login as|Switch user/.test(text), false, `${path} ${JSON.stringify(options)}`);
    }
  }
});
