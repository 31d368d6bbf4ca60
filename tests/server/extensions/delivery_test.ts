/**
 * Posts to clients, when the process ends at any step, and when a client does not respond.
 *
 * @extensions ciba, client_logout, shared_signals
 */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import type { RecordKind, Store } from "../../../src/core/store/store.ts";
import type { App } from "../../../src/server/app.ts";
import { basic, decodeClaims, encode, sharedStore, type TestServer, testServer } from "../../kit.ts";
import { endsWithin, until } from "../../until.ts";
import { openBrowser } from "../browser.ts";
import { caep, machine, receiverWith } from "./shared_signals/receiver.ts";

/** A process that ends after some steps, which are counted after the first record of a kind. Then nothing continues. */
function mortalProcess(store: Store, kind: RecordKind, steps: number) {
  const self = { isCounting: false, hasEnded: false, remaining: steps, step, store };
  async function step(): Promise<void> {
    if (self.isCounting && self.remaining-- <= 0) self.hasEnded = true;
    if (self.hasEnded) await new Promise(() => {});
  }
  self.store = new Proxy(store, {
    get(target, verb: keyof Store) {
      const member = target[verb];
      if (typeof member !== "function") return member;
      return async (...args: unknown[]) => {
        await step();
        const result = await (member as (...args: unknown[]) => unknown)(...args);
        if (verb === "put" && args[0] === kind) self.isCounting = true;
        return result;
      };
    },
  });
  return self;
}

/** A server that starts at a time, and the posts that clients received. */
async function deliveringServer(store: Store, minutes: number, post: (url: string, body: string) => Promise<Response>) {
  let app: App;
  const server = await testServer({
    store,
    sharedSignals: true,
    clients: [machine("receiver"), {
      ...{ client_id: "spa", redirect_uris: ["https://spa.example/cb"] },
      backchannel_logout_uri: "https://spa.example/out",
    }, {
      ...{ client_id: "bank", client_secret: "bank-secret", grant_types: ["urn:openid:params:grant-type:ciba"] },
      backchannel_token_delivery_mode: "ping",
      backchannel_client_notification_endpoint: "https://rp.example/ping",
    }],
    users: [{ sub: "alice" }, { sub: "bob" }],
    plugins: [{ setup: (assembled) => void (app = assembled) }],
    outbound: async (url, init) => await post(url, init.body as string),
  });
  server.advance(minutes * 60);
  return { server, finished: () => app.server.background.finished() };
}

/** What a server has to post, and how it begins. */
interface Delivery {
  readonly kind: RecordKind;
  readonly url: string;
  readonly status: number;
  /** Prepares it, before the process may end. */
  prepare(server: TestServer): Promise<() => Promise<unknown>>;
}

async function pushStream(server: TestServer, members = {}) {
  const form = { grant_type: "client_credentials", scope: "ssf.manage" };
  const granted = await (await server.post("/oauth2/token", form, basic("receiver", "receiver-secret"))).json();
  const receiver = receiverWith(server, granted.access_token);
  const delivery = { method: "urn:ietf:rfc:8935", endpoint_url: "https://rp.example/events" };
  return { receiver, stream: await receiver.create({ delivery, ...members }) };
}

/** The logout of `alice`, as a request. */
async function logoutRequest(server: TestServer): Promise<() => Promise<Response>> {
  const browser = openBrowser(server);
  const { id_token } = await browser.login();
  return () => browser.get(`/oauth2/logout?${encode({ id_token_hint: id_token })}`);
}

const deliveries: Record<string, Delivery> = {
  "[SS-10] a security event": {
    ...{ kind: "stream_event", url: "https://rp.example/events", status: 202 },
    async prepare(server) {
      const { receiver, stream: { stream_id } } = await pushStream(server);
      return () => receiver.send("POST", "/ssf/verification", { stream_id });
    },
  },
  "[BL-11] a logout token": {
    ...{ kind: "logout_call", url: "https://spa.example/out", status: 200 },
    prepare: logoutRequest,
  },
};

for (const [name, { kind, url, status, prepare }] of Object.entries(deliveries)) {
  test(`${name} is posted wherever the process ends, and stored until its response`, async () => {
    let steps = 0;
    for (let isWhole = false; !isWhole; steps++) {
      const store = sharedStore();
      const received: string[] = [];
      const respond = (to: string, body: string) => {
        if (to === url) received.push(body);
        return Promise.resolve(new Response(null, { status }));
      };
      const mortal = mortalProcess(store, kind, steps);
      const first = await deliveringServer(mortal.store, 0, async (...posted) => {
        await mortal.step();
        const response = await respond(...posted);
        await mortal.step();
        return response;
      });
      const begin = await prepare(first.server);
      void (async () => {
        await begin();
        await first.finished();
        isWhole = true;
      })();
      await until(() => mortal.hasEnded || isWhole);
      isWhole = !mortal.hasEnded;
      const second = await deliveringServer(store, 0, respond);
      for (const _ of [1, 2, 3]) {
        second.server.advance(61);
        await second.server.get("/oauth2/jwks");
        await second.finished();
      }
      assert(received.length === 1 || received.length === 2 && !isWhole, `${steps} steps: ${received.length} posts`);
      // Only of a security event is the token the same.
      const ids = new Set(received.map((body) => kind === "stream_event" ? decodeClaims(body).jti : url));
      assertEquals(ids.size, 1, `${steps} steps`);
      assertEquals(await store.count(kind, ""), 0, `${steps} steps`);
    }
    assert(steps > 4, `only ${steps} steps`);
  });
}

test("[SS-10, CB-12] no response waits for a client that receives events or notifications, and closing waits for the posts", async () => {
  const store = sharedStore();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let [received, done] = [0, 0];
  const { server } = await deliveringServer(store, 0, async (url) => {
    if (!url.startsWith("https://rp.example/")) return new Response();
    received++;
    await released;
    done++;
    return new Response(null, { status: 202 });
  });
  const { receiver, stream } = await pushStream(server, { events_requested: [`${caep}session-revoked`] });
  const { stream_id } = stream;
  const other = openBrowser(server);
  await other.login();
  const logOut = await logoutRequest(server);
  const requests: Record<string, () => Promise<{ readonly status: number }>> = {
    "logout": logOut,
    "login of another user": () => other.authorize({ login_hint: "bob" }),
    "decision": () => {
      const client_notification_token = "8d67dc78-7faa-4d41-aabd-67707b374255";
      const form = { scope: "openid", login_hint: "bob", client_notification_token };
      return server.post("/oauth2/backchannel_authentication", form, basic("bank", "bank-secret"));
    },
    "verification": () => receiver.send("POST", "/ssf/verification", { stream_id }),
    "status": () => receiver.send("POST", "/ssf/status", { stream_id, status: "enabled" }),
  };
  for (const [name, send] of Object.entries(requests)) {
    const response = await endsWithin(2500, send);
    assert(response !== "late" && response.status < 400, name);
  }
  assertEquals(await store.count("stream_event", ""), 3);
  await until(() => received === 4);
  const closed = server.as.close();
  release();
  await closed;
  assertEquals(done, 4);
  assertEquals(await store.count("stream_event", ""), 0);
  assertEquals(server.events.filter(({ type }) => type === "internal_error"), []);
});
