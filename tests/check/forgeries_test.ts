/**
 * Each forged JWT differs from that of the server in one property: a verifier with one mistake accepts exactly the
 * forgeries that this mistake lets through, and a correct one none, whichever algorithm it pins.
 */

import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { createHmac, createPublicKey, type JsonWebKey, type KeyObject, verify } from "node:crypto";
import { test } from "node:test";
import { forgedSignatures, wrongForms } from "../../src/check/attacks/forgeries.ts";
import { forgeJwt, type Original, publicKeyForms } from "../../src/check/attacks/forged_jwt.ts";
import type { Stage } from "../../src/check/attack.ts";
import type { TestLatchkey } from "../../src/testing/test_latchkey.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";

type Json = Readonly<Record<string, unknown>>;

/** A JWT, as far as it can be read. */
interface Parts {
  readonly header: Json;
  readonly claims?: Json;
  readonly input: string;
  readonly signature: Buffer;
  readonly count: number;
}

/** What a verifier knows of the server. */
interface Published {
  readonly alg: "RS256" | "ES256";
  readonly keys: readonly (Json & { readonly kid: string })[];
}

/** The steps of a correct verifier; a mistake replaces one of them. */
interface Steps {
  /** Whether the JWT needs no verification, by mistake. */
  skips(parts: Parts, published: Published): boolean;
  hasForm(parts: Parts): boolean;
  hasAlgorithm(header: Json, alg: string): boolean;
  findKey(header: Json, published: Published): KeyObject | undefined;
  isSigned(parts: Parts, key: KeyObject): boolean;
  /** A URL that is fetched by mistake. */
  fetches(header: Json): unknown;
}

const keyFrom = (jwk: unknown) => createPublicKey({ key: jwk as JsonWebKey, format: "jwk" });

const correct: Steps = {
  skips: () => false,
  hasForm: ({ count, header }) => count === 3 && header.crit === undefined,
  hasAlgorithm: (header, alg) => header.alg === alg,
  findKey(header, { keys }) {
    const jwk = keys.find(({ kid }) => kid === header.kid);
    return jwk && keyFrom(jwk);
  },
  isSigned: ({ input, signature }, key) =>
    verify("sha256", Buffer.from(input), { key, dsaEncoding: "ieee-p1363" }, signature),
  fetches: () => undefined,
};

/** The secrets that a published key can be taken for, by the names of the forgeries. */
function secretsOf({ keys: [jwk] }: Published): Readonly<Record<string, string | Buffer>> {
  const key = keyFrom(jwk);
  const pem = String(key.export({ type: "spki", format: "pem" }));
  const der = key.export({ type: "spki", format: "der" });
  const { kty, crv, x, y, n, e } = jwk!;
  return {
    ...{ pem, "pem-without-final-newline": pem.trimEnd(), der },
    jwk: JSON.stringify({ kty, crv, x, y, n, e }),
  };
}

const isHmac = ({ header, input, signature }: Parts, secret: string | Buffer) =>
  header.alg === "HS256" && createHmac("sha256", secret).update(input).digest().equals(signature);

/** Mistakes, and the forgeries that they let through. */
const mistakes: readonly (readonly [name: string, step: Partial<Steps>, accepted: readonly string[]])[] = [
  ["none", {}, []],
  [
    "takes alg none for a signature",
    { skips: ({ header }) => String(header.alg).toLowerCase() === "none" },
    ["alg none", "alg None", "alg none with a signature"],
  ],
  ["takes an empty signature for a valid one", {
    isSigned: (parts, key) => parts.signature.length === 0 || correct.isSigned(parts, key),
  }, ["no signature"]],
  [
    "takes zeros for a valid signature",
    {
      isSigned: (parts, key) =>
        parts.signature.length > 0 && parts.signature.every((byte) => byte === 0) || correct.isSigned(parts, key),
    },
    ["a signature of zeros"],
  ],
  ["does not compare alg", { hasAlgorithm: () => true }, ["alg XX256", "alg empty"]],
  [
    "does not verify the signature",
    { isSigned: () => true },
    [
      "no signature",
      "a signature of zeros",
      "another key",
      "one bit changed",
      "payload changed",
      "jwk under the kid of the server",
    ],
  ],
  ["skips the verification without kid", {
    skips: ({ header, count, claims }) =>
      count === 3 && claims !== undefined && header.kid === undefined && header.enc === undefined,
  }, ["another key without kid"]],
  [
    "skips the verification with an unknown kid",
    {
      skips: ({ header, claims }, { keys }) =>
        claims !== undefined && header.kid !== undefined && keys.every(({ kid }) => kid !== header.kid),
    },
    Object.keys(forgedSignatures).filter((name) => /kid|^jwk$|URL/.test(name) && !/without|under/.test(name)),
  ],
  ["uses the key in jwk", {
    findKey: (header, published) => header.jwk ? keyFrom(header.jwk) : correct.findKey(header, published),
  }, ["jwk", "jwk under the kid of the server"]],
  ["fetches jku", { fetches: ({ jku }) => jku }, ["a URL in jku"]],
  ["verifies HMAC with an empty secret", { skips: (parts) => isHmac(parts, "") }, ["HMAC with an empty secret"]],
  ...publicKeyForms.map((form) =>
    [
      `verifies HMAC with the public key as ${form}`,
      { skips: (parts: Parts, published: Published) => isHmac(parts, secretsOf(published)[form]!) },
      [`HMAC with the public key as ${form}`],
    ] as const
  ),
  ["ignores the fourth part", { hasForm: (parts) => parts.count === 4 || correct.hasForm(parts) }, ["four parts"]],
  ["ignores crit", { hasForm: ({ count }) => count === 3 }, ["crit urn:example:extension", "crit b64"]],
  ["needs no signature part", { skips: ({ count }) => count === 2 }, ["two parts"]],
  ["logs in without claims", { skips: ({ claims, count }) => claims === undefined && count !== 5 }, [
    "one part",
    "10,000 parts",
  ]],
  [
    "takes what is encrypted for authentic",
    { skips: ({ header }) => header.enc !== undefined },
    ["dir", "RSA1_5", "PBES2-HS256+A128KW"].map((alg) => `encrypted by ${alg}`),
  ],
];

function parse(token: string): Parts {
  const [head = "", payload = "", signature = ""] = token.split(".");
  const read = (part: string): Json | undefined => {
    try {
      return JSON.parse(Buffer.from(part, "base64url").toString());
    } catch {
      return undefined;
    }
  };
  return {
    ...{ header: read(head) ?? {}, claims: read(payload), input: `${head}.${payload}` },
    ...{ signature: Buffer.from(signature, "base64url"), count: token.split(".").length },
  };
}

/** Verifies a JWT by these steps. @returns Whether it is accepted, or a URL of it is fetched. */
function accepts(steps: Steps, published: Published, token: string, typ: string): boolean {
  const parts = parse(token);
  if (steps.fetches(parts.header) !== undefined || steps.skips(parts, published)) return true;
  if (!steps.hasForm(parts) || !steps.hasAlgorithm(parts.header, published.alg)) return false;
  const key = steps.findKey(parts.header, published);
  return parts.header.typ === typ && key !== undefined && steps.isSigned(parts, key);
}

const forgeries = { ...forgedSignatures, ...wrongForms };

const trap = { origin: "https://trap.test" } as Stage["trap"];

/** What a server with this algorithm sends instead of its ID token or access token; `none`: nothing else. */
async function forgedTokens(as: TestLatchkey, kind: "id_token" | "access_token"): Promise<ReadonlyMap<string, string>> {
  const { client_id, client_secret, redirect_uri } = as.client({ token_endpoint_auth_method: "client_secret_post" });
  const grant = { grant_type: "authorization_code", redirect_uri, client_id, client_secret: client_secret! };
  const tokens = new Map<string, string>();
  for (const name of ["none", ...Object.keys(forgeries)]) {
    if (name !== "none") {
      const forge = (original: Original) => forgeries[name]!(original, { trap } as Stage);
      as.on("token").once(forgeJwt(name, forge, kind));
    }
    const code = await as.mint.code({ client: client_id, resource: "https://api.test", scope: "openid" });
    const body = new URLSearchParams({ ...grant, code });
    const response = await (await as.fetch(`${as.issuer}/oauth2/token`, { method: "POST", body })).json();
    tokens.set(name, response[kind]);
  }
  return tokens;
}

for (const alg of ["RS256", "ES256"] as const) {
  for (const [kind, typ] of [["id_token", "JWT"], ["access_token", "at+jwt"]] as const) {
    test(`each forgery is let through by a mistake about it alone: ${kind}, ${alg}`, async () => {
      await using as = await testLatchkey({ alg });
      const { keys } = await (await as.fetch(`${as.issuer}/oauth2/jwks`)).json();
      const tokens = await forgedTokens(as, kind);
      for (const [name, step, accepted] of mistakes) {
        const found = [...tokens].filter(([, token]) => accepts({ ...correct, ...step }, { alg, keys }, token, typ));
        assertEquals([name, ...found.map(([how]) => how).toSorted()], [name, ...["none", ...accepted].toSorted()]);
      }
    });
  }
}

test("every forgery has a mistake", () => {
  const found = new Set(mistakes.flatMap(([, , accepted]) => accepted));
  assertEquals(Object.keys(forgeries).filter((name) => !found.has(name)), []);
});
