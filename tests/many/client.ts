/** One client that goes step by step, at whichever instance it is told. */

import { createHash, randomBytes } from "node:crypto";
import type { Instance } from "./team.ts";

/** A code, and the verifier it was asked for with. */
export interface Login {
  readonly code: string;
  readonly verifier: string;
}

/** What a token endpoint gives. */
export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** What became of a token request: tokens, or status and error. */
export type Outcome = Tokens | string;

const redirectUri = "https://spa.example/cb";

/** The public client of every instance; `isActive` asks as the confidential one. */
export function client() {
  async function post(
    instance: Instance,
    path: string,
    fields: Record<string, string>,
    headers = {},
  ): Promise<Outcome> {
    const init = { method: "POST", body: new URLSearchParams(fields), headers, signal: AbortSignal.timeout(10_000) };
    const answer = await fetch(instance.url + path, init);
    const body = await answer.json();
    return answer.status === 200 ? body : `${answer.status} ${body.error}`;
  }
  return {
    async logIn(instance: Instance): Promise<Login> {
      const verifier = randomBytes(32).toString("base64url");
      const asked = new URLSearchParams({
        response_type: "code",
        client_id: "spa",
        redirect_uri: redirectUri,
        scope: "openid offline_access",
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
      });
      const answer = await fetch(`${instance.url}/oauth2/authorize?${asked}`, { redirect: "manual" });
      await answer.body?.cancel();
      return { code: new URL(answer.headers.get("location")!).searchParams.get("code")!, verifier };
    },
    exchange: (instance: Instance, { code, verifier }: Login) =>
      post(instance, "/oauth2/token", {
        grant_type: "authorization_code",
        client_id: "spa",
        redirect_uri: redirectUri,
        code,
        code_verifier: verifier,
      }),
    refresh: (instance: Instance, token: string) =>
      post(instance, "/oauth2/token", { grant_type: "refresh_token", client_id: "spa", refresh_token: token }),
    async isActive(instance: Instance, token: string): Promise<boolean> {
      const authorization = `Basic ${btoa("api:api-secret")}`;
      return (await post(instance, "/oauth2/introspect", { token }, { authorization }) as { active?: boolean }).active!;
    },
  };
}
