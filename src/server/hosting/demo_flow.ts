/**
 * Logins of the demo clients, whose redirect URI is `/authorized`. GET /start starts them. The server stores nothing
 * for them.
 */

import { callbackClients, callbackUri } from "../../core/authorized.ts";
import { type Client, policyOf } from "../../core/clients/repository.ts";
import type { Context } from "../../core/context.ts";
import { constantTimeEqual, digest, randomId } from "../../core/secrets.ts";
import type { BrowserCookie } from "../pages/browser_cookie.ts";
import type { StartLink } from "../pages/page_actions.tsx";

/** The values that a client keeps for one login. */
export interface DemoFlow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** The digest that the key of its DPoP proofs is derived from. */
  readonly proofSecret: string;
}

export type DemoRequest = Readonly<Record<string, string | undefined>> & { readonly client_id: string };

/** A link to `/start` for each demo client. */
export async function startLinks(context: Context): Promise<StartLink[]> {
  return (await callbackClients(context)).map(({ id, confidential }) => ({
    clientId: id,
    confidential,
    href: `${context.site.base}/start?${new URLSearchParams({ client_id: id })}`,
  }));
}

export async function newDemoFlow({ server }: Context, browser: BrowserCookie): Promise<DemoFlow> {
  return (await restoreDemoFlow(browser, await deriveState(browser, randomId(server.randomBytes))))!;
}

/** The login that this browser started at `/start`; `undefined` for the state of any other login. */
export async function restoreDemoFlow(
  browser: BrowserCookie,
  state: string | undefined,
): Promise<DemoFlow | undefined> {
  if (state === undefined || !constantTimeEqual(await deriveState(browser, state.slice(0, 22)), state)) {
    return undefined;
  }
  const [nonce, verifier, proofSecret] = await Promise.all(
    ["nonce", "verifier", "dpop"].map((purpose) => digest(`${purpose} ${browser.secret} ${state}`)),
  );
  return { state, nonce: nonce!.slice(0, 22), verifier: verifier!, proofSecret: proofSecret! };
}

/** A state bound to the secret of this browser: an ID and its MAC. */
async function deriveState(browser: BrowserCookie, id: string): Promise<string> {
  return id + (await digest(`state ${browser.secret} ${id}`)).slice(0, 22);
}

/** The authorization request of a login (OAuth 2.1 §4.1.1). It is the same whenever it is computed. */
export async function demoRequest({ server }: Context, client: Client, flow: DemoFlow): Promise<DemoRequest> {
  const scope = ["openid", "profile", "read"].filter((value) => client.scope.includes(value));
  const { response_modes: registered } = client.metadata;
  const modes = policyOf(server, client).responseModes.filter((mode) => registered?.includes(mode) ?? true);
  return {
    response_type: "code",
    client_id: client.id,
    redirect_uri: callbackUri(server),
    scope: scope.join(" ") || undefined,
    state: flow.state,
    nonce: scope.includes("openid") ? flow.nonce : undefined,
    code_challenge: await digest(flow.verifier),
    code_challenge_method: "S256",
    response_mode: modes.includes("query") ? undefined : modes[0],
  };
}
