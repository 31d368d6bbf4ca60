/** A small client that starts the logins of its users (OpenID Connect CIBA). */

import { createLocalJWKSet, jwtVerify } from "jose";
import type { BackchannelJourney, ClientDriver, ClientSession } from "../../src/check/mod.ts";

const grant_type = "urn:openid:params:grant-type:ciba";

type Members = Record<string, unknown>;

/** The driver of the client. */
export function backchannelClient(): ClientDriver {
  return {
    name: "client with backchannel authentication",
    client: { confidential: true, grant_types: [grant_type] },
    readsClock: true,
    async logInBackchannel(
      { issuer, fetch, client, loginHint, sleep, now }: BackchannelJourney,
    ): Promise<ClientSession> {
      const authorization = `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}`;

      async function send(url: string, init?: RequestInit): Promise<Members> {
        if (!url.startsWith("https://")) throw new Error(`no https URL: ${url}`);
        const response = await fetch(url, { redirect: "manual", ...init } as RequestInit);
        const members = await response.json();
        if (!response.ok && members.error === undefined) throw new Error(`status ${response.status}`);
        return members;
      }

      const post = (url: string, fields: Record<string, string>) =>
        send(url, { method: "POST", headers: { authorization }, body: new URLSearchParams(fields) });

      const metadata = await send(`${issuer}/.well-known/openid-configuration`) as Record<string, string>;
      if (metadata.issuer !== issuer) throw new Error("wrong issuer");
      const hint = { scope: "openid", login_hint: loginHint };
      const { auth_req_id, interval } = await post(metadata.backchannel_authentication_endpoint!, hint);
      if (typeof auth_req_id !== "string") throw new Error("no auth_req_id");
      for (;;) {
        await sleep(Number(interval ?? 5) * 1000);
        const response = await post(metadata.token_endpoint!, { grant_type, auth_req_id });
        const { error, access_token, token_type, id_token } = response;
        if (error === "authorization_pending") continue;
        if (error !== undefined) throw new Error(String(error));
        const isBearer = typeof token_type === "string" && token_type.toLowerCase() === "bearer";
        if (typeof access_token !== "string" || access_token === "" || !isBearer) throw new Error("no access token");
        const keys = createLocalJWKSet(await send(metadata.jwks_uri!) as never);
        const { payload: { sub, aud, azp } } = await jwtVerify(String(id_token), keys, {
          algorithms: [client.id_token_signed_response_alg ?? "RS256"],
          issuer,
          audience: client.client_id,
          requiredClaims: ["iss", "aud", "exp", "iat"],
          currentDate: new Date(now()),
        });
        if (typeof sub !== "string" || sub === "" || azp !== undefined && azp !== client.client_id) {
          throw new Error("no user of this client");
        }
        if ([aud].flat().length > 1) throw new Error("another audience");
        return { sub };
      }
    },
  };
}
