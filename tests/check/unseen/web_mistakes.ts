/** Web applications with one mistake each: the response, the ID token, and the user. */

import { decodeJwt, decodeProtectedHeader, importJWK, type JWK, jwtVerify } from "jose";
import type { Entry } from "./entry.ts";
import { requestJson } from "./requests.ts";

let lastState = 1000;

export const webMistakes: readonly Entry[] = [
  {
    kind: "web",
    name: "keeps logins by their state alone, so any browser can end the login of another",
    source: "GHSA-fg6f-75jq-6523 (Authlib), tomasvotava/fastapi-sso#266",
    foundBy: "response/state-of-another-browser",
    pages: () => ({
      keepLogin: ({ logins }, _, login) => void logins.set(login.state, login),
      takeLogin({ logins }, _, params) {
        const login = logins.get(params.get("state") ?? "");
        if (login !== undefined) logins.delete(login.state);
        return login;
      },
    }),
  },
  {
    kind: "web",
    name: "accepts any state, as long as the response has one",
    source: "ellite/Wallos#1071",
    foundBy: "response/twice",
    protocol: () => ({ isState: (received) => received !== null }),
    pages: () => ({
      takeLogin: ({ logins }, browser) => [...logins].findLast(([key]) => key.startsWith(`${browser} `))?.[1],
    }),
  },
  {
    kind: "web",
    name: "numbers its states",
    source: "zhangjiayang6835-cyber/ai-research#1006, RFC 6749 §10.10",
    foundBy: "practice/state-random",
    protocol: (correct) => ({
      newLogin: (site, target) => ({ ...correct.newLogin(site, target), state: String(lastState++) }),
    }),
  },
  {
    kind: "web",
    name: "does not verify the audience of ID tokens",
    source: "GHSA-fhvp-9hcj-6m33 (Oxia, CVE-2026-40946)",
    foundBy: "id-token/aud-wrong",
    protocol: (correct) => ({
      verifyOptions: (site) => ({ ...correct.verifyOptions(site), audience: undefined }),
      checkClaims: (site, claims, nonce) =>
        correct.checkClaims(site, { ...claims, aud: site.clientId, azp: undefined }, nonce),
    }),
  },
  {
    kind: "web",
    name: "takes the algorithm from the header of the ID token, also none",
    source: "infiniflow/ragflow#15180",
    foundBy: "id-token/alg-none",
    protocol: (correct) => ({
      verifySignature: async (site, metadata, token) =>
        decodeProtectedHeader(token).alg === "none"
          ? decodeJwt(token)
          : await correct.verifySignature(site, metadata, token),
    }),
  },
  {
    kind: "web",
    name: "verifies ID tokens with the key in their header",
    source: "RFC 8725 §3.10, Abblix/Oidc.Server#246",
    foundBy: "id-token/header-jwk",
    protocol: (correct) => ({
      async verifySignature(site, metadata, token) {
        const { jwk, alg } = decodeProtectedHeader(token);
        if (jwk === undefined) return await correct.verifySignature(site, metadata, token);
        const options = { ...correct.verifyOptions(site), algorithms: undefined };
        return (await jwtVerify(token, await importJWK(jwk as JWK, alg), options)).payload;
      },
    }),
  },
  {
    kind: "web",
    name: "skips the check of the nonce for an ID token without one",
    source: "leodip/goiabada#412",
    foundBy: "id-token/nonce-wrong",
    protocol: (correct) => ({
      checkClaims: (site, claims, nonce) =>
        correct.checkClaims(site, claims, claims.nonce === undefined ? undefined : nonce),
    }),
  },
  {
    kind: "web",
    name: "accepts ID tokens that never expire",
    source: "nesquena/hermes-webui#5012, OpenID Connect Core §2",
    foundBy: "id-token/exp-past",
    protocol: (correct) => ({
      verifyOptions: (site) => ({ ...correct.verifyOptions(site), requiredClaims: ["iat", "sub"] }),
    }),
  },
  {
    kind: "web",
    name: "never fetches the keys again",
    source: "cleanenergyexchange/fastapi-zitadel-auth#26, OpenID Connect Core §10.1.1",
    foundBy: "keys/rotated",
    protocol: (correct) => ({
      getKeys: async (site, metadata) => site.kept.keys ?? await correct.getKeys(site, metadata, false),
    }),
  },
  {
    kind: "web",
    name: "takes the user from userinfo, whatever the ID token says",
    source: "linagora/openrag#386, OpenID Connect Core §5.3.2",
    foundBy: "userinfo/sub-other",
    protocol: () => ({ mergeClaims: (idToken, userinfo) => ({ ...userinfo, iss: idToken.iss }) }),
  },
  {
    kind: "web",
    name: "accepts the userinfo of an unnamed user",
    source: "canonical/authd#1943, OpenID Connect Core §5.3.2",
    protocol: (correct) => ({
      mergeClaims: (idToken, userinfo) => correct.mergeClaims(idToken, { sub: idToken.sub, ...userinfo }),
    }),
  },
  {
    kind: "web",
    name: "sends the access token to userinfo in the query",
    source: "RFC 9700 §4.3.2, OAuth 2.1 §5.1",
    foundBy: "login",
    protocol: () => ({
      requestUserinfo: (site, { userinfo_endpoint }, accessToken) =>
        requestJson(site, `${userinfo_endpoint}?access_token=${encodeURIComponent(accessToken)}`),
    }),
  },
  {
    kind: "web",
    name: "loses the refresh token when a refresh brings no new one",
    source: "modelcontextprotocol/rust-sdk#949, RFC 6749 §6",
    foundBy: "refresh/token-omitted",
    protocol: () => ({ mergeTokens: (_, received) => received }),
  },
  {
    kind: "web",
    name: "ends the session when a refresh fails for any reason",
    source: "open-metadata/OpenMetadata#31183, datum-cloud/app#174",
    foundBy: "refresh/transient",
    pages: () => ({
      async refresh(session, refresh, end) {
        try {
          await (session.refreshing ??= refresh().finally(() => session.refreshing = undefined));
        } catch (error) {
          end();
          throw error;
        }
      },
    }),
  },
  {
    kind: "web",
    name: "accepts a logout token without the event of a logout, and with a nonce",
    source: "wildfly-security/wildfly-elytron#2249, OpenID Connect Back-Channel Logout §2.6",
    foundBy: "logout/back-channel-claims",
    pages: () => ({ checkLogoutToken: () => {} }),
  },
];
