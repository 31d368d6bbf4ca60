/** A client that runs a flow step by step, on any instance. */

import { apiRequest, authorizationRequest, codeExchange, type RequestData, tokenRefresh } from "./requests.ts";
import type { Instance } from "./instances.ts";

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

/** The public client of every instance; `isActive` asks as the confidential one. */
export function client() {
  async function ask(instance: Instance, { path, init }: RequestData): Promise<Outcome> {
    const response = await fetch(instance.url + path, { ...init, signal: AbortSignal.timeout(60_000) });
    const body = await response.json();
    return response.status === 200 ? body : `${response.status} ${body.error}`;
  }
  return {
    async logIn(instance: Instance): Promise<Login> {
      const { path, verifier } = authorizationRequest();
      const response = await fetch(instance.url + path, { redirect: "manual" });
      await response.body?.cancel();
      return { code: new URL(response.headers.get("location")!).searchParams.get("code")!, verifier };
    },
    exchange: (instance: Instance, login: Login) => ask(instance, codeExchange(login)),
    refresh: (instance: Instance, token: string) => ask(instance, tokenRefresh(token)),
    async isActive(instance: Instance, token: string): Promise<boolean> {
      return (await ask(instance, apiRequest("/oauth2/introspect", { token })) as { active?: boolean }).active!;
    },
  };
}
