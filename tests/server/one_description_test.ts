/** Clients, users and the policy are described once: the same mistake has the same sentence at both servers. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { clientFields } from "../../src/core/clients/client_fields.ts";
import type { Field } from "../../src/core/policy/field.ts";
import { ConfigurationError, core } from "../../src/core/mod.ts";
import { policyFields } from "../../src/core/policy/policy.ts";
import { latchkey } from "../secret_leak_check.ts";

const issuer = "http://localhost:9000";
const client = { client_id: "web", redirect_uris: ["http://localhost:5173/cb"] };
const users = [{ sub: "alice" }];

type Parts = {
  readonly issuer?: unknown;
  readonly clients?: unknown;
  readonly users?: unknown;
  readonly policy?: object;
};

/** The sentences of a server about its options, with paths as the whole server has them. */
async function sentences(start: (options: never) => Promise<unknown>, options: object): Promise<string[]> {
  const error = await assertRejects(() => start(options as never), ConfigurationError);
  return error.issues.map(({ path, expected, received, hint }) =>
    `${path.replace(/^policy\./, "")}: expected ${expected}, found ${received}. ${hint}`
  );
}

async function compare(
  parts: Parts,
  isEqual: (ofCore: string[], ofWhole: string[]) => void = assertEquals,
): Promise<void> {
  const { policy, ...others } = { issuer, clients: [client], users, ...parts };
  const ofCore = await sentences(core, { policy, ...others });
  const ofWhole = await sentences(latchkey, { ...policy, ...others });
  isEqual(ofCore, ofWhole);
}

/** Sentences that list values which a server has: the whole server has more of them, with its extensions. */
function assertSimilar(ofCore: string[], ofWhole: string[]): void {
  const withoutValues = (texts: string[]) =>
    texts.map((text) => text.replace(/expected .*, found/, "").replace(/(?<=Write it like).*/, ""));
  assertEquals(withoutValues(ofCore), withoutValues(ofWhole));
  for (const [i, text] of ofCore.entries()) {
    for (const [value] of text.matchAll(/"[^"]+"/g)) assert(ofWhole[i]!.includes(value), `${text}\n${ofWhole[i]}`);
  }
}

/** Members whose values the extensions of the whole server add to. */
const extended = [
  ...["token_endpoint_auth_method", "response_modes", "clientAuthMethods", "responseModes", "responseTypes"],
  ...["scopes", "signatureAlgorithms"],
];
const comparisonOf = (name: string) => extended.includes(name) ? assertSimilar : assertEquals;

/** Values of each JSON type, one of which each field rejects. */
const wrong = [{}, [], [5], -1, 1.5, true, "", "no-such-value", null];

/** The values that a field rejects. */
function wrongFor({ type, choices, min }: { type: string; choices?: readonly string[]; min?: number }) {
  return wrong.filter((value) =>
    typeof value === "string"
      ? type !== "string" || choices !== undefined
      : Array.isArray(value)
      ? type !== "array" || value.length > 0 || min === 1
      : typeof value === "number"
      ? type !== "integer" || value < (min ?? 0) || !Number.isInteger(value)
      : !(type === "boolean" && value === true) && !(type === "object" && value !== null && typeof value === "object")
  ).filter((value) => value !== null || type !== "null");
}

test("a wrong value of client metadata has the same sentence at core() and at latchkey()", async () => {
  for (const [name, field] of Object.entries(clientFields)) {
    for (const value of wrongFor(field)) {
      await compare({ clients: [{ ...client, [name]: value }] }, comparisonOf(name));
    }
  }
});

test("a wrong value of the policy has the same sentence at core() and at latchkey()", async () => {
  // The whole server has the scope as text, as parameters have it, and decides about empty secrets by its profile.
  const { defaultScope: _, allowsEmptySecret: __, ...fields } = policyFields;
  for (const [name, field] of Object.entries(fields)) {
    for (const value of wrongFor(field)) await compare({ policy: { [name]: value } }, comparisonOf(name));
    for (const [member, inner] of Object.entries<Field>("members" in field ? field.members ?? {} : {})) {
      for (const value of wrongFor(inner)) await compare({ policy: { [name]: { [member]: value } } });
    }
  }
});

test("values that do not go together have the same sentence at core() and at latchkey()", async () => {
  const confidential = { ...client, client_secret: "correct-horse", token_endpoint_auth_method: "none" };
  const rows: readonly Parts[] = [
    ...["localhost:9000", "http://localhost:9000?a", "http://localhost:9000//a", "http://LOCALHOST:9000"].map((
      text,
    ) => ({
      issuer: text,
    })),
    { clients: [client, client] },
    { clients: [confidential] },
    { clients: [{ ...client, token_endpoint_auth_method: "client_secret_basic" }] },
    { clients: [{ ...client, client_secret: "" }] },
    { clients: [{ ...client, client_secret: "ü" }] },
    { clients: [{ ...client, client_secret: "s".repeat(513) }] },
    { clients: [{ ...client, scope: "raed" }] },
    { clients: [{ ...client, scope: "openid,read" }] },
    { clients: [{ ...client, scope: "payments" }] },
    { clients: [{ ...client, grant_types: ["password"] }] },
    { clients: [{ ...client, response_types: ["token"] }] },
    { clients: [{ ...client, id_token_signed_response_alg: "HS256" }] },
    { clients: [{ ...client, id_token_signed_response_alg: "ML-DSA-44" }] },
    { clients: [{ client_id: "web" }] },
    ...["/cb", "https://a.example/#x", "https://a.example/*", "javascript:alert(1)", "https:a.example"].map((uri) => ({
      clients: [{ ...client, redirect_uris: [uri] }],
    })),
    { users: [users[0], users[0]] },
    { users: [{ sub: "a b" }] },
    { users: [{}] },
    { users: [{ sub: "alice", big: 1n }] },
    { policy: { scopes: [] } },
    { policy: { scopes: ["openid", "openid"] } },
    { policy: { scopes: ["a b"] } },
    { policy: { claims: { openid: ["iss"] } } },
    { policy: { accessTokenClaims: ["active"] } },
    { policy: { alg: "ES256", signatureAlgorithms: ["RS256"] } },
  ];
  for (const parts of rows) await compare(parts, parts.clients === undefined ? assertEquals : assertSimilar);
});
