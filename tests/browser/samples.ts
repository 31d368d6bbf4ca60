/** Pages to look at: ordinary ones and their extremes, by the path they are served under. */

import type {
  AuthorizedProps,
  FormPostProps,
  HomeProps,
  LogoutProps,
  Pages,
  RefusedProps,
  Site,
} from "../../src/endpoints/pages.ts";

const issuer = "http://localhost:9000";
const site: Site = { issuer, base: "" };

const startLinks = [
  { clientId: "demo-public", confidential: false, href: "/authorize-public" },
  { clientId: "demo-confidential", confidential: true, href: "/authorize-confidential" },
];

/** A server with two demo clients. */
export const home: HomeProps = {
  ...site,
  startLinks,
  clients: [
    {
      id: "demo-public",
      name: "Demo, public",
      authMethod: "none",
      redirectUris: [`${issuer}/authorized`],
      scope: ["openid", "profile", "email", "read", "write", "offline_access"],
    },
    {
      id: "demo-confidential",
      authMethod: "client_secret_basic",
      redirectUris: [`${issuer}/authorized`, "https://app.example/oauth/callback/with/a/rather/long/path"],
      scope: ["openid", "read"],
    },
  ],
  users: [{ sub: "alice", name: "Alice Adams" }, { sub: "bob" }],
  endpoints: [
    { name: "openid-configuration", url: `${issuer}/.well-known/openid-configuration` },
    { name: "authorization_endpoint", url: `${issuer}/oauth2/authorize` },
    { name: "token_endpoint", url: `${issuer}/oauth2/token` },
    { name: "jwks_uri", url: `${issuer}/oauth2/jwks` },
  ],
  scopes: ["openid", "profile", "email", "read", "write", "offline_access"],
};

const code = "kq3Vd9yN0nA7rT1xG5hJ2mPzQe8WcLbUfIoYsD4aX6E";
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

/** A code for the first demo client, whose verifier is known. */
export const success: AuthorizedProps = {
  ...site,
  outcome: { kind: "success", code, state: "af0ifjsldkj" },
  notes: [],
  examples: [
    {
      kind: "public",
      clientId: "demo-public",
      command: [
        `curl ${issuer}/oauth2/token`,
        "-d grant_type=authorization_code",
        "-d client_id=demo-public",
        `-d code=${code}`,
        "-d redirect_uri=http%3A%2F%2Flocalhost%3A9000%2Fauthorized",
        `-d code_verifier=${verifier}`,
      ].join(" \\\n  "),
      fits: true,
      used: false,
      verifier: "known",
    },
    {
      kind: "confidential",
      clientId: "demo-confidential",
      command: [
        `curl ${issuer}/oauth2/token`,
        "-u demo-confidential:demo-secret",
        "-d grant_type=authorization_code",
        `-d code=${code}`,
        "-d redirect_uri=http%3A%2F%2Flocalhost%3A9000%2Fauthorized",
        "-d code_verifier=YOUR_CODE_VERIFIER",
      ].join(" \\\n  "),
      fits: false,
      used: false,
      verifier: "placeholder",
    },
  ],
  tokenEndpoint: `${issuer}/oauth2/token`,
  codeLifetime: 300,
  startLinks,
};

const long = `${"x".repeat(300)}-${"<b onclick=alert(1)>".repeat(8)}`;

/** A redirect URI off by one letter. */
export const refused: RefusedProps = {
  ...site,
  status: 400,
  error: "invalid_request",
  sentence: "The redirect_uri is not one that this client registered.",
  rule: "RU-02",
  expected: `${issuer}/authorized`,
  received: `${issuer}/authorised`,
  mend: "Send one of the registered redirect URIs, character by character, or register this one.",
};

/** An answer that was no. */
export const failure: AuthorizedProps = {
  ...success,
  outcome: { kind: "failure", error: "access_denied", description: "Alice said no to this client [AZ-20]" },
};

/** A client sent the browser here to log out. */
export const logout: LogoutProps = {
  ...site,
  user: { sub: "alice", name: "Alice Adams" },
  client: "Demo, public",
  fields: [
    ["confirm", "w3Zq5m0Rt8uXo1vYk2cJp7sNf4hLd9aGb6eTiWnQxMU"],
    ["post_logout_redirect_uri", "https://app.example/goodbye?from=as&lang=en"],
    ["state", "af0ifjsldkj"],
  ],
};

/** A code on its way to a client. */
export const formPost: FormPostProps = {
  ...site,
  action: "https://app.example/callback?tenant=1&area=east",
  client: "Demo, public",
  fields: [["code", code], ["state", "af0ifjsldkj"], ["iss", issuer]],
};

/** A page, as a function of who draws it. */
export interface Sample {
  readonly status: number;
  /** True: its script leads away from it at once. */
  readonly leaves?: boolean;
  draw(pages: Pages): string;
}

/** By the path they are served under. */
export const samples: Readonly<Record<string, Sample>> = {
  "/": { status: 200, draw: (pages) => pages.home(home) },
  "/bare": {
    status: 200,
    draw: (pages) => pages.home({ ...home, startLinks: [], clients: [], users: [], scopes: ["read"] }),
  },
  "/authorized": { status: 200, draw: (pages) => pages.authorized(success) },
  "/authorized/hostile": {
    status: 200,
    draw: (pages) =>
      pages.authorized({
        ...success,
        outcome: { kind: "success", code: long, state: long },
        notes: ["The code was longer than 300 characters and is shown shortened.", `The state held ${long}.`],
        examples: success.examples.map((example) => ({ ...example, command: long, fits: undefined, verifier: "none" })),
      }),
  },
  "/authorized/denied": {
    status: 200,
    draw: (pages) => pages.authorized(failure),
  },
  "/authorized/empty": {
    status: 200,
    draw: (pages) => pages.authorized({ ...success, outcome: { kind: "failure" } }),
  },
  "/refused": { status: 400, draw: (pages) => pages.refused(refused) },
  "/refused/hostile": {
    status: 400,
    draw: (pages) => pages.refused({ ...refused, expected: long, received: `${long}!`, sentence: long }),
  },
  "/missing": {
    status: 404,
    draw: (pages) =>
      pages.refused({
        ...site,
        status: 404,
        sentence: "There is no page at this address.",
        mend: "Look at the list of endpoints on the home page.",
      }),
  },
  "/logout": { status: 200, draw: (pages) => pages.logout(logout) },
  "/logout/bare": {
    status: 200,
    draw: (pages) => pages.logout({ ...logout, user: { sub: "bob" }, client: undefined }),
  },
  "/logout/hostile": {
    status: 200,
    draw: (pages) => pages.logout({ ...logout, user: { sub: long, name: long }, client: long, fields: [[long, long]] }),
  },
  "/logged-out": { status: 200, draw: (pages) => pages.loggedOut(site) },
  "/form-post": { status: 200, leaves: true, draw: (pages) => pages.formPost(formPost) },
  "/form-post/hostile": {
    status: 200,
    leaves: true,
    draw: (pages) =>
      pages.formPost({
        ...formPost,
        action: `https://app.example/${encodeURIComponent(long)}`,
        client: long,
        fields: [["state", long]],
      }),
  },
};
