/** Clients for browsers and agents, as far as they run without a page: what they say when a login fails. */

import { fault } from "../../../src/check/fault.ts";
import * as mcp from "@modelcontextprotocol/client";
import * as oidc from "oidc-client-ts";
import { faults } from "../../../src/testing/mod.ts";
import { withGlobalFetch } from "../../check/drivers/libraries/global_fetch.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { faultsOf, testMessages } from "./provoke.ts";

const redirectUri = "https://app.example/callback";
const as = await testLatchkey({ alg: "RS256", profile: "mcp" });
const spa = as.client({ redirect_uri: redirectUri });

const withFault = faultsOf(as);

/** A login with oidc-client-ts; `change` is what happens to the callback before the library reads it. */
async function logIn(
  { change = (url) => url, later = {}, nonce }: {
    readonly change?: (url: URL) => URL;
    readonly later?: Partial<oidc.UserManagerSettings>;
    readonly nonce?: string;
  } = {},
) {
  let started = "";
  const navigate = ({ url }: { readonly url: string }) => {
    started = url;
    return Promise.resolve({ url });
  };
  const navigator = { prepare: () => Promise.resolve({ navigate, close() {} }), callback: () => Promise.resolve() };
  const newStore = () => new oidc.WebStorageStateStore({ store: new oidc.InMemoryWebStorage() });
  const settings = {
    ...{ authority: as.issuer, client_id: spa.client_id, redirect_uri: redirectUri, scope: "openid" },
    ...{ loadUserInfo: true, automaticSilentRenew: false, stateStore: newStore(), userStore: newStore() },
  };
  const manager = new oidc.UserManager(settings, navigator);
  await withGlobalFetch(as.fetch, () => manager.signinRedirect(nonce === undefined ? {} : { nonce }));
  const { url } = await as.browser().authorize(new URL(started));
  const next = new oidc.UserManager({ ...settings, ...later }, navigator);
  return await withGlobalFetch(as.fetch, () => next.signinRedirectCallback(change(new URL(url)).href));
}

function changed(edit: (params: URLSearchParams) => void): (url: URL) => URL {
  return (url) => {
    edit(url.searchParams);
    return url;
  };
}

testMessages("oidc-client-ts", [
  ["No matching state found in storage", () => logIn({ change: changed((params) => params.set("state", "another")) })],
  ["No state in response", () => logIn({ change: changed((params) => params.delete("state")) })],
  [
    "authority mismatch on settings vs. signin state",
    () => logIn({ later: { authority: "http://127.0.0.1:9000" } }),
  ],
  [
    "nonce in id_token does not match nonce in client storage",
    () => withFault("token", faults.idToken.edited({ nonce: "another" }), () => logIn({ nonce: "n0nce" })),
  ],
  [
    "subject from UserInfo response does not match subject in ID Token",
    () => withFault("userinfo", faults.userinfo.edited({ sub: "another" }), () => logIn()),
  ],
  [
    "Invalid response Content-Type: *, from URL: *",
    () => withFault("discovery", fault("transport/body-wrong"), () => logIn()),
  ],
  ["Crypto.subtle is available only in secure contexts (HTTPS).", async () => {
    // A page of plain http has no subtle.
    const { subtle } = crypto;
    Object.defineProperty(crypto, "subtle", { value: undefined, configurable: true });
    try {
      return await oidc.UserManager.prototype.signinRedirect.call(
        new oidc.UserManager({
          ...{ authority: as.issuer, client_id: "spa", redirect_uri: redirectUri },
          metadata: { authorization_endpoint: `${as.issuer}/oauth2/authorize` },
          stateStore: new oidc.WebStorageStateStore({ store: new oidc.InMemoryWebStorage() }),
          userStore: new oidc.WebStorageStateStore({ store: new oidc.InMemoryWebStorage() }),
        }, { prepare: () => Promise.resolve({ navigate: () => Promise.resolve({ url: "" }), close() {} }) } as never),
      );
    } finally {
      Object.defineProperty(crypto, "subtle", { value: subtle, configurable: true });
    }
  }],
]);

const discover = () => mcp.discoverAuthorizationServerMetadata(as.issuer, { fetchFn: as.fetch });
const start = async (without: object) =>
  await mcp.startAuthorization(as.issuer, {
    ...{ metadata: { ...await discover(), ...without } as never, clientInformation: { client_id: spa.client_id } },
    redirectUrl: redirectUri,
  });
testMessages("MCP SDK", [
  [
    "Issuer mismatch in authorization server metadata (RFC 8414 §3.3): expected *, received *",
    () => withFault("discovery", faults.body.edited({ issuer: "https://another.example" }), discover),
  ],
  [
    "Issuer mismatch in authorization response (RFC 9207): expected *, received *",
    () =>
      mcp.validateAuthorizationResponseIssuer({
        ...{ iss: "http://127.0.0.1:9000", expectedIssuer: as.issuer, issParameterSupported: true },
      }),
  ],
  ["Incompatible auth server: does not support dynamic client registration", async () => {
    const metadata = { ...await discover(), registration_endpoint: undefined } as never;
    await mcp.registerClient(as.issuer, {
      metadata,
      clientMetadata: { redirect_uris: [redirectUri] },
      fetchFn: as.fetch,
    });
  }],
  [
    "Incompatible auth server: does not support code challenge method *",
    () => start({ code_challenge_methods_supported: ["plain"] }),
  ],
  [
    "Incompatible auth server: does not support response type *",
    () => start({ response_types_supported: ["id_token"] }),
  ],
  [
    "Protected resource * does not match expected * (or origin)",
    () =>
      mcp.selectResourceURL("https://mcp.example/mcp", {} as never, { resource: "https://other.example/mcp" } as never),
  ],
  [
    "Resource server does not implement OAuth 2.0 Protected Resource Metadata.",
    () =>
      mcp.discoverOAuthProtectedResourceMetadata(
        "https://mcp.example/mcp",
        {},
        () => Promise.resolve(new Response(null, { status: 404 })),
      ),
  ],
  ["send credentials to non-https token endpoint '*'.", async () => {
    const metadata = { ...await discover(), token_endpoint: "http://oidc:9000/oauth2/token" } as never;
    await mcp.exchangeAuthorization(as.issuer, {
      ...{ metadata, clientInformation: { client_id: spa.client_id }, authorizationCode: "1", iss: as.issuer },
      ...{ codeVerifier: "2", redirectUri, fetchFn: as.fetch },
    });
  }],
  ["Existing OAuth client information is required when exchanging an authorization code", () =>
    mcp.auth({
      ...{
        redirectUrl: redirectUri,
        clientMetadata: { redirect_uris: [redirectUri] },
        clientInformation: () => undefined,
      },
      ...{ tokens: () => undefined, saveTokens() {}, redirectToAuthorization() {}, saveCodeVerifier() {} },
      codeVerifier: () => "2",
    } as never, { serverUrl: as.issuer, authorizationCode: "1", iss: as.issuer, fetchFn: as.fetch } as never)],
]);
