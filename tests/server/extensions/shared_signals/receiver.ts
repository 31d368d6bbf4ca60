/** A receiver of security events: a client with a stream, which polls or is posted to. */

import { assertEquals } from "@std/assert";
import { decodeProtectedHeader } from "jose";
import type { ClientMetadata, LatchkeyOptions } from "../../../../src/mod.ts";
import type { App } from "../../../../src/server/app.ts";
import { basic, decodeClaims, type TestServer, testServer } from "../../../kit.ts";

export const caep = "https://schemas.openid.net/secevent/caep/event-type/";
export const risc = "https://schemas.openid.net/secevent/risc/event-type/";
export const verificationType = "https://schemas.openid.net/secevent/ssf/event-type/verification";

// deno-lint-ignore no-explicit-any
export type Json = any;

/** A response: its status and its JSON body. */
export interface Reply {
  readonly status: number;
  readonly body: Json;
}

/** A post to a client. */
export interface Push {
  readonly url: string;
  readonly init: RequestInit;
  readonly header: Json;
  readonly claims: Json;
}

/** The requests of one client. */
export interface Receiver {
  readonly token: string;
  /** A request with the access token; an object is sent as JSON. */
  send(method: string, path: string, body?: unknown): Promise<Reply>;
  /** Creates a stream with these members, by default for `session-revoked`. */
  create(members?: object): Promise<Json>;
  /** Polls a stream, by default without waiting; returns the claims of each token beside the response. */
  poll(stream: Json, body?: object): Promise<Json & { claims: Json[] }>;
}

/** A server with streams: its responses wait for posts. `receiver` and `foreign` are clients that may have streams. */
export interface SignalServer extends TestServer {
  readonly pushes: Push[];
  /** What clients respond to a post; at first 202. */
  respond: () => Response | Promise<Response>;
  receiver(id?: string, scope?: string): Promise<Receiver>;
}

/** A confidential client that gets access tokens on its own behalf. */
export function machine(client_id: string, changes: Partial<ClientMetadata> = {}): ClientMetadata {
  const scope = "openid read ssf.manage ssf.read";
  return { client_id, client_secret: `${client_id}-secret`, grant_types: ["client_credentials"], scope, ...changes };
}

export async function signalServer({ plugins = [], ...options }: LatchkeyOptions = {}): Promise<SignalServer> {
  const pushes: Push[] = [];
  const self: { server?: SignalServer } = {};
  let app: App;
  const started = await testServer({
    plugins: [{ setup: (assembled) => void (app = assembled) }, ...plugins],
    sharedSignals: true,
    clients: [
      machine("receiver"),
      machine("foreign"),
      machine("reader", { scope: "read" }),
      {
        client_id: "spa",
        redirect_uris: ["https://spa.example/cb"],
        backchannel_logout_uri: "https://spa.example/out",
      },
    ],
    users: [{ sub: "alice", email: "alice@example.com" }, { sub: "bob" }],
    outbound: async (url, init) => {
      const token = init.body as string;
      if (url === "https://spa.example/out") return new Response();
      pushes.push({ url, init, header: decodeProtectedHeader(token), claims: decodeClaims(token) });
      return await self.server!.respond();
    },
    ...options,
  });
  const server: TestServer = {
    ...started,
    async get(path, init) {
      const response = await started.get(path, init);
      await app.server.background.finished();
      return response;
    },
  };
  return self.server = {
    ...server,
    pushes,
    respond: () => new Response(null, { status: 202 }),
    async receiver(id = "receiver", scope = "ssf.manage") {
      const form = { grant_type: "client_credentials", scope };
      const granted = await (await server.post("/oauth2/token", form, basic(id, `${id}-secret`))).json();
      return receiverWith(server, granted.access_token);
    },
  };
}

/** A receiver with this access token. */
export function receiverWith(server: TestServer, token: string): Receiver {
  const receiver: Receiver = {
    token,
    async send(method, path, body) {
      const response = await server.get(path.replace(server.as.issuer, ""), {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) },
      });
      const text = await response.text();
      return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
    },
    async create(members) {
      const events_requested = [`${caep}session-revoked`];
      const { status, body } = await receiver.send("POST", "/ssf/stream", { events_requested, ...members });
      assertEquals(status, 201, JSON.stringify(body));
      return body;
    },
    async poll(stream, body = {}) {
      const request = { returnImmediately: true, ...body };
      const reply = await receiver.send("POST", stream.delivery.endpoint_url, request);
      assertEquals(reply.status, 200, JSON.stringify(reply.body));
      return { ...reply.body, claims: Object.values(reply.body.sets).map((set) => decodeClaims(set as string)) };
    },
  };
  return receiver;
}
