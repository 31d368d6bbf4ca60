/** Clients with logout URIs, and their side of a back-channel logout: it records the calls and responds to them. */

import { decodeProtectedHeader } from "jose";
import { type ClientMetadata, type LatchkeyOptions, memoryStore, type Store } from "../../../../src/mod.ts";
import type { TraceEvent } from "../../../../src/server/trace.ts";
import { decodeClaims, encode, type Fields, type TestServer, testServer } from "../../../kit.ts";
import type { Browser } from "../../browser.ts";
import { until } from "../../../until.ts";

/** A call of a `backchannel_logout_uri`. */
export interface LogoutCall {
  readonly url: string;
  readonly init: RequestInit;
  readonly token: string;
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** What a client responds; it may reject, or never resolve. */
export type Respond = (call: LogoutCall) => Response | Promise<Response>;

/** A public client that may refresh, by default with a `backchannel_logout_uri`. */
export function loggedOutClient(id: string, changes: Partial<ClientMetadata> = {}): ClientMetadata {
  return {
    client_id: id,
    redirect_uris: ["https://spa.example/cb"],
    grant_types: ["authorization_code", "refresh_token"],
    backchannel_logout_uri: `https://${id}.example/logged-out`,
    ...changes,
  };
}

/** A server whose calls of clients are recorded. */
export interface CallingServer extends TestServer {
  readonly calls: LogoutCall[];
  /** Changes the response of the clients. At first it is 200. */
  respond: Respond;
  /**
   * Moves the clock and lets maintenance run, which a request starts. Then it waits until the results of so many
   * further calls are known; of none, until maintenance has found none to repeat.
   */
  repeatCalls(seconds: number, count: number): Promise<void>;
}

/** The results of calls among events. */
export function callEvents(
  { events }: Pick<TestServer, "events">,
): Extract<TraceEvent, { type: "back_channel_logout" }>[] {
  return events.filter((event) => event.type === "back_channel_logout");
}

export const postLogoutRedirectUri = "https://spa.example/bye";

/** A logout by the browser. */
export function logOut(browser: Browser, id_token_hint: string, fields: Fields = {}): Promise<Response> {
  return browser.get(`/oauth2/logout?${encode({ id_token_hint, ...fields })}`);
}

/** Starts a server: `spa`, `app` and `pairwise` are called at logout, `silent` is not. */
export async function callingServer(options: LatchkeyOptions = {}): Promise<CallingServer> {
  const calls: LogoutCall[] = [];
  let emptySearches = 0;
  const store = observeSearches(await (options.store ?? memoryStore()), () => emptySearches++);
  const self: { server?: CallingServer } = {};
  const server = await testServer({
    clients: [
      loggedOutClient("spa", { post_logout_redirect_uris: [postLogoutRedirectUri] }),
      loggedOutClient("app", {
        backchannel_logout_uri: "https://app.example/out?tenant=7&x",
        id_token_signed_response_alg: "RS256",
      }),
      loggedOutClient("pairwise", { subject_type: "pairwise" }),
      loggedOutClient("silent", { backchannel_logout_uri: undefined }),
    ],
    users: [{ sub: "alice", name: "Alice" }, { sub: "bob" }],
    outbound: async (url, init) => {
      const token = new URLSearchParams(init.body as string).get("logout_token") ?? "";
      const call = { url, init, token, header: { ...decodeProtectedHeader(token) }, claims: decodeClaims(token) };
      calls.push(call);
      return await self.server!.respond(call);
    },
    ...options,
    store,
  });
  return self.server = {
    ...server,
    calls,
    respond: () => new Response(),
    async repeatCalls(seconds, count) {
      const [known, searched] = [callEvents(server).length, emptySearches];
      server.advance(seconds);
      await server.get("/oauth2/jwks");
      await until(() => count === 0 ? emptySearches > searched : callEvents(server).length >= known + count);
    },
  };
}

/** The same store, which reports each search of maintenance that found no call to repeat. */
function observeSearches(store: Store, onNothing: () => void): Store {
  return new Proxy(store, {
    get(target, verb: keyof Store) {
      const member = target[verb];
      if (typeof member !== "function") return member;
      return async (...args: unknown[]) => {
        const found = await (member as (...args: unknown[]) => unknown).apply(target, args);
        if (verb === "count" && args[0] === "logout_call" && found === 0) onNothing();
        return found;
      };
    },
  });
}
