/** Long texts cost nothing: one text of any shape takes about the time of plain words of the same length. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { readRealm } from "../../src/cli/realm/read_realm.ts";
import { readConfiguration } from "../../src/cli/read_config.ts";
import { findMessages } from "../../src/devtools/messages/find_messages.ts";
import { rulesOfSentence } from "../../src/devtools/rules/find_by_sentence.ts";
import { extensions, type Latchkey } from "../../src/mod.ts";
import { type Certificate, parseCertificate } from "../../src/platform/runtime/certificate.ts";
import { clientFieldWith } from "../../src/server/config/client_fields.ts";
import type { ClientMetadata } from "../../src/server/config/client_metadata.ts";
import { hasSubject } from "../../src/server/extensions/mutual_tls/subject.ts";
import { redactText } from "../../src/server/redaction/redact.ts";
import { registeredSecrets } from "../../src/server/redaction/registered_secrets.ts";
import { encode, goodRequest } from "../kit.ts";
import { sample } from "../sample.ts";
import { cpuTimeOf } from "../until.ts";
import { serverKinds, startServer } from "./servers.ts";
import {
  headerNames,
  hostShapes,
  maxBody,
  type Place,
  placesOf,
  plain,
  type Shape,
  shapes,
  startTextServer,
  takesHost,
  type TextServer,
} from "./costly_texts.ts";

/** CPU time that any request may take, in milliseconds: quadratic time takes hundreds, also on a quick machine. */
const floorMs = 100;

/**
 * Further attempts with a request that took longer. The least time counts: compilation ends, and tests of other files,
 * which share the processor's caches, run only now and then.
 */
const maxAttempts = 24;

/** How many times the time of plain words a text may take. */
const maxRatio = 8;

/** What is wrong if an action takes much longer than the same with plain words, or with half of the text. */
async function findCost(
  name: string,
  timeOfAction: () => Promise<number>,
  timeOfPlain: () => Promise<number>,
  floor = floorMs,
  ratio = maxRatio,
): Promise<string[]> {
  let least = await timeOfAction();
  if (least <= floor) return [];
  let leastPlain = await timeOfPlain();
  const isCheap = () => least <= Math.max(floor, ratio * leastPlain);
  for (let attempt = 0; attempt < maxAttempts && !isCheap(); attempt++) {
    least = Math.min(least, await timeOfAction());
    leastPlain = Math.min(leastPlain, await timeOfPlain());
  }
  return isCheap() ? [] : [`${name} takes ${Math.round(least)} ms, the other ${Math.round(leastPlain)} ms`];
}

test("the time of a loop is measured", async () => {
  const loop = () => {
    let sum = 0;
    for (let i = 0; i < 3e8; i++) sum += i % 7;
    return sum;
  };
  assert(await cpuTimeOf(loop) > 0);
});

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
        return await cpuTimeOf(async () => {
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
        const timeWith = (one: Shape) => cpuTimeOf(async () => void await on.send(place.request(one)!));
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
    const timeAt = ({ request }: Place) => cpuTimeOf(() => on.send(request(plain)!));
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
        ...ids.slice(-1).flatMap((id) => ["", ".md", ".sh"].map((end) => `/flows/${id}${end}`)),
      ];
      return await cpuTimeOf(async () => {
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
    return await cpuTimeOf(async () => {
      const page = await (await as.fetch(new Request(new URL(location, as.issuer)))).text();
      assertMatch(page, /The secret that was sent has 14801 characters/);
    });
  };
  for (const addition of [`" `, `"\n`, "\n ", "x "]) {
    assertEquals(await findCost(JSON.stringify(addition), () => timeWith(addition), () => timeWith("ab")), []);
  }
  await as.close();
});

/** Parts of texts for the functions that search them, besides those of requests. */
const searchedUnits = [
  ...[
    "A",
    "%41",
    "invalid_grant ",
    "token expired ",
    "expected ",
    "expected 'x' got ",
    'unexpected JWT "',
    "http://a/b?c ",
  ],
  ...[
    "Invalid issuer. Expected ",
    "(nonce did not match (wants x but got ",
    "Failed to connect to x port ",
    "a/ ",
    "CN= ",
  ],
];

/** What takes a text of others, by name. */
function textTakers(on: TextServer): Readonly<Record<string, (text: string) => unknown>> {
  const { server: { as }, send, form: { cookie } } = on;
  const certificate = { subject: ["CN=x"], alternativeNames: [], hasValue: () => true } as unknown as Certificate;
  const registered = registeredSecrets();
  registered.addClients({ known: () => new Map([["a", { secretDigest: "x" }]]) } as unknown as Latchkey["clients"]);
  const request = (path: string, init: RequestInit) => {
    try {
      return new Request(as.issuer + path, init);
    } catch {
      // Not a value of a header.
      return undefined;
    }
  };
  const sent = (path: string, init: RequestInit) => {
    const made = request(path, init);
    return made && send(made).then(({ status }) => assert(status < 500, `${status} of ${path}`));
  };
  const register = (member: string, value: unknown) =>
    sent("/oauth2/register", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ redirect_uris: ["https://a.example/cb"], [member]: value }),
    });
  const members = Object.keys(clientFieldWith(extensions).members);
  return {
    explain: (text) => [findMessages(text), rulesOfSentence(text)],
    "search of flows": (text) => sent(`/flows?q=${encodeURIComponent(text)}`, { headers: { cookie } }),
    "redaction of a text": (text) => redactText(text),
    "redaction of registered secrets": (text) => registered.redact(text, () => "…"),
    "a certificate": (text) => [parseCertificate(text), parseCertificate(`-----BEGIN CERTIFICATE-----\n${text}`)],
    "a registered subject": (text) =>
      hasSubject(certificate, { tls_client_auth_subject_dn: `CN=${text}` } as ClientMetadata),
    ...Object.fromEntries(
      headerNames.flatMap((name) =>
        [["", "GET"], ["/oauth2/authorize", "GET"], ["/oauth2/token", "POST"], ["/oauth2/userinfo", "GET"]].map((
          [path, method],
        ) => [
          `header ${name} at ${path}`,
          (text: string) => sent(path!, { method: method!, headers: { [name]: text } }),
        ])
      ),
    ),
    ...Object.fromEntries(members.flatMap((member) => [
      [`registration of ${member}`, (text: string) => register(member, text)],
      [`registration of a list of ${member}`, (text: string) => register(member, [text])],
      [`registration of an object as ${member}`, (text: string) => register(member, { keys: [{ [text]: text }] })],
      [`registration of many ${member}`, (text: string) => register(member, text.match(/[^]{1,9}/g))],
    ])),
  };
}

test("[HT-09] a text of 50 KB or 100 KB takes about twice as long as its half, wherever it is taken", async () => {
  const on = await startTextServer();
  const failures: string[] = [];
  const searched = searchedUnits.map((unit) => ({ name: unit, text: (n: number) => unit.repeat(n / unit.length) }));
  for (const [i, [place, take]] of Object.entries(textTakers(on)).entries()) {
    const isSearched = !/^(?:header|registration) /.test(place);
    for (const shape of isSearched ? sample([...shapes, ...searched], 8, i) : sample(shapes, 16, i)) {
      const timeOfText = (size: number) => cpuTimeOf(async () => void await take(shape.text(size, (text) => text)));
      for (const size of [50_000, 100_000]) {
        const name = `${place} with ${size} of ${shape.name}`;
        failures.push(...await findCost(name, () => timeOfText(size), () => timeOfText(size / 2), floorMs, 3));
      }
    }
  }
  assertEquals(failures, []);
  await on.server.as.close();
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
    return cpuTimeOf(() => readConfiguration(sources).catch(() => {}));
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
      return cpuTimeOf(async () => {
        if ("realm" in content) await readRealm(content, () => "s".repeat(32), {}).catch(() => {});
        const sources = { args: ["--config", "x.json"], env: {}, readTextFile: () => Promise.resolve(text) };
        await readConfiguration(sources).catch(() => {});
      });
    };
    failures.push(...await findCost(name, () => timeWith(2000), () => timeWith(500), 2 * floorMs));
  }
  assertEquals(failures, []);
});
