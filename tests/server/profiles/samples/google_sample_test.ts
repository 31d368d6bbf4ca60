/** Google's sample at the real origins. Its client does not use `fetch`: it gets the agent. */

import { assertEquals, assertRejects } from "@std/assert";
import { OAuth2Client } from "google-auth-library";
import { httpsAgent } from "../../../../src/testing/node/mod.ts";
import { testLatchkey } from "../../../testing/test_latchkey.ts";
import { redirectUri, secret } from "../provider_server.ts";
import { testSample } from "./sample.ts";

const profileScope = "https://www.googleapis.com/auth/userinfo.profile";
const emailScope = "https://www.googleapis.com/auth/userinfo.email";

testSample(
  "google",
  "google-auth-library",
  "https://github.com/googleapis/google-auth-library-nodejs/blob/main/samples/oauth2.js",
  async (step) => {
    await using as = await testLatchkey({
      profile: "google",
      clients: [{
        ...{ client_id: "web", client_secret: secret, redirect_uris: [redirectUri] },
        grant_types: ["authorization_code", "refresh_token"],
      }],
      users: [{
        ...{ sub: "110169484474386276334", name: "Alice Adams", given_name: "Alice", family_name: "Adams" },
        ...{ email: "alice@app.example", email_verified: true },
      }],
    });
    using _ = as.installFetch({ origins: "real" });
    const client = new OAuth2Client({
      ...{ clientId: "web", clientSecret: secret, redirectUri },
      transporterOptions: { agent: httpsAgent(as) },
    });
    const browser = as.browser();

    await step("log in", async () => {
      const { code } = await browser.authorize(client.generateAuthUrl({ access_type: "offline", scope: profileScope }));
      const { tokens } = await client.getToken(code!);
      client.setCredentials(tokens);
      const { data } = await client.request<{ names: { displayName: string }[] }>({
        url: "https://people.googleapis.com/v1/people/me?personFields=names",
      });
      assertEquals(data.names.map(({ displayName }) => displayName), ["Alice Adams"]);
      const { scopes } = await client.getTokenInfo(client.credentials.access_token!);
      assertEquals(scopes.toSorted(), [profileScope, "openid"].toSorted());
    });
    // https://developers.google.com/identity/protocols/oauth2/web-server#incrementalAuth
    await step("second scope, silently", async () => {
      const { code } = await browser.authorize(client.generateAuthUrl({
        ...{ access_type: "offline", scope: emailScope, include_granted_scopes: true, prompt: "none" },
        login_hint: "alice@app.example",
      }));
      const { tokens } = await client.getToken(code!);
      client.setCredentials({ ...client.credentials, ...tokens });
      const { data } = await client.request<{ emailAddresses: { value: string }[] }>({
        url: "https://people.googleapis.com/v1/people/me?personFields=emailAddresses",
      });
      assertEquals(data.emailAddresses.map(({ value }) => value), ["alice@app.example"]);
    });
    // https://developers.google.com/identity/gsi/web/guides/verify-google-id-token
    await step("API verifies the token", async () => {
      const verify = async (idToken: string) => {
        const ticket = await client.verifyIdToken({ idToken, audience: "web" });
        return ticket.getPayload()?.email;
      };
      const { id_token: idToken = "" } = client.credentials;
      assertEquals(await verify(idToken!), "alice@app.example");
      await assertRejects(() => verify(idToken!.replace(/.{9}$/, "AAAAAAAAA")), Error, "Invalid token signature");
    });
    // Google has no logout: https://developers.google.com/identity/protocols/oauth2/web-server#tokenrevoke
    await step("log out", async () => {
      const { refresh_token } = client.credentials;
      await client.revokeToken(refresh_token!);
      client.setCredentials({ refresh_token });
      await assertRejects(() => client.getAccessToken(), Error, "invalid_grant");
    });
  },
);
