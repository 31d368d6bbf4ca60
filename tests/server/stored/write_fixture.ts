/**
 * Writes the records of a server, and what its clients and browsers hold, as JSON lines. Run it before you raise the
 * format of stored records, and name the file by the format that ends:
 *
 * deno run -A --lock=dev.lock tests/server/stored/write_fixture.ts > tests/server/stored/format_1.jsonl
 */

import { memoryStore } from "../../../src/mod.ts";
import { openBrowser, sessionCookie } from "../browser.ts";
import { clientKey, tokenProof } from "../client_jwts.ts";
import { publicClient, refresh } from "../client_endpoints.ts";
import { pushed } from "../extensions/par/pushed_requests.ts";
import { observedStore, testServer } from "../../kit.ts";
import { getCode, logInAndAllow } from "../page_navigation.ts";
import { register } from "../registering.ts";

const kinds = new Set<string>();
const store = observedStore({ ...memoryStore(), persistent: true }, (verb, [kind]) => {
  if (verb === "put" || verb === "add") kinds.add(kind as string);
  if (verb === "revoke") kinds.add("revocation");
});
const device_code = "urn:ietf:params:oauth:grant-type:device_code";
const server = await testServer({
  login: "interactive",
  clients: [publicClient("spa", { access_token_format: "opaque" }), { client_id: "tv", grant_types: [device_code] }],
  users: [{ sub: "alice", name: "Alice Adams" }],
  store,
});
const browser = openBrowser(server);
const key = await clientKey();
const code = async (fields = {}) => getCode(await logInAndAllow(openBrowser(server), "alice", fields));
const tokens = async (response: Promise<Response>) => await (await response).json();

const first = await tokens(server.token({ code: getCode(await logInAndAllow(browser, "alice")) }));
const bound = await tokens(server.token({ code: await code() }, { headers: await tokenProof(key) }));
const narrow = await tokens(server.token({ code: await code({ resource: "https://api.test/a" }) }));
const revoked = await tokens(server.token({ code: await code() }));
await server.post("/oauth2/revoke", { client_id: "spa", token: revoked.access_token });
const used = await code();
await server.token({ code: used });
const rotated = await tokens(refresh(server, (await tokens(server.token({ code: await code() }))).refresh_token));
const device = await tokens(server.post("/oauth2/device_authorization", { client_id: "tv", scope: "openid read" }));
await server.post("/oauth2/token", { grant_type: device_code, client_id: "tv", device_code: device.device_code });
await server.as.users.set({ sub: "dora" });

const kept = {
  code: await code(),
  boundCode: await code({ dpop_jkt: key.thumbprint }),
  narrowCode: await code({ resource: "https://api.test/a" }),
  used,
  refresh: first.refresh_token,
  boundRefresh: bound.refresh_token,
  narrowRefresh: narrow.refresh_token,
  rotated: rotated.refresh_token,
  access: first.access_token,
  boundAccess: bound.access_token,
  revoked: revoked.access_token,
  session: browser.cookies.get(sessionCookie),
  requestUri: await pushed(server),
  device: device.device_code,
  registered: await register(server),
};
console.log(JSON.stringify(kept));
for (const kind of [...kinds].sort()) {
  for (const record of await store.list(kind, { prefix: "", limit: 1000 })) {
    const { expiresAt } = record;
    console.log(JSON.stringify({ kind, ...record, expiresAt: expiresAt === Infinity ? null : expiresAt }));
  }
}
