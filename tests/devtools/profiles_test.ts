/** Pages of a server or client with a profile (groups PF and FS). */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { assertTokenResponse, basic, clients, type Fields, testServer } from "../kit.ts";
import { bank, fapiServer } from "../server/fapi_client.ts";
import { ask, ofStrict, ofWeb, strict } from "../server/strict_client.ts";

test("[PF-04] redirect_uri is required, and an access token in a form rejected, for a client with such a profile", async () => {
  const b = await testServer({ clients: [strict("mcp"), ...clients] });
  const without = { redirect_uri: undefined, scope: "read" };
  assertMatch(
    await ask(b, { ...ofStrict, ...without }),
    /demands redirect_uri, by the profile mcp .{10} of this client/,
  );
  assertEquals(await ask(b, { ...ofWeb, ...without }), "code");
  const userinfo = async (fields: Fields) => {
    const headers = basic(fields.client_id as string, "web-secret");
    const { access_token } = await assertTokenResponse(
      await b.token({ ...fields, client_id: undefined, code: await b.code(fields) }, { headers }),
    );
    return await b.get("/oauth2/userinfo", { method: "POST", body: new URLSearchParams({ access_token }) });
  };
  const rejected = await userinfo(ofStrict);
  assertEquals(rejected.status, 400);
  assertMatch((await rejected.json()).error_description, /of this client \[BR-01\]$/);
  assertEquals((await (await userinfo(ofWeb)).json()).sub, "alice");
});

test("[PF-04] the page of a client names its profile", async () => {
  const b = await testServer({ clients: [strict("oauth2.1"), ...clients] });
  assertMatch(await (await b.get("/clients/strict")).text(), /Profile<\/dt><dd[^>]*>.*oauth2\.1/);
  assert(!(await (await b.get("/clients/web")).text()).includes("Profile</dt>"));
});

test("[FS-03] the home page has no form where clients must have keys, and the page of the demo client is complete", async () => {
  const b = await testServer({ profile: "fapi2-security", clients: undefined, alg: undefined });
  assert(!(await (await b.get("/")).text()).includes('name="token_endpoint_auth_method"'));
  assertEquals((await b.get("/clients/demo-key")).status, 200);
  const open = await testServer({});
  assert((await (await open.get("/")).text()).includes('name="token_endpoint_auth_method"'));
});

test("[PF-03, DM-15] without clients a server with a profile of FAPI has a demo client with a key, and /start pushes its request", async () => {
  for (const profile of ["fapi2-security", "fapi2-message-signing"] as const) {
    const b = await testServer({ profile, clients: undefined, alg: undefined });
    const started = await b.get("/start");
    assertEquals(started.status, 303);
    const cookie = started.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
    const follow = async (response: Response) =>
      await b.get(response.headers.get("location")!.replace("https://as.test", ""), { headers: { cookie } });
    const authorized = await follow(started);
    const page = await follow(authorized);
    assertEquals(page.status, 200);
    assertMatch(await page.text(), /Authorization Successful[^]*Exchange the code[^]*client_assertion_type/);
    const home = await (await b.get("/")).text();
    assertMatch(home, /href="\/start"/);
    assertMatch(home, new RegExp(`profile <code[^>]*>${profile}<`));
  }
  const own = await fapiServer({ clients: [{ ...bank, redirect_uris: ["https://as.test/authorized"] }] });
  // The page does not know the key of another client.
  assertEquals((await own.get("/start")).status, 400);
});
