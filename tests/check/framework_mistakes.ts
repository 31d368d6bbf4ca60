/** Mistakes of real clients and frameworks: copies of correct clients with one small change each. */

import { createLocalJWKSet, importJWK, importX509 } from "jose";
import type { TestClientOptions } from "../../src/testing/clients.ts";
import { escapeHtml, type PageDecisions } from "./broken_applications.ts";
import type { Decisions, Login } from "./decisions.ts";
import type { DeviceMistake } from "./device_client.ts";
import type { Http } from "./http_styles.ts";
import type { ResourceMistake } from "./resource_client.ts";
import { randomText } from "./small_crypto.ts";
import type { Style } from "./style.ts";

/** A client with a mistake. One member says which client it is, and what it does in another way. */
export interface FrameworkMistake {
  readonly name: string;
  /** The attack that finds it; `practice/…`: a practice, `ability/…`: what fails without an attack. */
  readonly foundBy: string;
  /** Of the small client; a function for a change that remembers something. */
  readonly change?: () => Partial<Decisions>;
  /** How the small client is registered. Default: as it is. */
  readonly client?: TestClientOptions;
  /** Of the small web application; a function for a change that remembers something. */
  readonly pages?: () => Partial<PageDecisions>;
  readonly device?: DeviceMistake;
  readonly resource?: ResourceMistake;
  /** Of the styled client: with the mistake, and without it. */
  readonly styles?: readonly [mistaken: Style, correct: Style];
}

const withoutSlash = (url: unknown) => String(url).replace(/\/+$/, "");

/** Values that a text names, in the order of the requests. */
function counter(): () => string {
  let count = 1000;
  return () => `${++count}`;
}

/** Rejects a response whose media type is written in another way. */
const comparesType: Http = (fetch) => async (url, init) => {
  const response = await fetch(url, init);
  const type = response.headers.get("content-type");
  if (response.ok && response.body !== null && type !== "application/json") throw new Error(`content type ${type}`);
  return response;
};

/** Returns the first failure of the keys for ever. */
const remembersFailure = (): Http => {
  const failures = new Map<string, Response>();
  return (fetch, { issuer }) => async (url, init) => {
    const address = String(url);
    if (!address.endsWith("jwks")) return await fetch(url, init);
    const failed = failures.get(issuer);
    if (failed !== undefined) return failed.clone();
    const response = await fetch(url, init);
    if (!response.ok) failures.set(issuer, response.clone());
    return response;
  };
};

/** Sends no request any more after a scope that it cannot read. */
const locksItself = (): Http => {
  const locked = new Set<string>();
  return (fetch, { issuer }) => async (url, init) => {
    if (locked.has(issuer)) throw new Error("locked");
    const response = await fetch(url, init);
    const { scope = "" } = Object(await response.clone().json().catch(() => undefined));
    if (typeof scope !== "string") locked.add(issuer);
    return response;
  };
};

/** Sends the secret with each request, as an HTTP client with default credentials does. */
const sendsSecretEverywhere: Http = (fetch, { client }) => (url, init) => {
  const headers = new Headers(init?.headers);
  if (!headers.has("authorization")) {
    headers.set("authorization", `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}`);
  }
  return fetch(url, { ...init, headers });
};

/** Copies the members of an object into another one, deeply. */
const merge = (target: Record<string, unknown>, source: Readonly<Record<string, unknown>>) => {
  for (const [name, value] of Object.entries(source)) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) target[name] = value;
    else merge((target[name] ??= {}) as Record<string, unknown>, value as Record<string, unknown>);
  }
  return target;
};

function sharedMerge(): Decisions["mergeClaims"] {
  const defaults: Record<string, unknown> = {};
  return (idToken, info) => {
    const user = Object.create(defaults) as Record<string, unknown>;
    Object.defineProperty(user, "__proto__", { value: defaults, writable: true, enumerable: false });
    merge(merge(user, info), idToken);
    return { ...defaults, ...user };
  };
}

const assertions: Style = { authentication: "private_key_jwt", par: true };

const basic: TestClientOptions = { token_endpoint_auth_method: "client_secret_basic" };

/** Every mistake. */
export const frameworkMistakes: readonly FrameworkMistake[] = [
  // Keys and tokens.
  {
    name: "trusts the key in jwk of a token",
    foundBy: "id-token/header-jwk",
    change: () => ({ keyOf: ({ jwk, alg }) => jwk && importJWK(jwk as never, `${alg}`) }),
  },
  {
    name: "trusts the certificate in x5c of a token",
    foundBy: "id-token/header-jwk",
    change: () => ({
      keyOf: ({ x5c, alg }) =>
        Array.isArray(x5c)
          ? importX509(`-----BEGIN CERTIFICATE-----\n${x5c[0]}\n-----END CERTIFICATE-----`, `${alg}`)
          : undefined,
    }),
  },
  {
    name: "trusts the keys at jku of a token",
    foundBy: "id-token/header-jwk",
    change: () => ({
      keyOf: async (header, fetchKeys) =>
        header.jku === undefined
          ? undefined
          : await createLocalJWKSet(await fetchKeys(String(header.jku)) as never)(header as never),
    }),
  },
  {
    name: "accepts HS256 with an empty key",
    foundBy: "id-token/alg-hmac-public-key",
    change: () => ({ keyOf: ({ alg }) => alg === "HS256" ? new Uint8Array(1) : undefined }),
  },
  {
    name: "decodes claims as Latin-1",
    foundBy: "id-token/claims-utf8",
    change: () => ({
      readClaims: (token) => JSON.parse(atob(token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/"))),
    }),
  },
  {
    name: "merges claims into prototypes",
    foundBy: "userinfo/prototype",
    change: () => ({ mergeClaims: sharedMerge() }),
  },
  {
    name: "drops the keys that it has before it fetches others",
    foundBy: "keys/lost-by-failure",
    change: () => ({ keepsKeys: false }),
  },
  {
    name: "keeps metadata before it verifies them",
    foundBy: "metadata/rejected-kept",
    change: () => ({ keepsAnyMetadata: true }),
  },
  {
    name: "takes exp for milliseconds",
    foundBy: "id-token/exp-past",
    change: () => ({ isCurrent: (exp, now) => Number(exp) * 1000 > now }),
  },
  {
    name: "has a day of tolerance",
    foundBy: "id-token/exp-past",
    styles: [{ tolerance: 86_400 }, { tolerance: 60 }],
  },
  {
    name: "remembers that the keys could not be fetched",
    foundBy: "transport/unavailable",
    change: () => ({ http: remembersFailure() }),
  },
  {
    name: "locks itself after a scope of another type",
    foundBy: "token/members",
    change: () => ({ http: locksItself() }),
  },
  { name: "compares Content-Type as text", foundBy: "transport/media-type", change: () => ({ http: comparesType }) },
  {
    name: "ignores the slash at the end of issuers",
    foundBy: "response/iss-wrong",
    change: () => ({ isIssuer: (received, expected) => withoutSlash(received) === withoutSlash(expected) }),
  },
  {
    name: "ignores the slash at the end of issuers of ID tokens and logout tokens",
    foundBy: "id-token/iss-wrong",
    change: () => ({
      isIssuer: (received, expected, place) =>
        received === expected ||
        ["ID token", "logout"].includes(place) && withoutSlash(received) === withoutSlash(expected),
    }),
  },
  // The values of a login.
  {
    name: "has one place for the login that waits, for all browsers",
    foundBy: "session/logins-shared",
    change: () => ({ sharesPendings: true }),
  },
  {
    name: "accepts the nonce of any login",
    foundBy: "id-token/replayed",
    change: () => {
      const nonces = new Set<unknown>();
      return {
        newValue(what) {
          const value = randomText();
          if (what === "nonce") nonces.add(value);
          return value;
        },
        isNonce: (received) => nonces.has(received),
      };
    },
  },
  {
    name: "counts its states",
    foundBy: "practice/state-random",
    change: () => {
      const next = counter();
      return { newValue: (what) => what === "state" ? next() : randomText() };
    },
  },
  {
    name: "has nonces of the clock",
    foundBy: "practice/nonce-fresh",
    change: () => {
      const next = counter();
      return { newValue: (what) => what === "nonce" ? next() : randomText() };
    },
  },
  {
    name: "sends the verifier as state",
    foundBy: "practice/pkce-random",
    change: () => ({ newValue: (what, state) => what === "verifier" ? state : randomText() }),
  },
  {
    name: "sends the code to the issuer of the newest login",
    foundBy: "response/other-toolkit",
    change: () => ({ exchangesAtNewest: true }),
  },
  {
    name: "sends the code to the issuer that the response names",
    foundBy: "response/request-forgery",
    change: () => ({ exchangesAtNamed: true }),
  },
  {
    name: "sends the code verifier of the newest login",
    foundBy: "response/swapped",
    change: () => ({ sendsNewestVerifier: true }),
  },
  {
    name: "lets any browser end the login of another",
    foundBy: "response/state-of-another-browser",
    change: () => ({ endsAnywhere: true }),
  },
  {
    name: "keeps keys for ever",
    foundBy: "keys/kept-for-ever",
    change: () => ({ keySeconds: Infinity }),
  },
  {
    name: "signs assertions for the token endpoint of any metadata",
    foundBy: "metadata/audience-injection",
    styles: [{ ...assertions, assertionFor: "token endpoint" }, assertions],
  },
  {
    name: "sends its secret in the authorization request",
    foundBy: "practice/secrets-not-in-urls",
    change: () => ({ parameters: ({ client_secret }) => ({ client_secret: String(client_secret) }) }),
    client: basic,
  },
  {
    name: "sends its secret with every request",
    foundBy: "metadata/keys-elsewhere",
    change: () => ({ http: sendsSecretEverywhere }),
    client: basic,
  },
  // Sessions.
  {
    name: "keeps the expiry of the first tokens",
    foundBy: "refresh/expiry-kept",
    change: () => ({ expiryAfterRefresh: (_, before) => before }),
  },
  {
    name: "keeps a dead refresh token",
    foundBy: "refresh/dead-token-kept",
    change: () => ({ keepsDeadRefreshToken: true }),
  },
  {
    name: "keeps the old refresh token when it receives a new one",
    foundBy: "refresh/id-token-absent",
    change: () => ({ keepsFirstRefreshToken: true }),
  },
  {
    name: "demands the nonce at a refresh",
    foundBy: "ability/refresh",
    change: () => ({ demandsNonceAtRefresh: true }),
  },
  {
    name: "lets all users wait for one refresh",
    foundBy: "session/refreshes-shared",
    change: () => ({ sharesRefreshes: true }),
  },
  {
    name: "refreshes in the background, and catches no error",
    foundBy: "refresh/concurrent",
    change: () => ({ refreshesInBackground: true }),
  },
  {
    name: "replaces the tokens of a session before it verifies the ID token",
    foundBy: "session/tokens-of-rejected-login",
    change: () => ({ storesTokensEarly: true }),
  },
  {
    name: "does not compare aud at a refresh",
    foundBy: "refresh/id-token-other",
    change: () => ({ isAudience: (aud, clientId, _, situation) => situation?.isRefresh || aud === clientId }),
  },
  // Users.
  {
    name: "cuts sub after 64 characters",
    foundBy: "id-token/sub-near",
    change: () => ({ userKey: ({ sub }) => String(sub).slice(0, 64) }),
  },
  {
    name: "knows users by an email that is verified, whatever email_verified is",
    foundBy: "id-token/user-similar",
    change: () => ({ userKey: ({ sub, email, email_verified }) => email_verified ? email : sub }),
  },
  {
    name: "reads sub as a number",
    foundBy: "id-token/sub-near",
    change: () => ({ userKey: ({ sub }) => Number.parseFloat(String(sub)) || sub }),
  },
  // Logout.
  {
    name: "accepts a front-channel logout without iss and sid",
    foundBy: "logout/front-channel-foreign",
    change: () => ({
      isFrontChannelMeant: (login, iss, sid, issuer) =>
        (iss === null || iss === issuer) && (sid === null || sid === login?.sid),
    }),
  },
  {
    name: "accepts logout tokens, and ends no session",
    foundBy: "ability/backChannelLogout",
    change: () => ({ isMeant: () => false }),
  },
  {
    name: "ends the session with the sid of any issuer",
    foundBy: "logout/back-channel-other-issuer",
    change: () => ({
      isMeant: (login: Login, { sub, sid }, issuer) =>
        sid === undefined ? login.issuer === issuer && login.sub === sub : login.sid === sid,
    }),
  },
  {
    name: "ends only the newest session of a user",
    foundBy: "logout/back-channel-all",
    change: () => ({ ended: (logins) => logins.slice(-1) }),
  },
  // Pages.
  {
    name: "decodes return_to twice",
    foundBy: "session/return-target",
    pages: () => ({
      target: ({ url }) => {
        const target = new URL(url).searchParams.get("return_to");
        return target !== null && /^\/(?![/\\])/.test(target) ? decodeURIComponent(target) : null;
      },
      isOwnTarget: () => true,
    }),
  },
  {
    name: "accepts control characters in return_to",
    foundBy: "session/return-target",
    pages: () => ({ isOwnTarget: (target) => /^\/(?![/\\])/.test(target) }),
  },
  {
    name: "returns to Referer",
    foundBy: "session/return-target",
    pages: () => ({
      target: ({ url, headers }) => new URL(url).searchParams.get("return_to") ?? (headers.get("referer") || null),
      isOwnTarget: (target) => !/^\w+:/.test(target) ? target.startsWith("/") : true,
    }),
  },
  {
    name: "builds the landing URL of the forwarded host",
    foundBy: "session/forwarded-host",
    pages: () => ({
      landing: (_, { headers, url }) => `https://${headers.get("x-forwarded-host") ?? new URL(url).host}/`,
    }),
  },
  {
    name: "compares the end of the host of return_to",
    foundBy: "session/return-target",
    pages: () => ({
      isOwnTarget: (target, origin) =>
        URL.canParse(target, origin) && new URL(target, origin).host.endsWith(new URL(origin).host),
    }),
  },
  {
    name: "writes the name of a user into a script",
    foundBy: "session/markup",
    pages: () => ({
      show: (text, what) =>
        what === "name" ? `<script>const name = "${text.replaceAll('"', '\\"')}"</script>` : escapeHtml(text),
    }),
  },
  {
    name: "returns to any next",
    foundBy: "session/return-target",
    pages: () => ({ target: ({ url }) => new URL(url).searchParams.get("next"), isOwnTarget: () => true }),
  },
  {
    name: "returns to the address in state, and compares the random part",
    foundBy: "response/state-wrong",
    pages: () => ({
      state: (random) => `${random}~/`,
      isState: (received, expected) => received?.split("~")[0] === expected.split("~")[0],
      landing: (_, { url }) => new URL(url).searchParams.get("state")!.split("~")[1]!,
    }),
  },
  {
    name: "writes the access token into the page",
    foundBy: "session/token-in-page",
    pages: () => ({
      page: ({ access_token }) => `<script>window.token = "${access_token}"</script>`,
    }),
  },
  {
    name: "keeps the access token in a cookie that scripts read",
    foundBy: "session/token-in-cookie",
    pages: () => ({
      cookies: ({ access_token }) => [`token=${access_token}; Path=/; Secure; SameSite=Lax`],
    }),
  },
  {
    name: "counts its sessions",
    foundBy: "session/id-predictable",
    pages: () => {
      const next = counter();
      return { sessionId: next };
    },
  },
  {
    name: "takes session ids from the clock",
    foundBy: "session/id-predictable",
    pages: () => {
      let last = Date.now();
      return { sessionId: () => (last = Math.max(last + 1, Date.now())).toString(16) };
    },
  },
  {
    name: "ends the login at the URL with the code",
    foundBy: "session/code-in-url",
    pages: () => ({ endsAtCallback: true }),
  },
  // Other clients.
  {
    name: "does not verify the ID token of a device",
    foundBy: "device/id-token-forged",
    device: "does not verify the ID token",
  },
  {
    name: "compares a resource by its beginning",
    foundBy: "resource/metadata-near",
    resource: "compares the resource by its beginning",
  },
  {
    name: "compares the origin of a resource",
    foundBy: "resource/metadata-near",
    resource: "compares the origin of the resource",
  },
  {
    name: "does not look for PKCE in the metadata (MCP)",
    foundBy: "resource/pkce-unsupported",
    resource: "does not look for PKCE",
  },
  {
    name: "names no resource in the token request (MCP)",
    foundBy: "practice/resource-stated",
    resource: "sends no resource in the token request",
  },
];
