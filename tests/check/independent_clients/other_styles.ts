/** Correct clients of the other kinds in unusual styles. */

import type { Entry } from "./entry.ts";
import type { Protocol } from "./protocol.ts";
import { assert, requestJson } from "./requests.ts";
import { correctJwtResource } from "./resource_server.ts";

/** A client without refresh tokens. */
const withoutRefresh: Pick<Entry, "protocol" | "steps"> = {
  protocol: (correct) => ({
    requestParameters: async (site, login) => ({
      ...await correct.requestParameters(site, login),
      scope: "openid profile email",
    }),
    mergeTokens: (_, received) => received,
  }),
  steps: () => ({ refreshes: false }),
};

const withoutUserinfo: Partial<Protocol> = {
  requestUserinfo: () => Promise.resolve({}),
  mergeClaims: (idToken) => idToken,
};

const spaStyles: readonly Entry[] = [
  {
    kind: "spa",
    name: "has no refresh tokens, and logs in without pages",
    source: "RFC 9700 §4.14, OAuth 2.0 for Browser-Based Applications",
    ...withoutRefresh,
  },
  {
    kind: "spa",
    name: "uses the claims of the ID token, and no userinfo",
    source: "OpenID Connect Core §5.1",
    protocol: () => withoutUserinfo,
  },
  {
    kind: "spa",
    name: "receives responses in the fragment",
    source: "OAuth 2.0 Multiple Response Type Encoding Practices §2.1",
    steps: () => ({ extra: { response_mode: "fragment" } }),
    server: { responseModes: ["query", "fragment"] },
  },
  {
    kind: "spa",
    name: "forgets an older login when a new one begins",
    source: "RFC 9700 §4.7",
    steps: (correct) => ({
      takeLogin(kept, params) {
        const newest = [...kept.logins.keys()].at(-1);
        for (const state of kept.logins.keys()) if (state !== newest) kept.logins.delete(state);
        return correct.takeLogin(kept, params);
      },
    }),
  },
];

const cliStyles: readonly Entry[] = [
  {
    kind: "cli",
    name: "has a redirect URI with a scheme of its own",
    source: "RFC 8252 §7.1",
    steps: () => ({ client: { redirect_uri: "com.example.tool:/callback" } }),
  },
  {
    kind: "cli",
    name: "listens on the IPv6 loopback address",
    source: "RFC 8252 §7.3",
    steps: () => ({ client: { redirect_uri: "http://[::1]:51004/oauth2redirect/example-provider" } }),
  },
  { kind: "cli", name: "has no refresh tokens", source: "OAuth 2.1 §4.3", ...withoutRefresh },
  {
    kind: "cli",
    name: "uses the claims of the ID token, and no userinfo",
    source: "OpenID Connect Core §5.1",
    protocol: () => withoutUserinfo,
  },
  {
    kind: "cli",
    name: "ignores responses that are not for its login, and waits on",
    source: "mozilla-ai/cq#348",
    steps: () => ({
      takeLogin({ logins }, params) {
        const login = logins.get(params.get("state") ?? "");
        if (login !== undefined) logins.clear();
        return login;
      },
    }),
  },
];

const deviceStyles: readonly Entry[] = [
  {
    kind: "device",
    name: "polls first, and then waits",
    source: "RFC 8628 §3.4, Abblix/Oidc.Server#281",
    device: () => ({ waitsFirst: false }),
  },
  {
    kind: "device",
    name: "only shows the code, and opens nothing",
    source: "RFC 8628 §3.3",
    device: () => ({ show: () => {} }),
  },
  {
    kind: "device",
    name: "slows down by ten seconds, and never polls more often than every six",
    source: "RFC 8628 §3.5",
    device: (correct) => ({
      interval: (started) => Math.max(6, correct.interval(started)),
      slowDown: (seconds) => seconds + 10,
    }),
  },
  {
    kind: "device",
    name: "gives up after five minutes",
    source: "lobu-ai/lobu#3638",
    device: (correct) => ({ isExpired: (started, seconds) => seconds > 300 || correct.isExpired(started, seconds) }),
  },
];

const mcpStyles: readonly Entry[] = [
  {
    kind: "mcp",
    name: "logs in again, and does not refresh",
    source: "OAuth 2.1 §4.3",
    mcp: (correct) => ({
      refreshesAfter: () => false,
      mergeTokens: (old, received) => ({ ...correct.mergeTokens(old, received), refreshToken: undefined }),
    }),
  },
  {
    kind: "mcp",
    name: "does not ask the user for more scope, and reports the error",
    source: "MCP authorization, step-up authorization flow",
    mcp: () => ({ maxLogins: 1 }),
  },
];

const resourceServerStyles: readonly Entry[] = [
  {
    kind: "resource server",
    name: "sends its credentials in the body",
    source: "RFC 7662 §2.1, RFC 6749 §2.3.1",
    introspecting: () => ({
      async introspect({ issuer, fetch, accessToken, client: { client_id, client_secret } }) {
        const { introspection_endpoint } = await requestJson({ fetch }, `${issuer}/.well-known/openid-configuration`);
        const body = new URLSearchParams({ token: accessToken, client_id, client_secret: String(client_secret) });
        return await requestJson({ fetch }, String(introspection_endpoint), { method: "POST", body });
      },
    }),
  },
  {
    kind: "resource server",
    name: "keeps a response for thirty seconds, while the token is valid",
    source: "RFC 7662 §4",
    introspecting: (correct) => ({
      async readClaims(journey, cache) {
        const kept = cache.get(journey.accessToken);
        if (kept !== undefined && journey.now() < Number(kept.keptUntil)) return kept;
        const claims = await correct.introspect(journey);
        correct.checkActive(claims);
        cache.set(journey.accessToken, { ...claims, keptUntil: journey.now() + 30_000 });
        return claims;
      },
    }),
  },
  {
    kind: "resource server",
    name: "demands that a response has an issuer, an expiry and a client",
    source: "RFC 7662 §2.2",
    introspecting: (correct) => ({
      checkActive(claims) {
        correct.checkActive(claims);
        for (const name of ["iss", "exp", "client_id"]) assert(claims[name] !== undefined, `the token has no ${name}`);
      },
    }),
  },
  {
    kind: "resource server",
    name: "demands that a token is for no other resource",
    source: "RFC 9700 §2.3",
    introspecting: () => ({
      checkAudience: ({ aud }, resource) =>
        assert([aud].flat().every((audience) => audience === resource), "the token is also for others"),
    }),
  },
  {
    kind: "resource server",
    name: "verifies JWTs, and introspects them too",
    source: "RFC 9068 §4, RFC 7662 §4",
    introspecting: (correct) => ({
      async readClaims(journey, cache) {
        const verified = await correctJwtResource.readClaims(journey, cache);
        const claims = await correct.introspect(journey);
        assert(claims.active !== true || claims.sub === verified.sub, "the token is about another user");
        return claims;
      },
    }),
  },
];

export const otherStyles: readonly Entry[] = [
  ...[...spaStyles, ...cliStyles, ...deviceStyles, ...mcpStyles, ...resourceServerStyles],
];
