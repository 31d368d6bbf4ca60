/** Long texts cost nothing: one text of any shape takes about the time of plain words of the same length. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { readRealm } from "../../src/cli/realm/read_realm.ts";
import { readConfiguration } from "../../src/cli/read_config.ts";
import type { Certificate } from "../../src/platform/runtime/certificate.ts";
import type { ClientMetadata } from "../../src/server/config/client_metadata.ts";
import { hasSubject } from "../../src/server/extensions/mutual_tls/subject.ts";
import { encode, goodRequest } from "../kit.ts";
import { sample } from "../sample.ts";
import { serverKinds, startServer } from "./servers.ts";
import {
  hostShapes,
  maxBody,
  type Place,
  placesOf,
  plain,
  type Shape,
  shapes,
  startTextServer,
  takesHost,
  timeOf,
} from "./costly_texts.ts";

/** CPU time that any request may take, in milliseconds: quadratic time takes hundreds, also on a quick machine. */
const floorMs = 100;

/**
 * Further attempts with a request that took longer. The least time counts: pauses and compilation end, and tests of
 * other files, which run beside these, use the processor only now and then.
 */
const maxAttempts = 24;

/** How many times the time of plain words a text may take. */
const maxRatio = 8;

/** What is wrong if an action takes much longer than the same with plain words. */
async function findCost(
  name: string,
  timeOfAction: () => Promise<number>,
  timeOfPlain: () => Promise<number>,
  floor = floorMs,
): Promise<string[]> {
  let least = await timeOfAction();
  if (least <= floor) return [];
  let leastPlain = await timeOfPlain();
  const isCheap = () => least <= Math.max(floor, maxRatio * leastPlain);
  for (let attempt = 0; attempt < maxAttempts && !isCheap(); attempt++) {
    least = Math.min(least, await timeOfAction());
    leastPlain = Math.min(leastPlain, await timeOfPlain());
  }
  return isCheap() ? [] : [`${name} takes ${Math.round(least)} ms, plain words ${Math.round(leastPlain)} ms`];
}

/**
 * The places that get every kind of text; in a run of all files, an eighth of the kinds. The others get two kinds.
 */
const thorough =
  /^(?:path|header .* at \/nowhere$|authorize: GET (?:redirect_uri|scope|state|claims|q|client_id)$|token: (?:POST (?:redirect_uri|code|q)|name of|raw|plain|broken)|register: (?:JSON|raw|.* in JSON)|tokens: POST token$)/;

/**
 * The kinds of text for a place: two for most, in turn, so that every endpoint gets many. In a run of all files, a
 * quarter of these places get one.
 */
function shapesOf(place: Place, index: number): readonly Shape[] {
  if (thorough.test(place.name)) return sample(shapes, 8, index);
  return sample([shapes[index * 2 % shapes.length]!, shapes[(index * 2 + 1) % shapes.length]!], 8, index);
}

test("[HT-09] no endpoint, parameter or header makes a long text expensive", async () => {
  const on = await startTextServer();
  const failures: string[] = [];
  const places = placesOf(on, 20_000);
  for (const [i, place] of places.entries()) {
    for (const shape of shapesOf(place, i)) {
      const timeWith = async (one: Shape) => {
        const request = place.request(one);
        if (request === undefined) return 0;
        return await timeOf(async () => {
          const { status } = await on.send(request);
          if (status >= 500) failures.push(`${place.name} with ${one.name} is ${status}`);
        });
      };
      failures.push(
        ...await findCost(`${place.name} with ${shape.name}`, () => timeWith(shape), () => timeWith(plain)),
      );
    }
  }
  assertEquals(failures, []);
  await on.server.as.close();
});

/** The places that get every host name. The others get one of each length; in a run of all files, few of them. */
const withHosts = /^(?!control\.)(?:header (?:host|origin|referer) at |.*(?: |_)(?:uris?|client_id|resource)$)/;

test("[HT-09] no endpoint, header or parameter makes a host name expensive", async () => {
  const on = await startTextServer();
  // Long names last: exponential time has an end only for few parts.
  for (const [turn, count] of [27, 1_000].entries()) {
    for (const [i, place] of placesOf(on, 20_000).entries()) {
      const all = hostShapes(!takesHost.test(place.name), count);
      for (
        const shape of withHosts.test(place.name) ? sample(all, 16, i) : sample([all[i % all.length]!], 8, i + 4 * turn)
      ) {
        const timeWith = (one: Shape) => timeOf(async () => void await on.send(place.request(one)!));
        const cost = await findCost(`${place.name} with ${shape.name}`, () => timeWith(shape), () => timeWith(plain));
        assertEquals(cost, []);
      }
    }
  }
  await on.server.as.close();
});

test("[DR-02] many unknown names, words and values take about the time of one long name", async () => {
  const on = await startTextServer();
  const places = placesOf(on, maxBody);
  const failures: string[] = [];
  for (const place of places.filter(({ name }) => /^(?!control\.).*: many /.test(name))) {
    const [endpoint] = place.name.split(":", 1);
    const single = places.find(({ name }) => name === `${endpoint}: name in JSON`)!;
    const timeAt = ({ request }: Place) => timeOf(() => on.send(request(plain)!));
    failures.push(...await findCost(place.name, () => timeAt(place), () => timeAt(single), 2 * floorMs));
  }
  assertEquals(failures, []);
  await on.server.as.close();
});

test("[FL-03] pages and exports of recorded texts take about the time of plain words", async () => {
  const on = await startTextServer();
  const { recorder, send, form, server: { as } } = on;
  const get = (path: string) => send(new Request(as.issuer + path, { headers: { cookie: form.cookie } }));
  const recorded = placesOf(on, maxBody).filter(({ name }) =>
    /^(?:path|token: (?:POST (?:redirect_uri|q)|name of|raw|plain|broken)|header user-agent at \/nowhere)/.test(name)
  );
  assert(recorded.length >= 8);
  const record = async (places: readonly Place[], shape: Shape) => {
    recorder.clear();
    await get(`/oauth2/authorize?${encode({ ...goodRequest, scope: "bogus" })}`);
    for (const place of places) {
      const request = place.request(shape);
      if (request !== undefined) await send(request);
    }
  };
  const failures: string[] = [];
  for (const shape of sample(shapes, 8, 0)) {
    const timeWith = async (one: Shape) => {
      await record(recorded, one);
      const ids = recorder.flows().map(({ id }) => id);
      const pages = [
        "/flows",
        "/flows.json",
        ...ids.slice(-1).flatMap((id) => ["", ".har", ".md", ".sh"].map((end) => `/flows/${id}${end}`)),
      ];
      return await timeOf(async () => {
        for (const path of pages) assertEquals((await get(path)).status, 200, path);
      });
    };
    failures.push(...await findCost(`pages with ${shape.name}`, () => timeWith(shape), () => timeWith(plain)));
  }
  assertEquals(failures, []);
  await as.close();
});

// Regression: each addition was another pass over the secret, in quadratic time.
test("[FL-02] the page of a wrong secret with thousands of additions takes about the time of plain words", async () => {
  const { as } = await startServer({ ...serverKinds[0]!, options: { issuer: "http://localhost:9000" } });
  const timeWith = async (start: string) => {
    const client_secret = `${start.repeat(3_700)}x${[...start].toReversed().join("").repeat(3_700)}`;
    const body = encode({ grant_type: "client_credentials", client_id: "demo-confidential", client_secret });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const token = new Request(`${as.issuer}/oauth2/token`, { method: "POST", headers, body });
    const { error_uri } = await (await as.fetch(token)).json();
    const location = (await as.fetch(new Request(error_uri))).headers.get("location")!;
    return await timeOf(async () => {
      const page = await (await as.fetch(new Request(new URL(location, as.issuer)))).text();
      assertMatch(page, /The secret that was sent has 14801 characters/);
    });
  };
  for (const addition of [`" `, `"\n`, "\n ", "x "]) {
    assertEquals(await findCost(JSON.stringify(addition), () => timeWith(addition), () => timeWith("ab")), []);
  }
  await as.close();
});

test("[MT-02] a registered subject of any shape takes about the time of plain words", async () => {
  const certificate = { subject: ["CN=x"], alternativeNames: [], hasValue: () => true } as unknown as Certificate;
  const failures: string[] = [];
  for (
    const shape of [
      ...shapes,
      ...["CN= ", "\\ ", "1."].map((unit) => ({ ...plain, text: (n: number) => unit.repeat(n) })),
    ]
  ) {
    const timeWith = ({ text }: Shape) => {
      const name = `CN=${text(100_000, (text) => text)}`;
      const client = { tls_client_auth_subject_dn: name } as ClientMetadata;
      return timeOf(() => Promise.resolve(hasSubject(certificate, client)));
    };
    failures.push(...await findCost(shape.name, () => timeWith(shape), () => timeWith(plain)));
  }
  assertEquals(failures, []);
});

/** Files with this many items, each with something to report. */
const files: Readonly<Record<string, (count: number) => object>> = {
  "clients of a wrong type": (count) => ({ clients: list(count, () => ({ client_id: 7 })) }),
  "clients with unknown members": (count) => ({ clients: list(count, (id) => ({ client_id: id, rediret_uris: [] })) }),
  "clients that conflict": (count) => ({
    clients: list(count, (id) => ({ client_id: id, redirect_uris: ["javascript:alert(1)"] })),
  }),
  "users that repeat": (count) => ({ users: list(count, () => ({ sub: "alice" })) }),
  "a realm with invalid clients": (count) => ({
    realm: "x",
    clients: list(count, (id) => ({ clientId: `${id}\0`, secret: "s", redirectUris: ["https://app.example/cb"] })),
  }),
  "a realm with repeated users": (count) => ({
    realm: "x",
    users: list(count, () => ({ username: "alice", enabled: true })),
  }),
  "a realm with nested roles": (count) => ({
    realm: "x",
    roles: { realm: list(count, (name, i) => ({ name, composites: { realm: [`x${i + 1}`, `x${i * 2}`] } })) },
    users: list(count, (username) => ({ username, enabled: true, realmRoles: [username] })),
  }),
};

function list(count: number, item: (id: string, i: number) => object): object[] {
  return Array.from({ length: count }, (_, i) => item(`x${i}`, i));
}

/** Texts of files that are no JSON, each of a part that is repeated. */
const textFiles = [
  ...[
    "#\n",
    "# \n",
    "#a\n",
    "# a b\n\n",
    "#a \t",
    "--- ",
    "---\n",
    "---\n#\n",
    " ",
    "\n",
    "\t\n ",
    "a",
    "a-",
    "a:",
    "a: ",
  ],
  ...["issuer:\n", "issuer:", "[", "//\n", "\ufeff", "\r\n"],
];

test("a file that is no JSON takes about the time of plain words", async () => {
  const timeWith = (text: string) => {
    const sources = { args: ["--config", "x.yaml"], env: {}, readTextFile: () => Promise.resolve(text) };
    return timeOf(() => readConfiguration(sources).catch(() => {}));
  };
  // Long texts last: exponential time has an end only for short ones.
  for (const length of [64, 30_000]) {
    for (const [unit, end] of textFiles.flatMap((unit) => ["", "!", "\n1"].map((end) => [unit, end]))) {
      const text = unit!.repeat(length / unit!.length) + end;
      const name = `${JSON.stringify(unit)} … ${JSON.stringify(end)}`;
      const plainText = "plain words ".repeat(length / 12);
      assertEquals(await findCost(name, () => timeWith(text), () => timeWith(plainText)), []);
    }
  }
});

test("a file that is four times as long takes about four times as long, whatever is wrong with it", async () => {
  const failures: string[] = [];
  for (const [name, file] of Object.entries(files)) {
    const timeWith = (count: number) => {
      const content = file(count);
      const text = JSON.stringify(content);
      return timeOf(async () => {
        if ("realm" in content) await readRealm(content, () => "s".repeat(32), {}).catch(() => {});
        const sources = { args: ["--config", "x.json"], env: {}, readTextFile: () => Promise.resolve(text) };
        await readConfiguration(sources).catch(() => {});
      });
    };
    failures.push(...await findCost(name, () => timeWith(2000), () => timeWith(500), 2 * floorMs));
  }
  assertEquals(failures, []);
});
