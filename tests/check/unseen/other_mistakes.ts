/** Single page applications, command lines and devices with one mistake each. */

import { importJWK, jwtVerify } from "jose";
import type { Entry } from "./entry.ts";
import { correctProtocol } from "./protocol.ts";

const spaMistakes: readonly Entry[] = [
  {
    kind: "spa",
    name: "continues with a response without a state that it knows",
    source: "veryfront/veryfront-code#530",
    foundBy: "response/twice",
    protocol: () => ({ isState: () => true }),
    steps: () => ({
      takeLogin: ({ logins }, params) => logins.get(params.get("state")!) ?? [...logins.values()].at(-1),
    }),
  },
  {
    kind: "spa",
    name: "sends a nonce that it does not compare",
    source: "authts/oidc-client-ts#2311",
    foundBy: "id-token/replayed",
    protocol: (correct) => ({ checkClaims: (site, claims) => correct.checkClaims(site, claims, undefined) }),
  },
  {
    kind: "spa",
    name: "verifies the audience of an ID token only if it is an array",
    source: "hashicorp/vault-plugin-auth-jwt#274",
    foundBy: "id-token/aud-wrong",
    protocol: (correct) => ({
      verifyOptions: (site) => ({ ...correct.verifyOptions(site), audience: undefined }),
      checkClaims: (site, claims, nonce) =>
        correct.checkClaims(site, Array.isArray(claims.aud) ? claims : { ...claims, aud: site.clientId }, nonce),
    }),
  },
  {
    kind: "spa",
    name: "keeps the old refresh token when it receives a new one",
    source: "system-design-discord/retarded-discord#141, RFC 6749 §6",
    foundBy: "refresh/id-token-absent",
    protocol: () => ({
      mergeTokens: (old, received) => ({ ...old, ...received, refresh_token: old.refresh_token }),
    }),
  },
  {
    kind: "spa",
    name: "refreshes several times in parallel, and logs out when one refresh fails",
    source: "jchable/gpx-utility-analyzer#95",
    foundBy: "refresh/transient",
    steps: () => ({
      async refresh(_, refresh, logOut) {
        await refresh().catch((error) => {
          logOut();
          throw error;
        });
      },
    }),
  },
  {
    kind: "spa",
    name: "refreshes again and again with a revoked refresh token",
    source: "asgardeo/javascript#531",
    foundBy: "id-token/iss-wrong",
    steps: () => ({
      refresh: (_, refresh) => refresh().catch(() => {}),
      repeats: (status, attempt) => status === 401 && attempt < 50,
    }),
  },
  {
    kind: "spa",
    name: "accepts the ID token of another user in a refresh",
    source: "OpenID Connect Core §12.2",
    foundBy: "refresh/id-token-other",
    protocol: () => ({ checkRefreshed: () => {} }),
  },
];

const cliMistakes: readonly Entry[] = [
  {
    kind: "cli",
    name: "does not compare the state that reaches its loopback port",
    source: "everruns/everruns#2447, veryfront/veryfront-code#2321",
    foundBy: "response/twice",
    protocol: () => ({ isState: () => true }),
    steps: () => ({ takeLogin: ({ logins }) => [...logins.values()].at(-1) }),
  },
  {
    kind: "cli",
    name: "ends its login after an error that any program sends to its loopback port",
    source: "mozilla-ai/cq#348",
    steps: (correct) => ({
      takeLogin(kept, params) {
        if (params.has("error")) kept.logins.clear();
        return correct.takeLogin(kept, params);
      },
    }),
  },
  {
    kind: "cli",
    name: "rejects a response with a parameter that it does not know",
    source: "openai/codex#31573, RFC 6749 §4.1.2",
    foundBy: "response/extra-parameters",
    protocol: (correct) => ({
      readResponse(params, login, metadata) {
        const known = ["code", "state", "iss", "error", "error_description"];
        if ([...params.keys()].some((name) => !known.includes(name))) throw new Error("unknown parameter");
        return correct.readResponse(params, login, metadata);
      },
    }),
  },
  {
    kind: "cli",
    name: "reads metadata of any size",
    source: "Altinity/ClickHouse#1691",
    foundBy: "transport/huge",
    protocol: () => ({
      requestMetadata: async ({ fetch }, url) => await (await fetch(url, { redirect: "manual" })).json(),
    }),
  },
  {
    kind: "cli",
    name: "does not compare the issuer of the metadata",
    source: "apollographql/apollo-mcp-server#791, RFC 8414 §3.3",
    foundBy: "metadata/issuer-other",
    protocol: (correct) => ({
      checkMetadata: (site, metadata) => correct.checkMetadata(site, { ...metadata, issuer: site.issuer }),
    }),
  },
  {
    kind: "cli",
    name: "loses the refresh token when a refresh brings no new one",
    source: "BaseIntelligence/bounty-challenge#11128, RFC 6749 §6",
    foundBy: "refresh/token-omitted",
    protocol: () => ({ mergeTokens: (_, received) => received }),
  },
  {
    kind: "cli",
    name: "verifies ID tokens with the first key of the server, whatever their kid is",
    source: "OpenID Connect Core §10.1, RFC 7515 §4.1.4",
    foundBy: "id-token/key-unfit",
    protocol: () => ({
      async verifySignature(site, metadata, token) {
        const { keys: [first] } = await correctProtocol.getKeys(site, metadata, false);
        const key = await importJWK(first!, site.alg);
        return (await jwtVerify(token, key, correctProtocol.verifyOptions(site))).payload;
      },
    }),
  },
];

const deviceMistakes: readonly Entry[] = [
  {
    kind: "device",
    name: "polls without a pause if the server names no interval",
    source: "netbirdio/netbird#7013, RFC 8628 §3.2",
    foundBy: "device/response-odd",
    device: () => ({ interval: ({ interval }) => Number(interval ?? 0) }),
  },
  {
    kind: "device",
    name: "slows down by three seconds",
    source: "netbirdio/netbird#7013, RFC 8628 §3.5",
    foundBy: "device/slow-down",
    device: () => ({ slowDown: (seconds) => seconds + 3 }),
  },
  {
    kind: "device",
    name: "polls after the codes have expired",
    source: "coze-dev/coze-js#28, fwdai/fletch#100",
    foundBy: "device/never-approved",
    device: () => ({ isExpired: (_, seconds) => seconds > 100_000 }),
  },
  {
    kind: "device",
    name: "polls on after the user has denied the access",
    source: "coze-dev/coze-js#28, RFC 8628 §3.5",
    foundBy: "device/ended",
    device: (correct) => ({ continues: (error) => error === "access_denied" || correct.continues(error) }),
  },
  {
    kind: "device",
    name: "opens whatever the server calls a verification URI",
    source: "CVE-2025-6514 (mcp-remote)",
    foundBy: "device/verification-uri-hostile",
    device: () => ({
      show: ({ verification_uri, verification_uri_complete }, open) =>
        open(String(verification_uri_complete ?? verification_uri)),
    }),
  },
  {
    kind: "device",
    name: "takes the user from userinfo, whatever the ID token says",
    source: "dexidp/dex#4828, OpenID Connect Core §5.3.2",
    foundBy: "userinfo/sub-missing",
    protocol: () => ({ mergeClaims: (idToken, userinfo) => ({ ...userinfo, iss: idToken.iss }) }),
  },
];

export const otherMistakes: readonly Entry[] = [...spaMistakes, ...cliMistakes, ...deviceMistakes];
