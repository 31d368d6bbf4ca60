/**
 * The approval of the user and the polls of the client at the same time, for devices and backchannel authentication:
 * the client gets one token response, and no approval is lost.
 *
 * @extensions ciba, device
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { type LatchkeyOptions, memoryStore, type Store } from "../../../src/mod.ts";
import { openBrowser } from "../browser.ts";
import { basic, type Fields, forEachCase, getOutcome, type TestServer, testServer } from "../../kit.ts";
import { describePage, openPage, submit } from "../page_navigation.ts";
import { storeKinds } from "../../platform/store/store_kinds.ts";

interface Kind {
  readonly rule: string;
  readonly type: string;
  /** The path of the endpoint that starts a request, and further fields. */
  readonly start: readonly [path: string, fields: Fields];
  /** The parameter of polls. */
  readonly parameter: string;
  /** The page where the user decides. */
  page(started: Readonly<Record<string, string>>): string;
  /** What the page says at the end. */
  readonly approved: string;
}

const device: Kind = {
  rule: "DV-03",
  type: "urn:ietf:params:oauth:grant-type:device_code",
  start: ["/oauth2/device_authorization", {}],
  parameter: "device_code",
  page: ({ user_code }) => `/device?user_code=${user_code}`,
  approved: "The device is connected",
};
const backchannel: Kind = {
  rule: "CB-03",
  type: "urn:openid:params:grant-type:ciba",
  start: ["/oauth2/backchannel_authentication", { login_hint: "alice" }],
  parameter: "auth_req_id",
  page: ({ auth_req_id }) => `/backchannel?request_id=${auth_req_id!.split(".")[0]}`,
  approved: "You allowed the request",
};
const kinds = [device, backchannel];

const options: LatchkeyOptions = {
  login: "interactive",
  backchannelAuthentication: true,
  clients: [{
    client_id: "bank",
    client_secret: "bank-secret",
    grant_types: kinds.map(({ type }) => type),
  }],
};

function post(server: TestServer, path: string, fields: Fields): Promise<Response> {
  return server.post(path, fields, basic("bank", "bank-secret"));
}

/** A request whose user has the consent page open. */
async function openRequest(kind: Kind, ofUser: TestServer) {
  const [path, fields] = kind.start;
  const started = await (await post(ofUser, path, { scope: "openid", ...fields })).json();
  const browser = openBrowser(ofUser);
  let page = await openPage(browser, kind.page(started), await browser.get(kind.page(started)));
  while (describePage(page) !== "consent") {
    const isLogin = describePage(page) === "login";
    page = await (isLogin ? submit(browser, page, "sub", "alice") : submit(browser, page, ""));
  }
  return {
    async approve(): Promise<void> {
      assertStringIncludes((await submit(browser, page, "decision", "allow")).text, kind.approved);
    },
    poll: async (server: TestServer): Promise<string> =>
      await getOutcome(
        await post(server, "/oauth2/token", { grant_type: kind.type, [kind.parameter]: started[kind.parameter] }),
      ),
  };
}

interface Pause {
  /** Whether a call is paused; false if the action has ended without it. */
  isReached(action: Promise<unknown>): Promise<boolean>;
  release(): void;
}

/** A store that pauses at one of its calls, before or after the store has executed it. */
function pausingStore(store: Store) {
  let calls = 0;
  let paused: { readonly call: number; readonly when: "before" | "after"; wait(): Promise<void> } | undefined;
  const proxy = new Proxy(store, {
    get: (target, verb: keyof Store) => {
      const member = target[verb];
      if (typeof member !== "function") return member;
      return async (...values: unknown[]) => {
        const call = calls++;
        const stop = async (when: "before" | "after") => {
          if (paused?.call === call && paused.when === when) await paused.wait();
        };
        await stop("before");
        const result = await (member as (...values: unknown[]) => unknown)(...values);
        await stop("after");
        return result;
      };
    },
  });
  return {
    store: proxy,
    pause(number: number, when: "before" | "after"): Pause {
      const reached = Promise.withResolvers<boolean>();
      const released = Promise.withResolvers<void>();
      paused = {
        ...{ call: calls + number, when },
        wait: () => {
          reached.resolve(true);
          return released.promise;
        },
      };
      return {
        isReached: (action) => Promise.race([reached.promise, action.then(() => false)]),
        release: released.resolve,
      };
    },
  };
}

interface Servers {
  readonly ofUser: TestServer;
  readonly ofClient: TestServer;
}

/** Two instances: one for the browser of the user, one for the polls. */
async function instances() {
  const shared: Store = { ...memoryStore(), persistent: true, close: () => Promise.resolve() };
  const [user, client] = [pausingStore(shared), pausingStore(shared)];
  return {
    ...{ user, client },
    ofUser: await testServer({ ...options, store: user.store }),
    ofClient: await testServer({ ...options, store: client.store }),
  };
}

type Request = Awaited<ReturnType<typeof openRequest>>;

interface Race {
  /** Which instance is paused, in the middle of the first action. */
  readonly paused: "user" | "client";
  /** What happens before the race. */
  before?(request: Request): Promise<unknown>;
  first(request: Request, servers: Servers): Promise<string | void>;
  second(request: Request, servers: Servers): Promise<string | void>;
}

const races: Readonly<Record<string, Race>> = {
  "a poll while the approval is saved": {
    paused: "user",
    first: ({ approve }) => approve(),
    second: ({ poll }, { ofClient }) => poll(ofClient),
  },
  "an approval during a poll": {
    paused: "client",
    first: ({ poll }, { ofClient }) => poll(ofClient),
    second: ({ approve }) => approve(),
  },
  "a poll during a poll after the approval": {
    paused: "client",
    before: ({ approve }) => approve(),
    first: ({ poll }, { ofClient }) => poll(ofClient),
    // At the other instance: one instance waits for keys that it is loading.
    second: ({ poll }, { ofUser }) => poll(ofUser),
  },
};

for (const kind of kinds) {
  for (const [name, { paused, before, first, second }] of Object.entries(races)) {
    test(`[${kind.rule}] ${kind.parameter}: ${name}, at every step: one token response`, async () => {
      const { ofUser, ofClient, ...pausing } = await instances();
      const servers = { ofUser, ofClient };
      let steps = 0;
      for (const when of ["before", "after"] as const) {
        for (let number = 0, isReached = true; isReached; number++) {
          const request = await openRequest(kind, ofUser);
          await before?.(request);
          const pause = pausing[paused].pause(number, when);
          const action = first(request, servers);
          isReached = await pause.isReached(action);
          const outcomes = [await second(request, servers)];
          pause.release();
          outcomes.push(await action);
          for (let polls = 0; polls < 3; polls++) outcomes.push(await request.poll(ofClient));
          const polled = outcomes.filter((outcome) => outcome !== undefined);
          const place = `${when} call ${number}: ${polled.join(", ")}`;
          assertEquals(polled.filter((outcome) => outcome === "200").length, 1, place);
          assert(
            polled.every((outcome) => /^(?:200|400 (?:authorization_pending|slow_down|invalid_grant))$/.test(outcome)),
            place,
          );
          assertEquals(polled.slice(-2), ["400 invalid_grant", "400 invalid_grant"], place);
          steps++;
        }
      }
      assert(steps > 8, `${steps} steps`);
    });
  }
}

for (const [name, skip, create] of storeKinds) {
  test(`[CB-03, DV-03] on ${name} polls and the approval at the same time, at two instances: one token response`, {
    skip,
  }, async () => {
    const open = create();
    const servers = [
      await testServer({ ...options, store: await open() }),
      await testServer({ ...options, store: await open() }),
    ] as const;
    await forEachCase(kinds, async (kind) => {
      for (let round = 0; round < 5; round++) {
        const { approve, poll } = await openRequest(kind, servers[round % 2]!);
        const polls = (count: number) => Array.from({ length: count }, (_, i) => poll(servers[i % 2]!));
        const early = polls(round);
        const approval = approve();
        const outcomes = await Promise.all([...early, ...polls(10)]);
        await approval;
        outcomes.push(await poll(servers[0]), await poll(servers[1]));
        assertEquals(outcomes.filter((outcome) => outcome === "200").length, 1, outcomes.join(", "));
      }
    });
    await Promise.all(servers.map(({ as }) => as.close()));
  });
}
