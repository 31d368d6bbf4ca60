/** Pages to look at: ordinary ones and their extremes, by the path they are served under. */

import { libraries } from "../../src/devtools/connect/client_snippets/libraries.ts";
import { clientSnippets } from "../../src/devtools/connect/client_snippets/mod.ts";
import type { AccountProps } from "../../src/server/login/pages/account.tsx";
import type { ConnectAccountProps } from "../../src/resource/connect_page.tsx";
import type { CallbackProps } from "../../src/server/pages/authorized_page.tsx";
import type { ListedClient } from "../../src/devtools/connect/pages/client_details.tsx";
import type { ClientProps, ClientsProps } from "../../src/devtools/connect/pages/clients.tsx";
import type { ConsentProps } from "../../src/server/login/pages/consent.tsx";
import type { ErrorPageProps } from "../../src/server/pages/error_page.tsx";
import type { FormPostProps } from "../../src/server/pages/form_post.tsx";
import type { HomeProps } from "../../src/devtools/connect/pages/home.tsx";
import type { Site } from "../../src/server/pages/layout.tsx";
import type { PolledFacts } from "../../src/server/stored/delivery.ts";
import type { LoginProps } from "../../src/server/login/pages/login.tsx";
import type { LogoutProps } from "../../src/server/login/pages/logout_page.tsx";
import type { Pages } from "../drawn_pages.ts";
import { renderPage } from "../../src/core/pages/render_page.ts";
import { StepPage } from "../../src/devtools/authorized/pages/step_page.tsx";
import type { ListedUser, UserProps, UsersProps } from "../../src/devtools/connect/pages/users.tsx";
import { hostedClient } from "../../src/server/clients/clients.ts";
import { allowancesOf } from "../../src/server/config/resolve_settings.ts";
import { distrusted, dropped, exchanged, hostileStep, nextUnder, replayed, roundTrip } from "./step_samples.ts";

const issuer = "http://localhost:9000";
const links = [
  { label: "Connect", path: "/", isMain: true },
  { label: "Clients", path: "/clients" },
  { label: "Users", path: "/users" },
  { label: "Requests", path: "/flows", isMain: true },
];
const site: Site = { issuer, base: "", links };

const startLinks = [
  { clientId: "demo-public", confidential: false, href: "/authorize-public" },
  { clientId: "demo-confidential", confidential: true, href: "/authorize-confidential" },
];

const scope = ["openid", "profile", "email", "read", "write", "offline_access"];

const clients: readonly ListedClient[] = [
  {
    id: "demo-public",
    name: "Demo, public",
    href: "/clients/demo-public",
    authMethods: ["none"],
    redirectUris: [`${issuer}/authorized`],
    postLogoutRedirectUris: [`${issuer}/`],
    grantTypes: ["authorization_code", "refresh_token"],
    scope,
  },
  {
    id: "demo-confidential",
    href: "/clients/demo-confidential",
    authMethods: ["client_secret_basic"],
    redirectUris: [`${issuer}/authorized`, "https://app.example/oauth/callback/with/a/rather/long/path"],
    postLogoutRedirectUris: [],
    grantTypes: ["authorization_code", "client_credentials"],
    scope: ["openid", "read"],
  },
];

const users: readonly ListedUser[] = [
  {
    sub: "alice",
    name: "Alice Adams",
    href: "/users/alice",
    claims: [
      { name: "name", json: `"Alice Adams"`, releasedBy: ["profile"], inAccessTokens: false },
      { name: "email", json: `"alice@example.com"`, releasedBy: ["email"], inAccessTokens: true },
      { name: "badge", json: "7", releasedBy: [], inAccessTokens: false },
    ],
    inIdTokens: true,
    warnings: ["Clients such as oauth2-proxy and dex reject an address that is not verified."],
  },
  { sub: "bob", href: "/users/bob", claims: [], inIdTokens: true, warnings: [] },
];

const token = "w3Zq5m0Rt8uXo1vYk2cJp7sNf4hLd9aGb6eTiWnQxMU";

const snippets = clientSnippets(
  {
    issuer,
    authorize: `${issuer}/oauth2/authorize`,
    token: `${issuer}/oauth2/token`,
    userinfo: `${issuer}/oauth2/userinfo`,
  },
  hostedClient(
    {
      client_id: "web",
      client_secret: token,
      token_endpoint_auth_method: "client_secret_post",
      redirect_uris: ["http://localhost:3000/api/auth/callback/latchkey"],
    },
    {
      ...{
        allows: allowancesOf(issuer),
        userScopes: scope,
        clientScopes: [],
        alg: "RS256",
        acceptsAny: [],
        subjectTypes: ["public"],
      },
      insecure: [],
    },
  ),
  { secret: token },
);

/** A server with two demo clients. */
export const home: HomeProps = {
  ...site,
  form: {
    csrfToken: token,
    values: { library: "openid-client", redirect_uris: "http://localhost:3000/callback", client_id: "app" },
    errors: [],
    libraries,
    authMethods: ["none", "client_secret_basic", "client_secret_post"],
    keyMethods: ["private_key_jwt"],
    isProposed: false,
    asksForSecret: false,
  },
  hasDemo: true,
  demoUri: `${issuer}/authorized`,
  directory: { clients, users, lines: { text: `{ "clients": [] }`, placeholder: undefined } },
  flows: [{
    path: "/flows/2",
    title: "redirect_uri does not match the authorization request",
    outcome: { tone: "bad", label: "error" },
    client: "demo-public",
  }, { path: "/flows/1", title: "tokens issued", outcome: { tone: "good", label: "success" } }],
  persistent: false,
  endpoints: [
    { name: "openid-configuration", url: `${issuer}/.well-known/openid-configuration` },
    { name: "authorization_endpoint", url: `${issuer}/oauth2/authorize` },
    { name: "token_endpoint", url: `${issuer}/oauth2/token` },
    { name: "pushed_authorization_request_endpoint", url: `${issuer}/oauth2/par` },
    { name: "jwks_uri", url: `${issuer}/oauth2/jwks` },
  ],
  scopes: ["openid", "profile", "email", "read", "write", "offline_access"],
  login: "automatic",
};

const code = "kq3Vd9yN0nA7rT1xG5hJ2mPzQe8WcLbUfIoYsD4aX6E";
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

/** A code for the first demo client, whose verifier is known. */
export const success: CallbackProps = {
  ...site,
  outcome: { kind: "success", code, state: "af0ifjsldkj" },
  notes: [],
  ...roundTrip,
  next: nextUnder(""),
  examples: [
    {
      kind: "public",
      clientId: "demo-public",
      redirectUri: `${issuer}/authorized`,
      command: [
        `curl ${issuer}/oauth2/token`,
        "-d grant_type=authorization_code",
        "-d client_id=demo-public",
        `-d code=${code}`,
        "-d redirect_uri=http%3A%2F%2Flocalhost%3A9000%2Fauthorized",
        `-d code_verifier=${verifier}`,
      ].join(" \\\n  "),
      codeBelongsToClient: true,
      codeUsed: false,
      usesPkce: true,
      missing: [],
    },
    {
      kind: "confidential",
      clientId: "demo-confidential",
      redirectUri: `${issuer}/authorized`,
      authorization: "Basic ZGVtby1jb25maWRlbnRpYWw6ZGVtby1zZWNyZXQ=",
      command: [
        `curl ${issuer}/oauth2/token`,
        "-u demo-confidential:demo-secret",
        "-d grant_type=authorization_code",
        `-d code=${code}`,
        "-d redirect_uri=http%3A%2F%2Flocalhost%3A9000%2Fauthorized",
        "-d code_verifier=YOUR_CODE_VERIFIER",
      ].join(" \\\n  "),
      codeBelongsToClient: false,
      codeUsed: false,
      usesPkce: true,
      missing: ["code verifier"],
    },
  ],
  tokenEndpoint: `${issuer}/oauth2/token`,
  userinfoEndpoint: `${issuer}/oauth2/userinfo`,
  codeLifetimeSeconds: 300,
  startLinks,
};

const hostileText = `${"x".repeat(300)}-${"<b onclick=alert(1)>".repeat(8)}`;

const onePage = { total: 2, isFirst: true };

/** The clients, and an empty form. */
export const clientList: ClientsProps = {
  ...site,
  clients,
  documentClients: [],
  position: onePage,
};

/** A client that was added just now, with the settings of all libraries that it suits. */
export const client: ClientProps = {
  ...site,
  client: clients[0]!,
  generatedSecret: token,
  snippets,
  flows: [],
  lines: { text: `{ "clients": [] }`, placeholder: undefined },
  form: { csrfToken: token, values: {}, errors: [] },
};

/** The users, and an empty form. */
export const userList: UsersProps = {
  ...site,
  users,
  position: onePage,
  form: { csrfToken: token, values: {}, errors: [] },
};

/** A user, with a form that holds the claims. */
export const user: UserProps = {
  ...site,
  user: users[0]!,
  isFirst: false,
  form: { csrfToken: token, values: { name: "Alice Adams", claims: `{\n  "groups": ["staff"]\n}` }, errors: [] },
};

/** A redirect URI off by one letter. */
export const rejected: ErrorPageProps = {
  ...site,
  status: 400,
  error: "invalid_request",
  message: "The redirect_uri is not one that this client registered.",
  rule: "RU-02",
  cites: ["OAuth 2.1 §2.3.5, §4.1.2.1"],
  expected: `${issuer}/authorized`,
  received: `${issuer}/authorised`,
  suggestion: { text: `${issuer}/authorized`, difference: "The two URIs differ only in the path." },
  change: { label: "Correct the redirect URI, or add it to web", path: "/clients/web" },
  fix: "Send one of the registered redirect URIs, character by character, or register this one.",
  redirectUriUnverified: true,
  allowsExternalLinks: true,
  flowLink: "/flows/7",
};

/** A denied request. */
export const failure: CallbackProps = {
  ...success,
  outcome: { kind: "failure", error: "access_denied", description: "Alice denied it to this client [AZ-20]" },
  response: [["error", "access_denied"], ...roundTrip.response.slice(1)],
};

/** A client sent the browser here to log out. */
export const logout: LogoutProps = {
  ...site,
  user: { sub: "alice", name: "Alice Adams" },
  client: "Demo, public",
  action: "/oauth2/logout",
  fields: [
    ["confirm", "w3Zq5m0Rt8uXo1vYk2cJp7sNf4hLd9aGb6eTiWnQxMU"],
    ["post_logout_redirect_uri", "https://app.example/goodbye?from=as&lang=en"],
    ["state", "af0ifjsldkj"],
  ],
};

const interaction = [["interaction", "q7fJ2m0Rt8uXo1vYk2cJp7sNf4hLd9aGb6eTiWnQxMU"], ["form_token", code]] as const;

/** Three users to pick from, one of them with a password. */
export const login: LoginProps = {
  ...site,
  client: { id: "demo-public", name: "Demo public client" },
  action: "/oauth2/login",
  fields: interaction,
  accounts: [
    { sub: "alice", name: "Alice Adams", email: "alice@example.com", current: true },
    { sub: "bob", name: "Bob Brown", email: "bob@example.com", current: false },
    { sub: "248289761001", current: false },
    {
      sub: "carol",
      name: "Carol Clark",
      current: false,
      passwordHref: "/oauth2/login?interaction=q7f&as=carol",
    },
  ],
  passwordForm: { sub: "carol" },
  guestForm: { subject: "", name: "", claims: "" },
  isReauthentication: false,
};

/** What the demo client asks for. */
/** A device that waits for a decision. */
const device: PolledFacts = {
  userCode: "BCDF-GHJK",
  startedAt: Date.UTC(2026, 0, 1),
  address: "2001:db8:85a3:8d3:1319:8a2e:370:7348",
  isSameAddress: false,
};

export const consent: ConsentProps = {
  ...site,
  client: { id: "demo-public", name: "Demo public client", confidential: false },
  user: { sub: "alice", name: "Alice Adams", email: "alice@example.com" },
  action: "/oauth2/consent",
  fields: interaction,
  redirectUri: `${issuer}/authorized`,
  scope: ["openid", "profile", "email", "read", "offline_access"].map((value) => ({
    value,
    required: value === "openid",
    previouslyAllowed: value === "profile",
    claims: [],
  })),
  details: [{
    choice: "0 payment",
    type: "payment",
    title: "Payment",
    fields: [
      { label: "Recipient", values: ["Shoe shop, Berlin"] },
      { label: "amount › value", values: ["79.90"] },
      { label: "amount › currency", values: ["EUR"] },
    ],
  }],
  claims: [],
  resources: [],
  redirectsToDevice: new URL(issuer).hostname === "localhost",
  remembered: "device",
  otherAccountHref: "/oauth2/login?interaction=q7f",
};

/** Two applications that were allowed something. */
export const account: AccountProps = {
  ...site,
  account: {
    user: { sub: "alice", name: "Alice Adams", email: "alice@example.com" },
    since: Date.UTC(2026, 0, 1, 12),
    logoutHref: "/oauth2/logout",
    isComplete: true,
    consents: [
      {
        client: { id: "demo-public", name: "Demo public client" },
        allowed: [{ scope: ["openid", "read"] }],
        claims: [],
        at: Date.UTC(2026, 0, 1, 12),
        validUntil: Date.UTC(2026, 0, 31, 12),
        fields: interaction,
      },
      {
        client: { id: "web" },
        allowed: [
          { scope: ["openid", "profile", "offline_access"] },
          { scope: ["read"], resource: "https://api.example" },
        ],
        claims: ["birthdate"],
        at: Date.UTC(2025, 11, 24, 18),
        validUntil: Date.UTC(2026, 0, 23, 18),
        fields: interaction,
      },
    ],
  },
};

/** A code on its way to a client. */
export const formPost: FormPostProps = {
  ...site,
  action: "https://app.example/callback?tenant=1&area=east",
  client: "Demo, public",
  fields: [["code", code], ["state", "af0ifjsldkj"], ["iss", issuer]],
};

/** A tool of an MCP server that needs an account of another service. */
const connectAccount: ConnectAccountProps = {
  ...site,
  service: "Example Calendar",
  tool: "read_calendar",
  client: "Demo, public",
  state: "pending",
  action: `/connect-account/mcp?elicitation_id=${token}`,
  fields: [["form_token", code]],
};

const hostileClient: ListedClient = {
  id: hostileText,
  name: hostileText,
  href: `/clients/${encodeURIComponent(hostileText)}`,
  authMethods: [hostileText],
  redirectUris: [hostileText],
  postLogoutRedirectUris: [hostileText],
  grantTypes: [hostileText],
  scope: [hostileText],
};

const hostileUser: ListedUser = {
  sub: hostileText,
  name: hostileText,
  href: `/users/${encodeURIComponent(hostileText)}`,
  claims: [{ name: hostileText, json: JSON.stringify(hostileText), releasedBy: [hostileText], inAccessTokens: true }],
  inIdTokens: true,
  warnings: [hostileText],
};

/** A page, as a function of who draws it. */
export interface Sample {
  readonly status: number;
  /** True: its script redirects immediately. */
  readonly leaves?: boolean;
  draw(pages: Pages): string;
}

/** By the path they are served under. */
export const samples: Readonly<Record<string, Sample>> = {
  "/": { status: 200, draw: (pages) => pages.home(home) },
  "/bare": {
    status: 200,
    draw: (pages) =>
      pages.home({
        ...home,
        links: [],
        hasDemo: false,
        form: undefined,
        directory: { clients: [], users: [] },
        scopes: ["read"],
      }),
  },
  "/clients": { status: 200, draw: (pages) => pages.clients(clientList) },
  "/clients/none": { status: 200, draw: (pages) => pages.clients({ ...clientList, clients: [] }) },
  "/clients/hostile": { status: 200, draw: (pages) => pages.clients({ ...clientList, clients: [hostileClient] }) },
  "/hostile": {
    status: 400,
    draw: (pages) =>
      pages.home({
        ...home,
        form: {
          ...home.form!,
          values: { client_id: hostileText, client_name: hostileText, redirect_uris: `${hostileText}\n${hostileText}` },
          errors: [
            {
              field: "client_id",
              expected: "1 to 256 printable ASCII characters",
              received: hostileText,
              hint: "Shorten it.",
            },
            {
              field: "redirect_uris",
              expected: "an absolute URI",
              received: hostileText,
              hint: "Begin it with https://.",
            },
            {
              field: "token_endpoint_auth_method",
              expected: "one of three",
              received: hostileText,
              hint: "Choose one.",
            },
          ],
        },
      }),
  },
  "/client": { status: 201, draw: (pages) => pages.client(client) },
  "/client/idle": { status: 200, draw: (pages) => pages.client({ ...client, snippets: [], form: undefined }) },
  "/client/hostile": {
    status: 200,
    draw: (pages) =>
      pages.client({
        ...client,
        client: hostileClient,
        generatedSecret: undefined,
        snippets: [
          { name: "curl", library: "curl", placement: "a POSIX shell", text: hostileText, notes: [hostileText] },
          { name: "go", library: "go", placement: "go-oidc", notes: [hostileText] },
        ],
      }),
  },
  "/client/proposed": {
    status: 200,
    draw: (pages) =>
      pages.clientEdit({
        ...site,
        client: { id: "demo-public", href: "/clients/demo-public", hasSecret: true },
        proposed: {
          ...{ member: "redirect_uris", sent: rejected.received!, registered: [rejected.expected!] },
          nearest: rejected.expected,
          lines: ["{", `  "redirect_uris": ["${rejected.expected}",`, `    "${rejected.received}"]`, "}"].map((
            text,
            i,
          ) => ({
            text,
            isAdded: i === 2,
          })),
          ...{ snippets: snippets.slice(0, 3), query: new URLSearchParams({ redirect_uris: rejected.received! }) },
        },
        memberExamples: [{ name: "client_name", example: '"Shop"' }],
        form: { csrfToken: token, values: { metadata: "{}", retry: "x" }, errors: [] },
      }),
  },
  "/connect-account": { status: 200, draw: (pages) => pages.connectAccount(connectAccount) },
  "/connect-account/connected": {
    status: 200,
    draw: (pages) => pages.connectAccount({ ...connectAccount, state: "connected" }),
  },
  "/connect-account/hostile": {
    status: 200,
    draw: (pages) =>
      pages.connectAccount({
        ...connectAccount,
        ...{ service: hostileText, tool: hostileText, client: hostileText, state: "declined" },
      }),
  },
  "/users": { status: 200, draw: (pages) => pages.users(userList) },
  "/users/none": { status: 200, draw: (pages) => pages.users({ ...userList, users: [], form: undefined }) },
  "/users/hostile": {
    status: 400,
    draw: (pages) =>
      pages.users({
        ...userList,
        users: [hostileUser],
        form: {
          csrfToken: token,
          values: { sub: hostileText, claims: hostileText },
          errors: [{ field: "claims", expected: "a JSON object", received: hostileText, hint: "Write one." }],
        },
      }),
  },
  "/user": { status: 200, draw: (pages) => pages.user(user) },
  "/user/hostile": {
    status: 200,
    draw: (pages) =>
      pages.user({
        ...user,
        user: hostileUser,
        isFirst: true,
        form: { csrfToken: token, values: { claims: `</textarea>${hostileText}` }, errors: [] },
      }),
  },
  "/authorized": { status: 200, draw: (pages) => pages.callback(success) },
  "/authorized/hostile": {
    status: 200,
    draw: (pages) =>
      pages.callback({
        ...success,
        outcome: { kind: "success", code: hostileText, state: hostileText },
        request: undefined,
        response: [["code", hostileText]],
        ignoredParameters: [hostileText, hostileText],
        checks: [{ name: "state", passed: false, expected: "a state that this browser sent", received: hostileText }],
        next: undefined,
        notes: [
          "The code was longer than 300 characters and is shown shortened.",
          `The state contained ${hostileText}.`,
        ],
        examples: success.examples.map((example) => ({
          ...example,
          command: hostileText,
          codeBelongsToClient: undefined,
          usesPkce: false,
        })),
      }),
  },
  "/authorized/denied": {
    status: 200,
    draw: (pages) => pages.callback(failure),
  },
  "/authorized/empty": {
    status: 200,
    draw: (pages) => pages.callback({ ...success, outcome: { kind: "failure" }, response: [], checks: [] }),
  },
  "/authorized/try": { status: 200, draw: () => renderPage(StepPage, exchanged) },
  "/authorized/try/replay": { status: 200, draw: () => renderPage(StepPage, replayed) },
  "/authorized/try/distrusted": { status: 200, draw: () => renderPage(StepPage, distrusted) },
  "/authorized/try/lost": { status: 200, draw: () => renderPage(StepPage, dropped) },
  "/authorized/try/hostile": {
    status: 200,
    draw: () => renderPage(StepPage, hostileStep(hostileText.slice(-80))),
  },
  "/rejected": { status: 400, draw: (pages) => pages.error(rejected) },
  "/rejected/near": {
    status: 400,
    draw: (pages) =>
      pages.error({
        ...rejected,
        rule: "RU-01",
        cites: ["OAuth 2.1 §4.1.1", "RFC 9700 §4.1.3", "RFC 3986 §6.2.1"],
        expected: `https://shop.example/oauth/callback or ${issuer}/authorized`,
      }),
  },
  "/rejected/hostile": {
    status: 400,
    draw: (pages) =>
      pages.error({
        ...rejected,
        expected: hostileText,
        received: `${hostileText}!`,
        message: hostileText,
        suggestion: { text: `${hostileText}?` },
        change: { label: `Register ${hostileText}`, path: "/clients" },
      }),
  },
  "/missing": {
    status: 404,
    draw: (pages) =>
      pages.error({
        ...site,
        status: 404,
        message: "There is no page at this address.",
        fix: "Look at the list of endpoints on the home page.",
      }),
  },
  "/device": {
    status: 200,
    draw: (pages) => pages.device({ ...site, codeForm: { action: "/device", fields: [], userCode: "" } }),
  },
  "/device/wrong": {
    status: 400,
    draw: (pages) =>
      pages.device({
        ...site,
        codeForm: { action: "/device", fields: [], userCode: hostileText, error: "This code is wrong." },
      }),
  },
  "/device/confirm": {
    status: 200,
    draw: (pages) =>
      pages.device({
        ...site,
        confirmation: { action: "/device", fields: [], client: consent.client, scope: ["openid", "read"], device },
      }),
  },
  "/device/connected": { status: 200, draw: (pages) => pages.device({ ...site, result: "approved" }) },
  "/backchannel": {
    status: 200,
    draw: (pages) =>
      pages.backchannel({
        ...site,
        requests: [{
          client: consent.client,
          scope: ["openid", "read"],
          facts: { ...device, userCode: undefined, message: "Payment 42" },
          href: "/backchannel?request_id=x",
        }],
      }),
  },
  "/backchannel/empty": { status: 200, draw: (pages) => pages.backchannel({ ...site, requests: [] }) },
  "/backchannel/no-session": { status: 200, draw: (pages) => pages.backchannel(site) },
  "/backchannel/allowed": { status: 200, draw: (pages) => pages.backchannel({ ...site, result: "approved" }) },
  "/consent/device": {
    status: 200,
    draw: (pages) => pages.consent({ ...consent, redirectUri: undefined, device, remembered: "code" }),
  },
  "/login": { status: 200, draw: (pages) => pages.login(login) },
  "/login/wrong": {
    status: 403,
    draw: (pages) =>
      pages.login({
        ...login,
        accounts: [],
        guestForm: undefined,
        retry: { part: "password", fault: "The name or the password is wrong." },
      }),
  },
  "/login/new": {
    status: 400,
    draw: (pages) =>
      pages.login({
        ...login,
        accounts: login.accounts.slice(0, 2),
        passwordForm: undefined,
        guestForm: { subject: "dave", name: "Dave", claims: "{" },
        isReauthentication: true,
        requiredAcr: ["urn:example:mfa", "urn:example:key"],
        retry: { part: "new", fault: `The claims must be a JSON object, such as {"name": "Carol"}.` },
      }),
  },
  "/login/hostile": {
    status: 200,
    draw: (pages) =>
      pages.login({
        ...login,
        client: { id: hostileText, name: hostileText },
        fields: [[hostileText, hostileText]],
        accounts: [{ sub: hostileText, name: hostileText, email: hostileText, current: true }],
        passwordForm: { sub: hostileText },
        guestForm: { subject: hostileText, name: hostileText, claims: hostileText },
        retry: { part: "new", fault: hostileText },
      }),
  },
  "/consent": { status: 200, draw: (pages) => pages.consent(consent) },
  "/consent/site": {
    status: 200,
    draw: (pages) =>
      pages.consent({
        ...consent,
        client: { id: "web", confidential: true },
        user: { sub: "248289761001" },
        redirectUri: "https://shop.example/oauth/callback",
        claims: ["birthdate", "phone_number", "locale"],
        resources: ["https://api.shop.example"],
        redirectsToDevice: false,
        remembered: 30 * 24 * 3600,
      }),
  },
  "/consent/hostile": {
    status: 200,
    draw: (pages) =>
      pages.consent({
        ...consent,
        client: { id: hostileText, name: hostileText, confidential: false },
        user: { sub: hostileText, name: hostileText, email: hostileText },
        fields: [[hostileText, hostileText]],
        redirectUri: `com.example.app:/${encodeURIComponent(hostileText)}`,
        scope: [{
          value: hostileText.replaceAll(" ", ""),
          required: false,
          previouslyAllowed: true,
          claims: [hostileText],
        }],
        claims: [hostileText],
        resources: [hostileText],
      }),
  },
  "/account": { status: 200, draw: (pages) => pages.account(account) },
  "/account/empty": {
    status: 200,
    draw: (pages) => pages.account({ ...site, account: { ...account.account!, consents: [] } }),
  },
  "/account/unknown": { status: 200, draw: (pages) => pages.account(site) },
  "/logout": { status: 200, draw: (pages) => pages.logout(logout) },
  "/logout/bare": {
    status: 200,
    draw: (pages) => pages.logout({ ...logout, user: { sub: "bob" }, client: undefined }),
  },
  "/logout/hostile": {
    status: 200,
    draw: (pages) =>
      pages.logout({
        ...logout,
        user: { sub: hostileText, name: hostileText },
        client: hostileText,
        fields: [[hostileText, hostileText]],
      }),
  },
  "/logging-out": {
    status: 200,
    draw: (pages) =>
      pages.loggingOut({
        ...site,
        frames: [{ client: "Shop", src: "about:blank#1" }, { client: "wiki", src: "about:blank#2" }],
        timeoutMs: 5000,
      }),
  },
  "/logged-out": { status: 200, draw: (pages) => pages.loggedOut(site) },
  "/form-post": { status: 200, leaves: true, draw: (pages) => pages.formPost(formPost) },
  "/form-post/hostile": {
    status: 200,
    leaves: true,
    draw: (pages) =>
      pages.formPost({
        ...formPost,
        action: `https://app.example/${encodeURIComponent(hostileText)}`,
        client: hostileText,
        fields: [["state", hostileText]],
      }),
  },
};
