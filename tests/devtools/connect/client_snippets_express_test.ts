/** The settings for express-openid-connect, in an application with Express. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import express from "express";
import { auth, type ConfigParams } from "express-openid-connect";
import { latchkey } from "../../secret_leak_check.ts";
import { getRedirectLocation } from "../../server/applications.ts";
import { clients, leads, run, secret, settingsOf } from "./client_snippets.ts";
import { forEachCase } from "../../kit.ts";

test("[DI-05] the settings for express-openid-connect log a user in with the methods that it supports", async () => {
  await using as = await latchkey({ alg: "RS256", clients, idTokenClaims: "like-userinfo" });
  await as.listen({ port: 0 });
  await forEachCase(["client_secret_basic", "client_secret_post"] as const, async (id) => {
    const app = express();
    const server = app.listen(0, "127.0.0.1");
    try {
      await once(server, "listening");
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const client_id = `express-${id}`;
      const redirect_uris = [`${url}/auth/back`];
      as.clients.set({ client_id, client_secret: secret, redirect_uris, token_endpoint_auth_method: id });
      const { text, notes } = settingsOf(as, client_id).get("express-openid-connect")!;
      assertMatch(notes[0]!, /^req\.oidc\.user has the claims of the ID token; req\.oidc\.fetchUserInfo\(\) returns/);
      // A busy machine may need longer than the five seconds that the library waits.
      const patient = (params: ConfigParams) => auth({ ...params, httpTimeout: 60_000 });
      const { login } = await run(text!, { "express-openid-connect": { auth: patient } });
      app.use(login);
      // deno-lint-ignore no-explicit-any
      app.get("/", (request: any, response: any) => response.json(request.oidc.user));
      const cookies = new Map<string, string>();
      const visit = async (url: string): Promise<Response> => {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
        const response = await fetch(url, { redirect: "manual", headers: { cookie } });
        for (const line of response.headers.getSetCookie()) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
          cookies.set(name!, value!);
        }
        return response;
      };
      const back = await leads(await getRedirectLocation(await visit(`${url}/login`)));
      const { name, email } = await (await visit(await getRedirectLocation(await visit(back)))).json();
      assertEquals([name, email], ["Alice Adams", "alice@example.com"]);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
  const { text, notes } = settingsOf(as, "none").get("express-openid-connect")!;
  assertEquals(text, undefined);
  assertStringIncludes(notes[0]!, "client_secret_basic");
});
