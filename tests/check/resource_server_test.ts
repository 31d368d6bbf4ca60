/** What a resource server compares and keeps: each mistake is found by its attacks, and no legal style is accused. */

import { assert, assertEquals } from "@std/assert";
import { createLocalJWKSet, type JWTPayload, jwtVerify } from "jose";
import { test } from "node:test";
import { withoutServerNumber } from "../../src/check/journeys.ts";
import type { AttackResult } from "../../src/check/mod.ts";
import { resourceApplication } from "../../src/check/resource_application.ts";
import type { Exchange } from "../../src/recorder/exchange.ts";
import { sample } from "../sample.ts";
import type { Fetch } from "../../src/testing/fetch.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";
import { accusations, unclearIn } from "./accusations.ts";
import { partOf } from "./catalogue_part.ts";
import { checkClient, checkClientWithEdDsa } from "./patient_check.ts";
import { type ApiStyle, introspectionChecks, smallResourceServer } from "./small_resource_server.ts";

const values = ({ scope }: JWTPayload) => String(scope ?? "").split(" ");

/** The attacks on what an introspection response says. */
const introspections = ["odd", "meaning"].map((name) => `resource/introspection-${name}`);

/** Each mistake: the attacks that find it, and their variants that do. Default: all. */
const mistakes: Readonly<Record<string, readonly [ApiStyle, found: Readonly<Record<string, readonly string[]>>]>> = {
  "searches the scope as text": [{ allows: ({ scope }) => String(scope).includes("email") }, {
    "resource/token-scope": ["prefixed", "extended", "joined by a comma"],
  }],
  "compares the end of a scope value": [
    { allows: (claims) => values(claims).some((value) => value.endsWith("email")) },
    { "resource/token-scope": ["prefixed"] },
  ],
  "compares scope values without letter case": [
    { allows: ({ scope }) => /(?:^| )email(?: |$)/i.test(String(scope)) },
    { "resource/token-scope": ["case"] },
  ],
  "splits the scope at commas": [{ allows: ({ scope }) => String(scope).split(/[ ,]/).includes("email") }, {
    "resource/token-scope": ["joined by a comma"],
  }],
  "ignores cnf": [{ leavesOut: ["cnf"] }, { "resource/token-bound": [] }],
  // The second issuer of these tests has the same keys.
  "compares no iss": [{ verify: { issuer: undefined } }, {
    ...{ "resource/token-issuer": [], "resource/token-of-another-issuer": [] },
  }],
  "fetches the keys of every issuer": [{ believesIssuer: true }, {
    ...{ "resource/token-of-another-issuer": [], "resource/token-issuer": ["case", "port"] },
  }],
  "compares no aud": [{ verify: { audience: undefined } }, { "resource/token-audience": [] }],
  "needs no exp": [{ verify: { requiredClaims: [] } }, { "resource/token-outlived": ["absent"] }],
  "compares no time": [{ verify: { clockTolerance: 1e10 } }, {
    "resource/token-outlived": ["an hour ago", "six minutes ago", "a year ago"],
  }],
  "compares no typ": [{ verify: { typ: undefined } }, {
    "resource/id-token": ["an ID token with the resource as aud"],
  }],
  "compares neither typ nor aud": [{ verify: { typ: undefined, audience: undefined } }, {
    ...{ "resource/id-token": [], "resource/token-audience": [] },
  }],
  "keeps each introspection for an hour": [{ introspects: true, keeps: (age) => age < 3600 }, {
    "resource/token-kept": ["expired", "revoked"],
  }],
  "keeps each introspection until exp": [{ introspects: true, keeps: (_, left) => left > 0 }, {
    "resource/token-kept": ["revoked"],
  }],
  "keeps each verified token": [{ keeps: () => true }, { "resource/token-kept": ["expired"] }],
  "fetches the keys for each unknown one": [{ keySeconds: 0 }, { "resource/keys-unknown-often": [] }],
  "accepts tokens while it cannot introspect": [{ introspects: true, failsOpen: true }, {
    "resource/down-forged": ["status 500", "dropped", "empty", "garbage"],
  }],
  "accepts tokens while it has no keys": [{ failsOpen: true }, {
    "resource/down-forged": ["status 500", "dropped", "empty", "garbage"],
  }],
  "never fetches keys again": [{ keySeconds: Infinity }, { "resource/key-rotated": [] }],
};

for (const [place, [name, [style, expected]]] of sample([...Object.entries(mistakes).entries()], 2, 0)) {
  test(`a resource server that ${name} is found by ${Object.keys(expected).join(", ")}, and by nothing else`, async () => {
    const only = [...Object.keys(expected), ...partOf(["resource"], 8, place)];
    const report = await checkClientWithEdDsa(smallResourceServer(style), { only });
    assert(report.control.passed, String(report));
    assertEquals([...new Set(accusations(report))].sort(), Object.keys(expected).sort(), String(report));
    for (const [id, variants] of Object.entries(expected)) {
      const results = report.results.filter(({ attack }) => attack.id === id);
      const nameOf = (result: AttackResult) => String(Object.values(result.values).at(-1));
      const found = results.filter(({ verdict }) => verdict === "failed" || verdict === "warning").map(nameOf);
      assertEquals(found, variants.length === 0 ? results.map(nameOf) : variants, String(report));
    }
  });
}

test("a resource server that believes every introspection falls for every attack that it must reject", async () => {
  const style: ApiStyle = { introspects: true, failsOpen: true, leavesOut: Object.keys(introspectionChecks) };
  const { results } = await checkClientWithEdDsa(smallResourceServer(style), { only: ["resource"] });
  const passed = results.filter(({ verdict, attack }) => verdict === "passed" && attack.level === "must-reject");
  assertEquals(passed.map(({ attack: { id } }) => id), []);
});

/** The members that differ from token to token. */
const ofToken = ["jti", "iat", "client_id", "auth_time", "sid"];

/** The last introspection response: each member as text, without the number of the server, and `exp` from `iat` on. */
function lastIntrospection(exchanges: readonly Exchange[]): ReadonlyMap<string, string> {
  const body = exchanges.findLast(({ endpoint }) => endpoint === "introspect")?.response?.body ?? "{}";
  const members = JSON.parse(body);
  const shown = Object.entries({ ...members, exp: members.exp - members.iat }).filter(([name]) =>
    !ofToken.includes(name)
  );
  return new Map(shown.map(([name, value]) => [name, withoutServerNumber(JSON.stringify(value))]));
}

/** The members of a changed response that differ from the honest response. */
function changedMembers({ evidence }: AttackResult, honest: ReadonlyMap<string, string>): readonly string[] {
  const received = lastIntrospection(evidence.exchanges);
  return [...new Set([...honest.keys(), ...received.keys()])].filter((name) => honest.get(name) !== received.get(name));
}

for (const place of [0, 1]) {
  const leavesOut = Object.keys(introspectionChecks).filter((_, index) => index % 2 === place);
  test(`a resource server that leaves out ${leavesOut.join(", ")} accepts the introspection responses that differ in one of them, and no others`, async () => {
    const report = await checkClientWithEdDsa(smallResourceServer({ introspects: true, leavesOut }), {
      only: introspections,
    });
    assert(report.control.passed, String(report));
    const honest = lastIntrospection(report.control.exchanges);
    for (const result of report.results) {
      const changed = changedMembers(result, honest);
      assertEquals(changed.length, 1, `${JSON.stringify(result.values)}: ${changed}`);
      assertEquals(result.verdict === "passed", !leavesOut.includes(changed[0]!), String(report));
    }
  });
}

const legalStyles: Readonly<Record<string, ApiStyle>> = {
  "verifies each token once, compares exp with five minutes of leeway, and needs two scope values and tokens that are for no other resource (RFC 9700 §2.3)":
    {
      allows: (claims) =>
        ["openid", "email"].every((each) => values(claims).includes(each)) && [claims.aud].flat().length === 1,
      verify: { clockTolerance: 300 },
      keeps: (_, left) => left > 0,
    },
  "introspects each token once a minute, with its secret in the body, and needs an issuer, an expiry and a client, and no scope":
    {
      ...{ introspects: true, postsSecret: true, keeps: (age, left) => age < 60 && left > 0 },
      allows: (claims) => ["iss", "exp", "client_id"].every((name) => claims[name] !== undefined),
    },
  "verifies and introspects each token, and needs one of two scope values": {
    introspects: "also",
    allows: (claims) => ["profile", "email"].some((each) => values(claims).includes(each)),
  },
};

for (const [name, style] of Object.entries(legalStyles)) {
  test(`a resource server that ${name} is not accused`, async () => {
    const report = await checkClientWithEdDsa(smallResourceServer(style), { only: ["resource"] });
    assert(report.control.passed, String(report));
    assertEquals(accusations(report), [], String(report));
    assertEquals(unclearIn(report).map(({ attack, because }) => `${attack.id}: ${because}`), [], String(report));
  });
}

for (
  const [challenge, verdict] of [["Bearer", "warning"], ['Bearer realm="a", DPoP algs="ES256"', "failed"]] as const
) {
  test(`[RFC 9449 §7.2] an API with the challenge ${challenge} that takes bound tokens without a proof: ${verdict}`, async () => {
    await using as = await testLatchkey({
      issuer: "http://localhost:9000",
      alg: "EdDSA",
      audience: "https://api.test",
    });
    const respond = async (_: unknown, init?: RequestInit) => {
      const token = new Headers(init?.headers).get("authorization")?.replace("Bearer ", "") ?? "";
      const keys = createLocalJWKSet(await (await as.fetch("http://localhost:9000/oauth2/jwks")).json());
      const currentDate = new Date(as.clock.now());
      return await jwtVerify(token, keys, { audience: "https://api.test", typ: "at+jwt", currentDate }).then(
        () => new Response("{}"),
        () => new Response("{}", { status: 401, headers: { "www-authenticate": challenge } }),
      );
    };
    const driver = resourceApplication("http://localhost:3000/orders", { fetch: respond as Fetch });
    const report = await checkClient(driver, { as, only: ["resource/token-bound"], recoveryMs: 0 });
    assert(report.control.passed, String(report));
    assertEquals(report.results.map((result) => result.verdict), [verdict, "warning"], String(report));
  });
}
