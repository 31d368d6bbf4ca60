/** The page `/authorized` at the end of a real flow, and its steps: ordinary ones and their extremes. */

import type { CallbackProps } from "../../src/server/pages/authorized_page.tsx";
import type { ResponseCheck } from "../../src/server/pages/checks.tsx";
import type { HttpExchange } from "../../src/server/pages/http_exchange.tsx";
import { nextSteps, type StepProps } from "../../src/devtools/authorized/pages/step_page.tsx";

const issuer = "http://localhost:9000";
const now = Date.UTC(2026, 0, 1);
const code = "kq3Vd9yN0nA7rT1xG5hJ2mPzQe8WcLbUfIoYsD4aX6E";
const state = "SbcPCKKNUCUnaMM_jmJrkgYJ1gWCcYYt0Ysof4VMfvCw";
const nonce = "iTlnUgUxw4Zv9ntFMl4GQb";
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const kid = "7j4ZExhbaEF3zmwqFBp9A2CJjkKgFlbHXUBKPwkLvZU";
const refreshToken = "Zr6yM0Rt8uXo1vYk2cJp7sNf4hLd9aGb6eTiWnQxMUa";

function jwt(header: Record<string, unknown>, claims: Record<string, unknown>): string {
  const part = (value: unknown) =>
    btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value)))).replaceAll("+", "-").replaceAll(
      "/",
      "_",
    ).replaceAll("=", "");
  return `${part({ alg: "RS256", kid, ...header })}.${part(claims)}.${"Xk3-".repeat(86).slice(0, 342)}`;
}

const seconds = now / 1000;
const common = {
  iss: issuer,
  sub: "alice",
  iat: seconds,
  exp: seconds + 3600,
  auth_time: seconds - 90,
  sid: "KV2BYRE",
};
const idToken = jwt({ typ: "JWT" }, { ...common, aud: "demo-public", nonce, at_hash: "9mwCnSKIoR0vvhN7mll-1A" });
const accessToken = jwt({ typ: "at+jwt" }, {
  ...common,
  aud: issuer,
  client_id: "demo-public",
  scope: "openid profile read",
  jti: "mS_wShR5Li4hARQqZO9Dbg.uWZfsbv231wqhk6CZdIDag",
});

const checks: ResponseCheck[] = [
  { name: "state", passed: true, expected: state, received: state },
  { name: "response_iss", passed: true, expected: issuer, received: issuer },
];

/** What led to the page, in a flow that the browser began at `/start`. */
export const roundTrip: Pick<CallbackProps, "request" | "response" | "checks"> = {
  request: [
    ["response_type", "code"],
    ["client_id", "demo-public"],
    ["redirect_uri", `${issuer}/authorized`],
    ["scope", "openid profile read"],
    ["state", state],
    ["nonce", nonce],
    ["code_challenge", challenge],
    ["code_challenge_method", "S256"],
  ],
  response: [["code", code], ["state", state], ["iss", issuer]],
  checks: [...checks, { name: "pkce", passed: true, expected: challenge, received: challenge }],
};

const tokenRequest = {
  startLine: "POST /oauth2/token HTTP/1.1",
  headers: [
    ["Host", "localhost:9000"],
    ["Content-Type", "application/x-www-form-urlencoded"],
    ["Content-Length", "216"],
  ],
  body: `grant_type=authorization_code&code=${code}&redirect_uri=http%3A%2F%2Flocalhost%3A9000%2Fauthorized&` +
    `code_verifier=${verifier}&client_id=demo-public`,
} as const;

const secrets = [{ name: "code verifier", value: verifier }];

const landing = [
  ["form_token", challenge],
  ["client_id", "demo-public"],
  ["code", code],
  ["state", state],
  ["iss", issuer],
  ["pkce", "S256"],
] as const;

const startLinks = [
  { clientId: "demo-public", confidential: false, href: "/start?client_id=demo-public" },
  { clientId: "demo-confidential", confidential: true, href: "/start?client_id=demo-confidential" },
];

/** What can be sent from there, under the path of the issuer. */
export function nextUnder(base: string): NonNullable<CallbackProps["next"]> {
  return nextSteps({
    base,
    authorized: "done",
    isCodeUsed: false,
    proposal: {
      request: tokenRequest,
      secrets,
      secretsShown: false,
      form: { fields: landing, main: "exchange", others: [], grantRevoked: false, startLinks },
      editable: [["redirect_uri", `${issuer}/authorized`], ["code_verifier", verifier]],
    },
  });
}

function response(status: string, body: unknown): HttpExchange["response"] {
  return {
    startLine: `HTTP/1.1 ${status}`,
    headers: [
      ["Cache-Control", "no-store"],
      ["Content-Type", "application/json"],
      ["X-Content-Type-Options", "nosniff"],
    ],
    body: JSON.stringify(body),
  };
}

/** Code exchanged, after an edited request. */
export const exchanged: StepProps = {
  logoutHref: "/oauth2/logout?client_id=demo-public",
  issuer,
  base: "",
  step: "exchange",
  outcome: "done",
  exchanges: [{
    step: "exchange",
    request: tokenRequest,
    response: response("200 OK", {
      access_token: accessToken,
      token_type: "Bearer",
      expires_in: 3600,
      scope: "openid profile read",
      refresh_token: refreshToken,
      id_token: idToken,
    }),
    secrets: [
      ...secrets,
      { name: "access token", value: accessToken },
      { name: "refresh token", value: refreshToken },
      { name: "ID token", value: idToken },
    ],
  }],
  secretsShown: false,
  checks: roundTrip.checks,
  tokenChecks: [
    ["The signature was made with a key of this server", `alg RS256, kid ${kid}`],
    ["iss is the issuer, character for character", issuer],
    ["aud names the client", "demo-public"],
    ["nonce equals the nonce of the authorization request", nonce],
    ["at_hash matches the access token", "9mwCnSKIoR0vvhN7mll-1A"],
  ].map(([title, value]) => ({
    ...{ title: title!, cites: ["OpenID Connect Core §3.1.3.7"], passed: true, expected: value, received: value },
  })),
  tokens: [{ name: "ID token", token: idToken }, { name: "Access token", token: accessToken }],
  now,
  past: [{ step: "edit", done: false }, { step: "exchange", done: true }],
  isCodeUsed: true,
  form: {
    fields: [...landing, ["access_token", accessToken], ["refresh_token", refreshToken]],
    main: "userinfo",
    others: ["introspect", "refresh", "replay", "revoke"],
    grantRevoked: false,
    startLinks,
  },
  editable: [],
};

const userinfoRequest = {
  startLine: "GET /oauth2/userinfo HTTP/1.1",
  headers: [["Host", "localhost:9000"], ["Authorization", `Bearer ${accessToken}`]],
} as const;

/** The code came twice, and the access token ended with it. */
export const replayed: StepProps = {
  ...exchanged,
  step: "replay",
  outcome: "rejected",
  exchanges: [
    {
      step: "replay",
      request: tokenRequest,
      response: response("400 Bad Request", {
        error: "invalid_grant",
        error_description: "code is unknown, expired, used, or was issued to another client [TK-16]",
      }),
      secrets,
    },
    {
      step: "userinfo",
      request: userinfoRequest,
      response: response("401 Unauthorized", { error: "invalid_token" }),
      secrets: [{ name: "access token", value: accessToken }],
    },
  ],
  checks: [],
  tokenChecks: [],
  tokens: [],
  reason: "authorization code used twice [CI-06]",
  fix: "Exchange each code once.",
  past: [...exchanged.past, { step: "replay", done: false }],
  form: { ...exchanged.form, main: "revoke", others: ["userinfo", "introspect", "refresh"], grantRevoked: true },
};

/** A server that gets everything wrong, and a client with a secret of its own. */
export const distrusted: StepProps = {
  ...exchanged,
  checks: exchanged.checks.map(({ name, expected }) => ({
    name,
    passed: false,
    expected,
    received: `${expected}-other`,
  })),
  tokenChecks: exchanged.tokenChecks.map((check) => ({
    ...check,
    passed: false,
    received: `${check.expected}-other`,
  })),
  tokens: [{ name: "ID token", token: idToken }, { name: "Access token", token: refreshToken }],
  form: { ...exchanged.form, needsSecretOf: "web" },
};

/** No response. */
export const dropped: StepProps = {
  ...exchanged,
  outcome: "dropped",
  exchanges: exchanged.exchanges.map(({ step, request }) => ({ step, request, secrets })),
  checks: [],
  tokenChecks: [],
  tokens: [],
  past: [],
  isCodeUsed: false,
  form: { ...exchanged.form, fields: landing, main: "exchange", others: [] },
  editable: [["redirect_uri", `${issuer}/authorized`], ["code_verifier", verifier]],
};

/** The same value in every request and response that could contain one. */
export function hostileStep(value: string): StepProps {
  const message = { startLine: value, headers: [[value, value]], body: value } as const;
  return {
    ...exchanged,
    exchanges: [{
      step: "exchange",
      request: message,
      response: message,
      secrets: [{ name: value, value: value.slice(1) }],
    }],
    checks: exchanged.checks.map(({ name }) => ({ name, passed: false, expected: value, received: `${value}!` })),
    tokenChecks: [{ title: "sub", cites: [], note: value, passed: false, expected: value, received: `${value}!` }],
    tokens: [{ name: "Access token", token: value }, {
      name: "ID token",
      token: jwt({ x: 1 }, { iss: value, exp: value }),
    }],
    reason: value,
    fix: value,
    form: { ...exchanged.form, fields: [["code", value]], needsSecretOf: value },
    editable: [["redirect_uri", value]],
  };
}
