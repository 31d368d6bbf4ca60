/** The cookies of logins and of the steps after `/authorized` (groups UI and HT). */

import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { test } from "node:test";
import { type Browser, browserCookie, openBrowser } from "../server/browser.ts";
import { forEachCase, testServer } from "../kit.ts";
import { severalUsers } from "../server/login/several_users.ts";

test("[UI-07] every cookie name contains the port, and has a __Host- prefix behind https", async () => {
  await forEachCase<[issuer: string, prefix: string, port: string]>([
    ["https://as.test", "__Host-", ""],
    ["https://as.test:8443", "__Host-", "_8443"],
    ["https://as.test/tenant", "__Secure-", ""],
    ["https://as.test:8443/tenant", "__Secure-", "_8443"],
    ["http://localhost:9000", "", "_9000"],
    ["http://localhost:9000/tenant", "", "_9000"],
  ], async ([issuer, prefix, port]) => {
    const b = await testServer({ ...severalUsers, login: "auto", issuer });
    const browser = openBrowser(b);
    await browser.get("/");
    await browser.authorize();
    const names = ["demo", "session"].map((purpose) => `${prefix}latchkey_${purpose}${port}`);
    assertEquals([...browser.cookies.keys()].sort(), names);
    // By any other name they mean nothing.
    const renamed = [...browser.cookies].map(([name, value]) => [name.replace(/^__\w+-|_\d+$/, ""), value] as const);
    if (prefix + port !== "") assertEquals(await openBrowser(b, renamed).authorizeSilently(), "login_required");
  });
});

test("[UI-07, UI-14] a browser cookie that this server did not create for its purpose identifies no browser", async () => {
  const b = await testServer(severalUsers);
  const visited = async (browser: Browser) => {
    await browser.get("/");
    await browser.authorize();
    return browser;
  };
  const victim = await visited(openBrowser(b));
  const other = await visited(openBrowser(b));
  const foreign = await visited(openBrowser(await testServer(severalUsers)));
  const names = ["__Host-latchkey_demo", browserCookie];
  for (const [i, name] of names.entries()) {
    const good = victim.cookies.get(name)!;
    const made = ["A".repeat(43), `${"A".repeat(43)}.${"A".repeat(43)}`, good.split(".")[0]!, `${good}A`, ".", "", "x"];
    const mixed = `${good.split(".")[0]}.${other.cookies.get(name)!.split(".")[1]}`;
    const ofOtherPurpose = victim.cookies.get(names[1 - i]!)!;
    await forEachCase([...made, mixed, ofOtherPurpose, foreign.cookies.get(name)!], async (value) => {
      const browser = await visited(openBrowser(b, [[name, value]]));
      const created = browser.cookies.get(name)!;
      assertMatch(created, /^[\w-]{43}\.[\w-]{43}$/);
      assertNotEquals([created, created.split(".")[0]], [value, value.split(".")[0]]);
    });
  }
  const before = names.map((name) => victim.cookies.get(name));
  await visited(victim);
  assertEquals(names.map((name) => victim.cookies.get(name)), before);
});
