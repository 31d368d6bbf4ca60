/** What a resource server compares and keeps: each mistake is found by its attack, and no legal style is accused. */

import { assert, assertEquals } from "@std/assert";
import { createLocalJWKSet, errors, type JWTPayload, jwtVerify, type JWTVerifyOptions } from "jose";
import { test } from "node:test";
import type { ClientDriver, TokenJourney } from "../../src/check/mod.ts";
import { resourceApplication } from "../../src/check/resource_application.ts";
import type { Fetch } from "../../src/testing/fetch.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";
import { accusations, unclearIn } from "./accusations.ts";
import { checkClient, checkClientWithEdDsa } from "./patient_check.ts";
import { introspectionChecks } from "./resource_client.ts";

/** What differs from a resource server that verifies JWTs, keeps keys for a minute at least, and needs no scope. */
interface ApiStyle {
  readonly verify?: JWTVerifyOptions;
  /** Whether the claims allow the request. */
  readonly allows?: (claims: JWTPayload) => boolean;
  /** Whether it introspects tokens instead. */
  readonly introspects?: boolean;
  /** Whether it uses what it knows of a token for the request, by its age and its time left, in seconds. */
  readonly keeps?: (age: number, left: number) => boolean;
  /** How long it keeps keys before it fetches them for an unknown one, in seconds. */
  readonly keySeconds?: number;
  /** Whether it takes tokens that are bound to a key. */
  readonly ignoresCnf?: boolean;
}

const values = ({ scope }: JWTPayload) => String(scope ?? "").split(" ");

function api({ allows = () => true, keeps = () => false, keySeconds = 60, ...style }: ApiStyle): ClientDriver {
  const keySets = new Map<string, { at: number; readonly keys: ReturnType<typeof createLocalJWKSet> }>();
  const kept = new Map<string, { readonly at: number; readonly claims: JWTPayload }>();

  async function readKeys({ issuer, fetch, now }: TokenJourney) {
    const keys = createLocalJWKSet(await (await fetch(`${issuer}/oauth2/jwks`)).json());
    keySets.set(issuer, { keys, at: now() / 1000 });
    return keys;
  }

  async function verify(journey: TokenJourney): Promise<JWTPayload> {
    const { issuer, accessToken, now, resource } = journey;
    const options: JWTVerifyOptions = {
      ...{ issuer, audience: resource, typ: "at+jwt", requiredClaims: ["exp"], algorithms: ["EdDSA"] },
      ...{ currentDate: new Date(now()), ...style.verify },
    };
    const old = keySets.get(issuer);
    try {
      return (await jwtVerify(accessToken, old?.keys ?? await readKeys(journey), options)).payload;
    } catch (error) {
      const isOld = old !== undefined && now() / 1000 - old.at >= keySeconds;
      if (!isOld || !(error instanceof errors.JWKSNoMatchingKey)) throw error;
      return (await jwtVerify(accessToken, await readKeys(journey), options)).payload;
    }
  }

  async function introspect({ issuer, accessToken, fetch, client, now, resource }: TokenJourney): Promise<JWTPayload> {
    const response = await fetch(`${issuer}/oauth2/introspect`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}` },
      body: new URLSearchParams({ token: accessToken }),
    });
    const claims = await response.json();
    const expected = { issuer, resource, now: now() / 1000 };
    if (!Object.values(introspectionChecks).every((isRight) => isRight(claims, expected))) {
      throw new Error("not active");
    }
    return claims;
  }

  return {
    name: "API",
    readsClock: true,
    async acceptToken(journey) {
      const now = journey.now() / 1000;
      const known = kept.get(journey.accessToken);
      const isKept = known !== undefined && keeps(now - known.at, known.claims.exp! - now);
      const claims = isKept ? known.claims : await (style.introspects ? introspect : verify)(journey);
      if (!isKept) kept.set(journey.accessToken, { at: now, claims });
      if (claims.cnf !== undefined && !style.ignoresCnf) throw new Error("bound");
      if (!allows(claims)) throw new Error("insufficient_scope");
      const passTime = (seconds: number) => {
        const keySet = keySets.get(journey.issuer);
        if (keySet !== undefined) keySet.at -= seconds;
      };
      return { sub: String(claims.sub), passTime };
    },
  };
}

/** Each mistake: the attack, and its variants that find it. */
const mistakes: readonly (readonly [name: string, style: ApiStyle, id: string, found: readonly string[]])[] = [
  ["searches the scope as text", { allows: ({ scope }) => String(scope).includes("email") }, "resource/token-scope", [
    ...["prefixed", "extended", "joined by a comma"],
  ]],
  [
    "compares the end of a value",
    { allows: (claims) => values(claims).some((value) => value.endsWith("email")) },
    ...[
      "resource/token-scope",
      ["prefixed"],
    ] as const,
  ],
  [
    "compares without letter case",
    { allows: ({ scope }) => /(?:^| )email(?: |$)/i.test(String(scope)) },
    ...[
      "resource/token-scope",
      ["case"],
    ] as const,
  ],
  [
    "splits the scope at commas",
    { allows: ({ scope }) => String(scope).split(/[ ,]/).includes("email") },
    ...[
      "resource/token-scope",
      ["joined by a comma"],
    ] as const,
  ],
  ["ignores cnf", { ignoresCnf: true }, "resource/token-bound", ["a key", "a certificate"]],
  ["compares no typ", { verify: { typ: undefined } }, "resource/id-token", ["an ID token with the resource as aud"]],
  ["compares neither typ nor aud", { verify: { typ: undefined, audience: undefined } }, "resource/id-token", [
    ...["an ID token", "a logout token", "an ID token with the resource as aud"],
  ]],
  [
    "keeps each introspection for an hour",
    { introspects: true, keeps: (age) => age < 3600 },
    ...[
      "resource/token-kept",
      ["expired", "revoked"],
    ] as const,
  ],
  [
    "keeps each introspection until exp",
    { introspects: true, keeps: (_, left) => left > 0 },
    ...[
      "resource/token-kept",
      ["revoked"],
    ] as const,
  ],
  ["keeps each verified token", { keeps: () => true }, "resource/token-kept", ["expired"]],
  ["fetches the keys for each unknown one", { keySeconds: 0 }, "resource/keys-unknown-often", [""]],
];

const only = [...new Set(mistakes.map(([, , id]) => id))];

for (const [name, style, id, expected] of mistakes) {
  test(`a resource server that ${name} is found by ${id}, and by nothing else`, async () => {
    const report = await checkClientWithEdDsa(api(style), { only });
    assert(report.control.passed, String(report));
    const found = report.results.filter(({ verdict }) => verdict === "failed" || verdict === "warning");
    assertEquals([...new Set(found.map(({ attack }) => attack.id))], [id], String(report));
    assertEquals(found.map((result) => String(Object.values(result.values)[0] ?? "")), expected, String(report));
  });
}

const legalStyles: Readonly<Record<string, ApiStyle>> = {
  "needs no scope": {},
  "needs two scope values": { allows: (claims) => ["openid", "email"].every((each) => values(claims).includes(each)) },
  "needs one of two values": { allows: (claims) => ["profile", "email"].some((each) => values(claims).includes(each)) },
  "allows five minutes of leeway": { verify: { clockTolerance: 300 } },
  "introspects each token": { introspects: true },
  "keeps an introspection for a minute, and until exp": {
    introspects: true,
    keeps: (age, left) => age < 60 && left > 0,
  },
  "verifies each token once, and compares exp": { keeps: (_, left) => left > 0 },
};

for (const [name, style] of Object.entries(legalStyles)) {
  test(`a resource server that ${name} is not accused`, async () => {
    const report = await checkClientWithEdDsa(api(style), { only: ["resource"] });
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
