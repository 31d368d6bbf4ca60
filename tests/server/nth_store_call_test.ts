/**
 * The n-th call of the store fails, hangs until its limit, or is done but rejects, for each n of each
 * flow: the flow succeeds or is rejected cleanly, nothing is used twice, nothing that was acknowledged is lost, and the
 * next flow works.
 *
 * @extensions device, token_exchange
 */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import type { LatchkeyOptions, Store } from "../../src/mod.ts";
import { StoreError } from "../../src/core/store/store.ts";
import { storeKinds } from "../platform/store/store_kinds.ts";
import { sample } from "../sample.ts";
import { openBrowser } from "./browser.ts";
import { basicHeader, confidentialClient, publicClient, refresh, userinfo } from "./client_endpoints.ts";
import { assertTokenResponse, getRedirectParams, type TestServer, testServer } from "../kit.ts";
import { describePage, openPage, submit } from "./page_navigation.ts";
import { manage, publicClient as registrable, register } from "./registering.ts";

const deviceCode = "urn:ietf:params:oauth:grant-type:device_code";
const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";

const options: LatchkeyOptions = {
  clients: [
    publicClient("spa", { access_token_format: "opaque" }),
    { client_id: "tv", grant_types: [deviceCode, "refresh_token"] },
    confidentialClient("gateway", { grant_types: [tokenExchange, "refresh_token"] }),
  ],
  tokenExchange: {},
};

/** What happens to one call: it is never done, done after the response although its limit has passed, or just done. */
const modes = ["fails", "hangs", "is done but rejects"] as const;

/** A store of which one call rejects. */
function unreliableStore(store: Store) {
  let remaining = Infinity;
  let mode: typeof modes[number] = "fails";
  let late: (() => Promise<unknown>) | undefined;
  const failure = () =>
    new StoreError({ location: "the store", expected: "a response", received: "none", hint: "try again" });
  const unreliable = new Proxy(store, {
    get(target, verb: keyof Store) {
      const member = target[verb] as unknown;
      if (typeof member !== "function" || verb === "close" || verb === "deleteExpired") return member;
      return async (...args: unknown[]) => {
        const call = () => member.apply(target, args) as Promise<unknown>;
        if (--remaining !== 0) return await call();
        if (mode === "hangs") late = call;
        if (mode === "is done but rejects") await call();
        throw failure();
      };
    },
  });
  return {
    store: unreliable,
    /** Breaks the call of this number, counted from now. */
    break(n: number, how: typeof mode): void {
      [remaining, mode, late] = [n, how, undefined];
    },
    /** Ends the fault; returns whether it has happened. */
    async repair(): Promise<boolean> {
      const happened = remaining <= 0;
      remaining = Infinity;
      await late?.();
      return happened;
    },
  };
}

/** A flow whose last request meets the fault. */
interface Flow {
  readonly name: string;
  /** Whether its request may succeed once only. */
  readonly isSingleUse?: boolean;
  /** Makes what the request needs; returns how it is sent. */
  prepare(server: TestServer): Promise<() => Promise<Response>>;
  /** What must hold after its success, before it is repeated. */
  check?(server: TestServer, response: Response): Promise<void>;
}

const login = (server: TestServer) => openBrowser(server).login();

/** The access token and the refresh token of a response are valid. */
async function assertUsable(server: TestServer, response: Response, client_id = "spa"): Promise<void> {
  const { access_token, refresh_token } = await assertTokenResponse(response) as { access_token: string } & {
    refresh_token?: string;
  };
  assertEquals((await userinfo(server, access_token)).status, 200);
  if (refresh_token !== undefined) assertEquals((await refresh(server, refresh_token, { client_id })).status, 200);
}

async function putter(server: TestServer) {
  const client = await register(server);
  return () => manage(server, "PUT", client, { ...registrable, client_id: client.client_id });
}

const flows: readonly Flow[] = [
  { name: "authorization", prepare: (server) => Promise.resolve(() => server.authorize()) },
  {
    name: "code",
    isSingleUse: true,
    async prepare(server) {
      const code = await server.code();
      return () => server.token({ code });
    },
    check: assertUsable,
  },
  {
    name: "refresh",
    isSingleUse: true,
    async prepare(server) {
      const { refresh_token } = await login(server);
      return () => refresh(server, refresh_token);
    },
    check: assertUsable,
  },
  {
    name: "device",
    isSingleUse: true,
    async prepare(server) {
      const started = await (await server.post("/oauth2/device_authorization", { client_id: "tv", scope: "openid" }))
        .json();
      const browser = openBrowser(server);
      const path = `/device?user_code=${started.user_code}`;
      let page = await openPage(browser, path, await browser.get(path));
      for (let i = 0; i < 3 && describePage(page) !== "consent"; i++) page = await submit(browser, page, "");
      if (describePage(page) === "consent") await submit(browser, page, "decision", "allow");
      const { device_code } = started;
      return () => server.post("/oauth2/token", { grant_type: deviceCode, client_id: "tv", device_code });
    },
    check: (server, response) => assertUsable(server, response, "tv"),
  },
  {
    name: "registration",
    prepare: (server) =>
      Promise.resolve(() =>
        server.get("/oauth2/register", {
          method: "POST",
          body: JSON.stringify(registrable),
          headers: { "content-type": "application/json" },
        })
      ),
    check: async (server, response) => assertEquals((await manage(server, "GET", await response.json())).status, 200),
  },
  {
    name: "registered client",
    isSingleUse: true,
    prepare: putter,
    check: async (server, response) => assertEquals((await manage(server, "GET", await response.json())).status, 200),
  },
  {
    name: "logout",
    async prepare(server) {
      const browser = openBrowser(server);
      const { id_token } = await browser.login();
      return async () => {
        const response = await browser.post("/oauth2/logout", { id_token_hint: id_token });
        // A session whose logout was confirmed has ended.
        if (response.status < 400) assertEquals(await browser.authorizeSilently(), "login_required");
        return response;
      };
    },
  },
  {
    name: "exchange",
    async prepare(server) {
      const { access_token } = await login(server);
      const fields = {
        subject_token: access_token,
        subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
      };
      return () => server.post("/oauth2/token", { grant_type: tokenExchange, ...fields }, basicHeader("gateway"));
    },
  },
];

/** Whether a response is a success. Asserts that any other one is a clean rejection. */
async function isSuccess(response: Response): Promise<boolean> {
  if (response.status >= 300 && response.status < 400) {
    const error = response.headers.get("location")?.includes("error=")
      ? getRedirectParams(response).get("error")
      : null;
    if (error !== null) assertEquals(error, "temporarily_unavailable");
    return error === null;
  }
  if (response.status < 300) return true;
  assert([400, 401, 503].includes(response.status), `${response.status} ${await response.clone().text()}`);
  return false;
}

for (const [name, skip, create] of sample(storeKinds, 4, 0)) {
  for (const flow of flows) {
    test(`[TK-22, CI-04] on ${name} any call of the store in the flow ${flow.name} may fail`, { skip }, async () => {
      for (const mode of modes) {
        const { store, break: breakCall, repair } = unreliableStore(await create()());
        const server = await testServer({ ...options, store });
        for (let n = 1;; n++) {
          const send = await flow.prepare(server);
          breakCall(n, mode);
          const first = await send();
          const happened = await repair();
          const at = `call ${n} ${mode}`;
          let successes = 0;
          if (await isSuccess(first)) {
            successes++;
            await flow.check?.(server, first);
          } else assert(happened && (first.status === 503 || first.status < 400), `${at}: ${first.status}`);
          // The client tries again, twice.
          for (let again = 0; again < 2; again++) if (await isSuccess(await send())) successes++;
          if (flow.isSingleUse) assert(successes <= 1, `${at}: ${successes} successes`);
          else assert(successes >= 2, `${at}: ${successes} successes`);
          await assertUsable(server, await server.token({ code: await server.code() }));
          if (!happened) break;
          assert(n < 60, `${flow.name} has no end`);
        }
        await server.as.close();
      }
    });
  }
}
