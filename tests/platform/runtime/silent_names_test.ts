/** Names that never resolve: a client that sends them to the program stops no other request. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { formatPasswordDigest } from "../../../src/server/config/password_digest.ts";
import { scryptDigest } from "../../../src/platform/runtime/scrypt.ts";
import { basic, encode, forEachCase } from "../../kit.ts";
import { assertionOf, clientKey, signingContext } from "../../server/client_jwts.ts";
import { dropPostgresSchemas, postgresUrl, uniqueName } from "../store/servers.ts";
import { until } from "../../until.ts";
import { tcpProxy } from "../store/tcp_proxy.ts";
import { nameServer, skipWithoutNamespace as skip } from "./name_server.ts";
import { against, file, get, post, spaRequest } from "./program_requests.ts";

const secret = "machine-secret-machine-secret";
const password = "correct horse battery staple";
const cost = { ln: 10, r: 8, p: 1, salt: new Uint8Array(16) };

/** The names of foreign clients: of a domain, and of the hosts that a server on a test host also accepts. */
const names: Readonly<Record<string, (n: number) => string>> = {
  "of a domain": (n) => `c${n}.widgets.com`,
  "of a test host": (n) => `c${n}.app.test`,
};

/** Waits until a request succeeds. It is repeated while it fails. */
function success(send: () => Promise<Response>, status = 200): Promise<void> {
  return until(async () => {
    const response = await send().catch(() => undefined);
    await response?.body?.cancel();
    return response?.status === status;
  });
}

for (const [kind, nameOf] of Object.entries(names)) {
  test(
    `[MC-05] thirty names ${kind} that never resolve delay no other request and no reconnect`,
    { skip },
    async () => {
      const names = await nameServer((name) => /^c\d+\./.test(name));
      const key = await clientKey();
      let fetches = 0;
      const keyServer = createServer((_, response) => {
        fetches++;
        response.setHeader("content-type", "application/json").end(JSON.stringify({ keys: [key.jwk] }));
      });
      await new Promise<void>((resolve) => keyServer.listen(0, "localhost", resolve));
      const database = new URL(postgresUrl ?? "postgres://none");
      const proxy = await tcpProxy(Number(database.port || 5432));
      const schema = uniqueName();
      database.host = `localhost:${proxy.port}`;
      database.searchParams.set("schema", schema);
      const grant_types = ["client_credentials"];
      const config = file(`silent-${kind.replaceAll(" ", "-")}.json`, {
        ...{ alg: "ES256", login: "interactive" },
        ...postgresUrl !== undefined && { store: database.href },
        clients: [
          { client_id: "spa", redirect_uris: ["http://localhost:5173/cb"] },
          { client_id: "machine", client_secret: secret, grant_types },
          {
            client_id: "keyed",
            token_endpoint_auth_method: "private_key_jwt",
            jwks_uri: `http://localhost:${(keyServer.address() as AddressInfo).port}/jwks`,
            grant_types,
          },
        ],
        users: [{
          sub: "carol",
          password: formatPasswordDigest({ ...cost, hash: await scryptDigest(password, cost, 32) }),
        }],
      });
      try {
        await against({ args: ["--config", config], resolvConf: names.resolvConf }, async (_, url) => {
          const machine = basic("machine", secret);
          const token = () => post(`${url}/oauth2/token`, { grant_type: "client_credentials" }, machine);
          const { access_token } = await (await token()).json();
          const asked = await get(`${url}/oauth2/authorize?${encode(spaRequest)}`);
          const cookie = asked.headers.getSetCookie()[0]!.split(";")[0]!;
          const page = await (await get(url + asked.headers.get("location"), { headers: { cookie } })).text();
          const form = Object.fromEntries(
            [...page.matchAll(/name="(interaction|form_token)" value="([^"]*)"/g)].map((
              [, name, value],
            ) => [name, value]),
          );
          const logIn = async () => {
            const body = encode({ ...form, sub: "carol", password });
            const headers = { "content-type": "application/x-www-form-urlencoded", cookie };
            return await get(`${url}/oauth2/login`, { method: "POST", body, headers });
          };
          const keyed = async () => {
            const fields = await assertionOf("keyed", key, {}, signingContext(Math.floor(Date.now() / 1000), url));
            return await post(`${url}/oauth2/token`, { grant_type: "client_credentials", ...fields });
          };

          const flood = Array.from(
            { length: 30 },
            (_, n) =>
              get(`${url}/oauth2/authorize?${encode({ ...spaRequest, client_id: `https://${nameOf(n)}/client.json` })}`)
                .then(({ status }) => status, () => 0),
          );
          await until(() => names.asked.size > 0);

          if (postgresUrl !== undefined) {
            proxy.cut();
            proxy.restore();
            await success(token);
          }
          await Promise.all([
            success(token),
            success(() => post(`${url}/oauth2/introspect`, { token: access_token }, machine)),
            success(logIn, 303),
            success(keyed),
          ]);
          assertEquals(fetches, 1);
          names.release();
          const statuses = await Promise.all(flood);
          // 503 while the database was cut off.
          assert(statuses.every((status) => [400, 429, 503].includes(status)), statuses.join());
        });
      } finally {
        keyServer.close();
        await proxy.close();
        await names.close();
        if (postgresUrl !== undefined) await dropPostgresSchemas(postgresUrl, [schema]);
      }
    },
  );
}

test("[MC-05] a name is resolved by DNS or the hosts file, and its address is checked", { skip }, async () => {
  const addresses = {
    "keys.app.test": "127.0.0.1",
    "inside.widgets.com": "10.1.2.3",
    "metadata.widgets.com": "169.254.169.254",
  };
  const names = await nameServer(() => false, addresses, "10.3.2.1 hosted.widgets.com\n");
  let fetches = 0;
  const keyServer = createServer((_, response) => {
    fetches++;
    response.setHeader("content-type", "application/json").end('{"keys":[]}');
  });
  await new Promise<void>((resolve) => keyServer.listen(0, "127.0.0.1", resolve));
  const { port } = keyServer.address() as AddressInfo;
  const uris: Readonly<Record<string, [uri: string, received: RegExp | undefined]>> = {
    hostsFile: [`http://localhost:${port}/jwks`, undefined],
    testHost: [`http://keys.app.test:${port}/jwks`, undefined],
    inside: ["https://inside.widgets.com/jwks", /inside\.widgets\.com, which is 10\.1\.2\.3 \(private\)/],
    hosted: ["https://hosted.widgets.com/jwks", /hosted\.widgets\.com, which is 10\.3\.2\.1 \(private\)/],
    metadata: ["https://metadata.widgets.com/jwks", /which is 169\.254\.169\.254 \(reserved\)/],
    unknown: ["https://unknown.widgets.com/jwks", /unknown\.widgets\.com cannot be resolved/],
  };
  const config = file("names.json", {
    alg: "ES256",
    clients: Object.entries(uris).map(([client_id, [jwks_uri]]) => ({
      ...{ client_id, jwks_uri, token_endpoint_auth_method: "private_key_jwt", grant_types: ["client_credentials"] },
    })),
  });
  const key = await clientKey();
  try {
    await against(
      { args: ["--config", config, "--log", "json"], resolvConf: names.resolvConf },
      async (program, url) => {
        await forEachCase(Object.entries(uris), async ([id, [, received]]) => {
          const [countBefore, outputBefore] = [fetches, program.output().length];
          const fields = await assertionOf(id, key, {}, signingContext(Math.floor(Date.now() / 1000), url));
          const response = await post(`${url}/oauth2/token`, { grant_type: "client_credentials", ...fields });
          assertEquals([response.status, (await response.json()).error], [401, "invalid_client"]);
          assertEquals(fetches - countBefore, received === undefined ? 1 : 0);
          if (received === undefined) return;
          await program.waitForOutput(received);
          assertMatch(program.output().slice(outputBefore), received);
        });
        const ofStrangers = [...names.asked].filter((name) => name.includes(".widgets.com"));
        assertEquals(ofStrangers.sort(), ["inside", "metadata", "unknown"].map((name) => `${name}.widgets.com`));
      },
    );
  } finally {
    keyServer.close();
    await names.close();
  }
});
