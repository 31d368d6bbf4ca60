/**
 * GitHub's samples at the real origins: a web application with the OAuth toolset of Octokit, and the login of GitHub's
 * command line.
 *
 * @extensions device
 */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { createNodeMiddleware, OAuthApp } from "@octokit/oauth-app";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { testLatchkey } from "../../../testing/test_latchkey.ts";
import { secret } from "../provider_server.ts";
import { testSample } from "./sample.ts";

const alice = { sub: "alice", name: "Alice Adams", preferred_username: "alice", email: "alice@app.example" };
const noSilentScope = "GitHub shows a page for every new scope value";

testSample(
  "github",
  "@octokit/oauth-app",
  "https://github.com/octokit/oauth-app.js#usage",
  async (step) => {
    const app = new OAuthApp({ clientType: "oauth-app", clientId: "web", clientSecret: secret });
    const tokens: string[] = [];
    const logins: string[] = [];
    app.on("token.created", async ({ token, octokit }) => {
      tokens.push(token!);
      const { data } = await octokit.request("GET /user");
      logins.push(data.login);
    });
    const server = createServer(createNodeMiddleware(app)).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const application = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/github/oauth`;
    await using as = await testLatchkey({
      profile: "github",
      clients: [{ client_id: "web", client_secret: secret, redirect_uris: [`${application}/callback`] }],
      users: [alice],
    });
    using _ = as.installFetch({ origins: "real" });
    try {
      await step("log in", async () => {
        const started = await fetch(`${application}/login?scopes=repo,user:email`, { redirect: "manual" });
        await started.body?.cancel();
        const { url } = await as.browser().authorize(started.headers.get("location")!);
        const returned = await fetch(url);
        assertMatch(await returned.text(), /Token created successfully/);
        assertEquals(logins, ["alice"]);
      });
      step("second scope, silently", noSilentScope);
      await step("API verifies the token", async () => {
        const { data } = await app.checkToken({ token: tokens[0]! });
        assertEquals([data.user?.login, data.scopes], ["alice", ["repo", "user:email"]]);
      });
      // The provider has no logout endpoint: an application deletes its authorization.
      await step("log out", async () => {
        await app.deleteAuthorization({ token: tokens[0]! });
        await assertRejects(() => app.checkToken({ token: tokens[0]! }));
      });
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  },
);

testSample(
  "github",
  "the login of gh",
  "https://github.com/cli/cli/blob/trunk/internal/authflow/flow.go",
  async (step) => {
    // The client that the command line has in its source.
    const client_id = "178c6fc778ccc68e1d6a";
    const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
    await using as = await testLatchkey({
      profile: "github",
      clients: [{ client_id, grant_types: [grant_type] }],
      users: [alice],
    });
    as.decisions.deferRequests();
    using _ = as.installFetch({ origins: "real" });
    // https://github.com/cli/oauth/blob/trunk/device/device_flow.go: forms in both directions.
    const post = async (url: string, form: Record<string, string>) => {
      const response = await fetch(url, { method: "POST", body: new URLSearchParams(form) });
      return Object.fromEntries(new URLSearchParams(await response.text()));
    };
    const token = await step("log in", async () => {
      const scope = "repo read:org gist";
      const device = await post("https://github.com/login/device/code", { client_id, scope });
      const poll = () =>
        post("https://github.com/login/oauth/access_token", {
          ...{ client_id, device_code: device.device_code!, grant_type },
        });
      assertEquals((await poll()).error, "authorization_pending");
      const page = `${device.verification_uri}?user_code=${device.user_code}`;
      assertEquals(await as.browser().decide(page), "approved");
      as.clock.advance(2 * Number(device.interval));
      return (await poll()).access_token!;
    });
    step("second scope, silently", noSilentScope);
    // https://github.com/cli/cli/blob/trunk/api/queries_user.go
    await step("API verifies the token", async () => {
      const ask = async (authorization: string, query = "query UserCurrent{viewer{login}}") => {
        const response = await fetch("https://api.github.com/graphql", {
          method: "POST",
          headers: { authorization, "content-type": "application/json; charset=utf-8" },
          body: JSON.stringify({ query, variables: null }),
        });
        return [response.status, await response.json()];
      };
      assertEquals(await ask(`token ${token}`), [200, { data: { viewer: { login: "alice" } } }]);
      assertEquals((await ask("token gho_wrong"))[0], 401);
      assertEquals((await ask(`token ${token}`, "query{repository{name}}"))[0], 404);
      const { reason } = as.log.exchanges.at(-1)!.rejection!.explanation;
      assertEquals(reason, "the profile github does not emulate this API");
    });
    step("log out", "gh auth logout only forgets the token");
  },
);
