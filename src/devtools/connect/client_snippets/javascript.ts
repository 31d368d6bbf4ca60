/** Settings for libraries of JavaScript. */

import type { ClientLibrary } from "./library.ts";

const openidClientConfig = `
import * as client from "openid-client";

const issuer = new URL(process.env.OIDC_ISSUER ?? {{issuer}});
const config = await client.discovery(
  issuer,
  {{client_id}},
  undefined,
  {{auth}}
  { execute: issuer.protocol === "http:" ? [client.allowInsecureRequests] : [] },
);`;

const oauth4webapiClient = `
import * as oauth from "oauth4webapi";

const issuer = new URL(globalThis.process?.env.OIDC_ISSUER ?? {{issuer}});
const options = { [oauth.allowInsecureRequests]: issuer.protocol === "http:" };
const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
const client = { client_id: {{client_id}} };
const clientAuth = {{auth}}
`;

export const javascriptLibraries: readonly ClientLibrary[] = [
  {
    name: "openid-client",
    library: "openid-client",
    placement: "JavaScript, on a server",
    redirectUris: ["http://localhost:3000/callback"],
    methods: {
      none: "client.None(),",
      client_secret_basic: "client.ClientSecretBasic({{client_secret}}),",
      client_secret_post: "client.ClientSecretPost({{client_secret}}),",
      client_secret_jwt: "client.ClientSecretJwt({{client_secret}}),",
      private_key_jwt: "client.PrivateKeyJwt(privateKey), // the CryptoKey of the client",
    },
    demands: {
      par: "url = await client.buildAuthorizationUrlWithPAR(config, parameters)",
      jar: "url = await client.buildAuthorizationUrlWithJAR(config, parameters, privateKey)",
      jarm: "client.useJwtResponseMode(config)",
      dpop: "{ DPoP: client.getDPoPHandle(config, await client.randomDPoPKeyPair()) } as the last argument",
    },
    text: `${openidClientConfig}
// By default openid-client relies on TLS instead of the signature of the ID token.
client.enableNonRepudiationChecks(config);

/** The URL to send the browser to, and the values to keep in its session. */
export async function begin() {
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const expectedState = client.randomState();
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: {{redirect_uri}},
    scope: {{scope}},
    state: expectedState,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  return { url, kept: { pkceCodeVerifier, expectedState } };
}

/** At the redirect URI: the URL of the request, and the kept values. */
export async function finish(url, kept) {
  const tokens = await client.authorizationCodeGrant(config, url, kept);
  const sub = tokens.claims()?.sub; // absent without the scope value openid
  const user = sub && await client.fetchUserInfo(config, tokens.access_token, sub); // name and e-mail address
  return { tokens, user };
}`,
    machineText: `${openidClientConfig}
const tokens = await client.clientCredentialsGrant(config, { scope: {{scope}} });`,
  },
  {
    name: "oauth4webapi",
    library: "oauth4webapi",
    placement: "JavaScript, on a server or in the browser",
    redirectUris: ["http://localhost:3000/callback"],
    methods: {
      none: "oauth.None();",
      client_secret_basic: "oauth.ClientSecretBasic({{client_secret}});",
      client_secret_post: "oauth.ClientSecretPost({{client_secret}});",
      client_secret_jwt: "oauth.ClientSecretJwt({{client_secret}});",
      private_key_jwt: "oauth.PrivateKeyJwt(privateKey); // the CryptoKey of the client",
    },
    demands: {
      par: "oauth.pushedAuthorizationRequest(as, client, clientAuth, parameters, options), then only client_id and " +
        "request_uri in the URL",
      jar: "request: await oauth.issueRequestObject(as, client, parameters, privateKey), then only client_id and " +
        "request in the URL",
      jarm: "response_mode=jwt, and await oauth.validateJwtAuthResponse(as, client, url, kept.state, options)",
      dpop: 'DPoP: oauth.DPoP(client, await oauth.generateKeyPair("ES256")) in the options of each request; repeat ' +
        "it if oauth.isDPoPNonceError(error)",
    },
    text: `${oauth4webapiClient}const redirectUri = {{redirect_uri}};

/** The URL to send the browser to, and the values to keep in its session. */
export async function begin() {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(as.authorization_endpoint);
  url.search = new URLSearchParams({
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: redirectUri,
    scope: {{scope}},
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  }).toString();
  return { url, kept: { verifier, state } };
}

/** At the redirect URI: the URL of the request, and the kept values. */
export async function finish(url, kept) {
  const params = oauth.validateAuthResponse(as, client, url, kept.state);
  const response = await oauth.authorizationCodeGrantRequest(
    as, client, clientAuth, params, redirectUri, kept.verifier, options,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, response);
  const sub = oauth.getValidatedIdTokenClaims(tokens)?.sub; // absent without the scope value openid
  if (!sub) return { tokens };
  const userinfo = await oauth.userInfoRequest(as, client, tokens.access_token, options);
  return { tokens, user: await oauth.processUserInfoResponse(as, client, sub, userinfo) }; // name and e-mail address
}`,
    machineText: `${oauth4webapiClient}
const parameters = { scope: {{scope}} };
const response = await oauth.clientCredentialsGrantRequest(as, client, clientAuth, parameters, options);
const tokens = await oauth.processClientCredentialsResponse(as, client, response);`,
  },
  {
    name: "auth.js",
    library: "Auth.js",
    placement: "JavaScript: the list of providers in auth.js",
    aliases: ["next-auth", "nextjs", "sveltekit"],
    redirectUris: [
      "http://localhost:3000/api/auth/callback/latchkey",
      "http://localhost:3000/auth/callback/latchkey", // Express
      "http://localhost:5173/auth/callback/latchkey", // SvelteKit
    ],
    methods: {
      client_secret_basic: `clientSecret: {{client_secret}},`,
      client_secret_post: `clientSecret: {{client_secret}},
    client: { token_endpoint_auth_method: "client_secret_post" },`,
      none: `client: { token_endpoint_auth_method: "none" },`,
    },
    needsOpenid: true,
    text: `
export const providers = [
  {
    id: "latchkey", // the end of the redirect URI
    name: "Latchkey",
    type: "oidc",
    issuer: process.env.OIDC_ISSUER ?? {{issuer}},
    clientId: {{client_id}},
    {{auth}}
    idToken: false, // name and e-mail address come from userinfo
    authorization: { params: { scope: {{scope}} } },
    checks: ["pkce", "state", "nonce"],
  },
];`,
    notes: ["The redirect URI is /api/auth/callback/latchkey in Next.js, and /auth/callback/latchkey elsewhere."],
  },
  {
    name: "express-openid-connect",
    library: "express-openid-connect",
    placement: "JavaScript, with Express",
    aliases: ["express"],
    redirectUris: ["http://localhost:3000/callback"],
    methods: { client_secret_basic: `"client_secret_basic"`, client_secret_post: `"client_secret_post"` },
    needsOpenid: true,
    text: `
import { auth } from "express-openid-connect";

const redirectUri = new URL({{redirect_uri}});
export const login = auth({
  issuerBaseURL: process.env.OIDC_ISSUER ?? {{issuer}},
  baseURL: redirectUri.origin,
  routes: { callback: redirectUri.pathname },
  clientID: {{client_id}},
  clientSecret: {{client_secret}},
  clientAuthMethod: {{auth}},
  authorizationParams: { response_type: "code", scope: {{scope}} },
  authRequired: false,
  secret: crypto.randomUUID(),
});`,
    notes: [
      "req.oidc.user has the claims of the ID token; req.oidc.fetchUserInfo() returns the others, such as name and email.",
    ],
  },
  {
    name: "passport",
    library: "Passport",
    placement: "JavaScript, with Express",
    redirectUris: ["http://localhost:3000/auth/callback", "http://localhost:3000/auth/latchkey/callback"],
    methods: {
      client_secret_post: "{{client_secret}},",
      none: `"", // a public client: passport-oauth2 sends an empty client_secret all the same`,
    },
    belowIssuer: (path) => `issuer + ${JSON.stringify(path)}`,
    text: `
import OAuth2Strategy from "passport-oauth2";

const issuer = (process.env.OIDC_ISSUER ?? {{issuer}}).replace(/\\/$/, "");
export const strategy = new OAuth2Strategy(
  {
    authorizationURL: {{authorization_endpoint}},
    tokenURL: {{token_endpoint}},
    clientID: {{client_id}},
    clientSecret: {{auth}}
    callbackURL: {{redirect_uri}},
    scope: {{scope}},
    state: true,
    pkce: true,
  },
  (accessToken, refreshToken, tokens, user, done) => done(null, { tokens, user }),
);

// Name and e-mail address come from userinfo, which needs the scope value openid.
strategy.userProfile = (accessToken, done) => {
  fetch({{userinfo_endpoint}}, { headers: { authorization: "Bearer " + accessToken } })
    .then((response) => response.ok ? response.json() : {})
    .then((user) => done(null, user), done);
};`,
  },
  {
    name: "oidc-client-ts",
    library: "oidc-client-ts",
    placement: "JavaScript, in the browser",
    aliases: ["react-oidc-context", "react", "vue"],
    redirectUris: [
      "http://localhost:5173/callback",
      "http://localhost:5173/",
      "http://localhost:3000/callback",
      "http://localhost:3000/",
    ],
    isPublic: true,
    methods: { none: "" },
    needsOpenid: true,
    text: `
import { UserManager } from "oidc-client-ts";

export const manager = new UserManager({
  authority: {{issuer}},
  client_id: {{client_id}},
  redirect_uri: {{redirect_uri}},
  scope: {{scope}},
  loadUserInfo: true, // name and e-mail address come from userinfo
});

// To begin: await manager.signinRedirect(). At the redirect URI: await manager.signinCallback().`,
    notes: [
      "A browser has no environment variables. For another issuer in tests, let the build write it, as Vite does with " +
      "import.meta.env.VITE_OIDC_ISSUER.",
    ],
  },
  {
    name: "mcp-sdk",
    library: "MCP TypeScript SDK",
    placement: "JavaScript, in an MCP client",
    redirectUris: ["http://localhost:3000/callback", "http://localhost:8090/callback"],
    isPublic: true,
    methods: {
      none: `token_endpoint_auth_method: "none",`,
      client_secret_basic: `token_endpoint_auth_method: "client_secret_basic",
    client_secret: {{client_secret}},`,
      client_secret_post: `token_endpoint_auth_method: "client_secret_post",
    client_secret: {{client_secret}},`,
    },
    text: `
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const stored = {};
export const authProvider = {
  redirectUrl: {{redirect_uri}},
  clientMetadata: { redirect_uris: [{{redirect_uri}}] },
  clientInformation: () => ({
    issuer: process.env.OIDC_ISSUER ?? {{issuer}},
    client_id: {{client_id}},
    {{auth}}
  }),
  tokens: () => stored.tokens,
  saveTokens: (tokens) => void (stored.tokens = tokens),
  codeVerifier: () => stored.verifier,
  saveCodeVerifier: (verifier) => void (stored.verifier = verifier),
  discoveryState: () => stored.discovery,
  saveDiscoveryState: (discovery) => void (stored.discovery = discovery),
  redirectToAuthorization: (url) => console.log("Open in a browser:", String(url)),
};

/** For an MCP server that names this issuer. At the redirect URI: await transport.finishAuth(url.searchParams). */
export const connect = (url) => new StreamableHTTPClientTransport(new URL(url), { authProvider });`,
    machineText: `
import { ClientCredentialsProvider, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

export const authProvider = new ClientCredentialsProvider({
  clientId: {{client_id}},
  clientSecret: {{client_secret}},
  expectedIssuer: process.env.OIDC_ISSUER ?? {{issuer}},
  scope: {{scope}},
});

/** For an MCP server that names this issuer. */
export const connect = (url) => new StreamableHTTPClientTransport(new URL(url), { authProvider });`,
  },
];
