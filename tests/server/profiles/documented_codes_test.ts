/**
 * The code flow of a confidential client, without PKCE, with the parameters that each provider documents and no others.
 * `deno test` of this file prints the table.
 */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { providers } from "../../../src/server/config/provider_settings/providers.ts";
import type { ProviderName } from "../../../src/server/config/provider_profile.ts";
import { basic } from "../../kit.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { redirectUri as redirect_uri, secret as client_secret } from "./provider_server.ts";

type Fields = Readonly<Record<string, string>>;

const [client_id, state, response_type, grant_type] = ["web", "st4te", "code", "authorization_code"];

/** The documented parameters; the server adds the code. */
interface DocumentedFlow {
  readonly authorization: Fields;
  readonly token: Fields;
  readonly isBasic?: boolean;
  readonly headers?: Fields;
}

const usual = { client_id, redirect_uri, response_type, state };
const inBody = { client_id, client_secret, grant_type, redirect_uri };

// https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
const github: DocumentedFlow = {
  authorization: { client_id, scope: "repo user", state },
  token: { client_id, client_secret },
  headers: { accept: "application/json" },
};
// https://developers.google.com/identity/openid-connect/openid-connect#server-flow
const google: DocumentedFlow = {
  authorization: { ...usual, scope: "openid email", nonce: "0394852-3190485-2490358" },
  token: inBody,
};

const flows: Readonly<Record<ProviderName, DocumentedFlow>> = {
  // https://developer.apple.com/documentation/signinwithapplerestapi/generate_and_validate_tokens
  apple: { authorization: { ...usual, response_mode: "form_post", scope: "name email" }, token: inBody },
  // https://auth0.com/docs/get-started/authentication-and-authorization-flow/authorization-code-flow
  auth0: { authorization: { ...usual, scope: "openid profile email" }, token: inBody },
  // https://docs.aws.amazon.com/cognito/latest/developerguide/token-endpoint.html
  cognito: {
    authorization: { ...usual, scope: "openid profile" },
    token: { client_id, grant_type, redirect_uri },
    isBasic: true,
  },
  // https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow
  entra: {
    authorization: { ...usual, response_mode: "query", scope: "https://graph.microsoft.com/mail.read" },
    token: { ...inBody, scope: "https://graph.microsoft.com/mail.read" },
  },
  github,
  "github@2025": github,
  google,
  "google@2025": google,
  // https://www.keycloak.org/docs/latest/server_admin/#_oidc-auth-flows-authorization
  keycloak: { authorization: { ...usual, scope: "openid" }, token: inBody },
  // https://developer.okta.com/docs/guides/implement-grant-type/authcode/main/
  okta: { authorization: { ...usual, scope: "openid" }, token: { grant_type, redirect_uri }, isBasic: true },
};

/** Logs in as documented; the members of the token response, and the rules of the warnings. */
async function logIn(profile: ProviderName, { authorization, token, isBasic, headers }: DocumentedFlow) {
  const warnings: (string | undefined)[] = [];
  await using as = await testLatchkey({
    profile,
    clients: [{ client_id, client_secret, redirect_uris: [redirect_uri] }],
    trace: (event) => event.type === "warning" && warnings.push(event.explanation.rule),
  });
  const { code } = await as.browser().authorize(authorization);
  const { origin, pathname } = new URL(as.issuer);
  const metadata = `${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, "")}`;
  const { token_endpoint } = await (await as.fetch(metadata)).json();
  const response = await as.fetch(token_endpoint, {
    method: "POST",
    headers: { ...headers, ...isBasic && basic(client_id!, client_secret) },
    body: new URLSearchParams({ ...token, code: code! }),
  });
  return { tokens: await response.json(), warnings };
}

test("[TK-14] a provider accepts the code flow that it documents, without PKCE", async () => {
  const failed: string[] = [];
  for (const profile of Object.keys(providers) as ProviderName[]) {
    const { tokens: { access_token, error, error_description }, warnings } = await logIn(profile, flows[profile]);
    const outcome = access_token === undefined ? `${error}: ${error_description}` : "tokens";
    const sent = Object.keys(flows[profile].token).join(" ");
    const row = `${profile.padEnd(12)} code ${sent.padEnd(45)} ${outcome} ${warnings.filter(Boolean).join(" ")}`;
    console.log(row);
    if (access_token === undefined) failed.push(row);
  }
  assertEquals(failed, []);
});

test("[TK-14] a code without a challenge needs redirect_uri at every other provider", async () => {
  assertEquals((await logIn("github", github)).warnings.filter((rule) => rule === "TK-14"), ["TK-14"]);
  for (const profile of Object.keys(providers).filter((name) => !name.startsWith("github")) as ProviderName[]) {
    const { token: { redirect_uri: _, ...token }, ...others } = flows[profile];
    assertEquals((await logIn(profile, { ...others, token })).tokens.access_token, undefined, profile);
  }
});
