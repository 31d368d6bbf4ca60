/** What each request asks of the store: with a database, every call is a round trip. */

import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { basic, type Fields, recordingStore, testServer } from "../kit.ts";

test("a request makes no store call that no rule needs", async () => {
  const { store, asked } = recordingStore();
  const server = await testServer({
    store,
    clients: [
      {
        client_id: "spa",
        redirect_uris: ["https://spa.example/cb"],
        grant_types: ["authorization_code", "refresh_token"],
      },
      {
        client_id: "api",
        client_secret: "api-secret",
        grant_types: ["client_credentials"],
        serves: ["https://as.test"],
      },
    ],
  });
  const { as, authorize, code, get, token } = server;
  const post = (path: string, fields: Fields) => server.post(path, fields, basic("api", "api-secret"));
  const tokens = await (await token({ code: await code() })).json();

  const requests: Record<string, { send: () => Promise<Response>; calls: readonly string[] }> = {
    // CI-03: what the code stands for, for whichever instance exchanges it.
    authorization: { send: () => authorize(), calls: ["put code"] },
    "code exchange": {
      send: async () => {
        const fresh = await code();
        asked.length = 0;
        return await token({ code: fresh });
      },
      calls: [
        // CI-03, CI-09: everything about it must be right before it is used up.
        "get code",
        // CI-11, LO-05: neither the grant nor the session has ended, for this client or at all. One round trip.
        ...["get revocation", "get revocation", "get revocation"],
        // CI-04: decides who exchanges it.
        "consume code",
        // RT-01
        "add refresh_token",
      ],
    },
    refresh: {
      send: () =>
        token({
          grant_type: "refresh_token",
          refresh_token: tokens.refresh_token,
          redirect_uri: undefined,
          code_verifier: undefined,
        }),
      calls: [
        // RT-02, RT-07: everything about it must be right before it is used up.
        "get refresh_token",
        // RT-04, RV-05, LO-05: the same.
        ...["get revocation", "get revocation", "get revocation"],
        // RT-05, RT-04: decides who exchanges it; the next one.
        "consume refresh_token",
        "add refresh_token",
      ],
    },
    // RV-05: neither the grant nor the token by itself is revoked.
    introspection: {
      send: () => post("/oauth2/introspect", { token: tokens.access_token }),
      calls: ["get revocation", "get revocation"],
    },
    userinfo: {
      send: () => get("/oauth2/userinfo", { headers: { authorization: `Bearer ${tokens.access_token}` } }),
      calls: ["get revocation", "get revocation"],
    },
    "client credentials": { send: () => post("/oauth2/token", { grant_type: "client_credentials" }), calls: [] },
  };
  for (const [name, { send, calls }] of Object.entries(requests)) {
    asked.length = 0;
    const { status } = await send();
    assertEquals([name, status < 400, asked], [name, true, calls]);
  }
  await as.close();
});
