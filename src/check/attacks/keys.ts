/** Signing keys and their publication (OpenID Connect Core §10.1.1, RFC 7517). */

import type { PublishedKey } from "../../core/keys/keys.ts";
import { encodeBase64url } from "../../core/crypto.ts";
import { builtInKeys } from "../../testing/built_in_keys.ts";
import type { Fault } from "../../testing/faults/fault.ts";
import { body, idToken, keys, status } from "../../testing/faults/mod.ts";
import { type Assessment, type Attack, defineAttack } from "../define_attack.ts";
import { describeOutcome } from "../assess.ts";
import { exchangesOf, type Observation, secondsBetweenLogins } from "../attack.ts";
import { signWithHmac } from "./forged_jwt.ts";
import { drawnCells, gridAttacks, jsonResponse, publishedKeys, wrongBodies } from "./grid.ts";
import { oneOf } from "./parameters.ts";
import { passIf, undecided } from "./conclusions.ts";

type Key = Readonly<Record<string, unknown>>;

/** The keys of a JWKS body. */
const keysOf = (members: Readonly<Record<string, unknown>>) => members.keys as readonly Key[];

/** The logins with an unknown key. */
const unknownLogins = 10;

/**
 * How often a client may fetch the keys meanwhile: once for the first login, once because the cached keys are old, and
 * once more for every 30 seconds that the logins take on a slow machine.
 */
function maxFetches({ exchanges }: Observation): number {
  return 2 + Math.floor((exchanges.at(-1)!.at - exchanges[0]!.at) / 30_000);
}

/** The attacks of the category `keys`. */
export const keyAttacks: readonly Attack[] = [
  ...gridAttacks(jsonResponse("the JWKS", { isSteady: true }), [
    {
      ...{
        id: "keys/empty",
        fix: "Reject the ID token if no key could be fetched.",
        member: "keys",
        values: ["empty", "absent", "object", "text"],
        sources: ["RFC 7517 §5"],
      },
      duty: "RFC 8725 §3.3",
    },
  ]),
  defineAttack({
    id: "keys/down",
    fix: "Reject the ID token if no key could be fetched.",
    title: "The JWKS endpoint responds with an error status, or with a body that is not a JSON object.",
    duty: "RFC 8725 §3.3",
    ...oneOf("how", ["503", ...Object.keys(wrongBodies)]),
    always: ({ how }) => wrongBodies[how] ?? status(503),
  }),
  drawnCells(publishedKeys, {
    ...{ id: "keys/members", member: ["kty", "kid", "use", "alg", "n", "x", "crv", "key_ops", "x5c"], stop: undefined },
  }),
  defineAttack({
    id: "keys/rotated",
    fix: "Fetch the keys once more if none has the kid of the ID token.",
    level: "must-tolerate",
    title: "The server signs the ID token with a new key that the JWKS in the client's cache does not have.",
    correctClient: "The client fetches the JWKS once more, and accepts the ID token.",
    journey: "second login",
    endpoints: ["token"],
    duty: "OpenID Connect Core §10.1.1",
    sources: ["giantswarm/mcp-oauth#452", "openfga/openfga#3100"],
    once: () => keys.rotated(),
    assess: assessRotation,
  }),
  defineAttack({
    id: "keys/stale",
    title:
      "The server signs the ID token with a new key, but its JWKS lacks the key for a while, as from an HTTP cache.",
    correctClient:
      "The client reports an error after at most three fetches of the JWKS; a login a few minutes later works.",
    level: "must-recover",
    journey: "second login",
    endpoints: ["token", "jwks"],
    sources: ["OpenID Connect Core §10.1.1", "smallrye/smallrye-jwt#228", "erlef/oidcc#543"],
    start({ as }) {
      as.on("jwks").always(keys.stale());
      as.on("token").once(keys.rotated());
    },
    async assess(observation) {
      const { outcome, earlier } = observation;
      if (outcome === "accepted") {
        return { passed: false, because: "the client accepted an ID token of an unknown key", seen: "signature" };
      }
      const fetches = exchangesOf(observation, "jwks").length;
      if (fetches > 3) {
        return { passed: false, because: `the client fetched the keys ${fetches} times`, seen: "repeated" };
      }
      earlier!.passTime?.(secondsBetweenLogins);
      const passed = await observation.recovers();
      return {
        passed,
        isInconclusive: !passed && earlier!.passTime === undefined,
        because: `the client reported an error; the login after it ${passed ? "succeeded" : "failed"}`,
      };
    },
  }),
  defineAttack({
    id: "keys/unknown-often",
    fix: "Fetch the keys again at most once a minute, and reject an ID token that none of them verifies.",
    title: "The ID tokens of ten logins in a row have a kid that the JWKS does not have.",
    correctClient: "The client fetches the JWKS again at most once a minute, and rejects the ID tokens.",
    journey: "second login",
    endpoints: ["token"],
    duty: "RFC 8725 §3.3",
    sources: ["OpenID Connect Core §10.1.1", "RFC 8725 §3.10", "openfga/openfga#3100"],
    by: "any",
    async perform({ as, begin }) {
      const rule = as.on("token").always(idToken.unknownKid());
      try {
        for (let login = 1; login < unknownLogins; login++) await begin().catch(() => undefined);
        return await begin();
      } finally {
        rule.remove();
      }
    },
    async assess(observation) {
      const { countRequests, logInAgain } = observation;
      const fetches = exchangesOf(observation, "jwks").length;
      if (fetches <= maxFetches(observation)) {
        const isForged = observation.outcome === "accepted";
        return isForged ? { passed: false, because: describeOutcome(observation) } : undefined;
      }
      const earlier = countRequests("jwks");
      await logInAgain();
      const because = `the client fetched the keys ${fetches} times for ${unknownLogins} logins`;
      // No specification limits the fetches, and no attacker without the token endpoint causes them.
      return countRequests("jwks") === earlier ? { passed: false, isWarning: true, because, seen: "repeated" } : {
        ...{ passed: false, isInconclusive: true },
        because: `${because}, and fetches them in each login without an attack`,
      };
    },
  }),
  defineAttack({
    id: "keys/withdrawn",
    fix: "Fetch the keys again from time to time, and forget those that the server no longer publishes.",
    title: "The JWKS no longer has the key that signed the ID token.",
    duty: "RFC 8725 §3.3",
    sources: ["OpenID Connect Core §10.1.1"],
    always: () => keys.withdrawn(),
  }),
  defineAttack({
    id: "keys/extra",
    level: "must-tolerate",
    title: "Beside the key that signed the ID token, the JWKS has keys that the client cannot use.",
    correctClient: "The client ignores the keys that it cannot use, and accepts the ID token.",
    sources: ["RFC 7517 §5"],
    always: () => keys.extra(),
  }),
  defineAttack({
    id: "keys/same-kid",
    title: "The JWKS has two keys with the same kid, and the wrong one comes first.",
    correctClient: "The client uses the key that verifies the signature, or reports that the kid is ambiguous.",
    level: "must-tolerate",
    sources: ["RFC 7517 §4.5"],
    ...oneOf("type", ["other", "same"], "The type of the wrong key: other or same."),
    always: ({ type }) =>
      body.edited((members) => {
        const all = keysOf(members);
        const wrong = all.map((key) => type === "same" ? { ...key, ...swapped(key) } : keyOfAnotherType(key));
        return { keys: [...wrong, ...all] };
      }, "two keys under one kid"),
    assess: ({ outcome }) => passIf(outcome === "rejected", "the client reported an error"),
  }),
  defineAttack({
    id: "keys/symmetric",
    fix: "Ignore published keys with the type oct.",
    title: "The JWKS has a symmetric key, and the ID token is signed with HMAC (HS256) and this key.",
    endpoints: ["token", "jwks"],
    accepts: "form",
    duty: "RFC 8725 §3.1",
    sources: ["RFC 8725 §3.5"],
    on: "any",
    always: () => symmetricKey(),
  }),
  defineAttack({
    id: "keys/swapped-under-kid",
    fix: "Fetch the keys again from time to time, and forget those that the server no longer publishes.",
    title: "The JWKS has a wrong key under the kid of the key that signed the ID token.",
    duty: "RFC 8725 §3.3",
    sources: ["RFC 7517 §4.5", "auth0/jwks-rsa-java#277"],
    always: () =>
      body.edited((members) => {
        const all = keysOf(members);
        // The modulus of another key, with the ids of this one.
        return { keys: all.map((key) => ({ ...key, ...swapped(key) })) };
      }, "another key under the kid"),
  }),
];

/** jose, oauth4webapi and others fetch keys at most once in 30 or 60 seconds, which is correct. */
export async function assessRotation(observation: Observation): Promise<Assessment | undefined> {
  const { outcome, earlier, logInAgain } = observation;
  if (outcome !== "rejected" || exchangesOf(observation, "jwks").length > 0) return undefined;
  if (earlier!.passTime === undefined) {
    return undecided(
      "the client kept the keys that it fetched a moment ago, and the check cannot let time pass for it",
    );
  }
  earlier!.passTime(3600);
  return await logInAgain()
    ? { passed: false, isWarning: true, because: "the client fetched the keys again only in the hour after" }
    : undefined;
}

/** The key with its public value changed, so that it verifies nothing. */
function swapped(key: Key): Key {
  const name = typeof key.n === "string" ? "n" : "x";
  const value = String(key[name]);
  return { [name]: `${value.slice(0, 20)}${[...value.slice(20, 30)].reverse().join("")}${value.slice(30)}` };
}

/** A key of another type under the same kid. */
function keyOfAnotherType({ kty, kid }: Key): Key {
  const { n, e, crv, x, y } = builtInKeys[kty === "EC" ? "RS256" : "ES256"].at(-1)!.jwk;
  return kty === "EC"
    ? { kty: "RSA", kid, alg: "RS256", use: "sig", n, e }
    : { kty: "EC", kid, alg: "ES256", use: "sig", crv, x, y };
}

/** A fault that signs the ID token with an HMAC, whose secret the JWKS publishes. */
function symmetricKey(): Fault {
  const kid = "published-secret";
  const secret = new TextEncoder().encode("the secret of the HMAC is published in the JWKS");
  return {
    name: "HMAC with a published secret",
    waitsFor: "signed an ID token",
    extend: (server, context) => ({
      ...server,
      keys: {
        ...server.keys,
        publishedKeys: async (algs) => [
          ...await server.keys.publishedKeys(algs),
          { kty: "oct", kid, alg: "HS256", use: "sig", k: encodeBase64url(secret) } as unknown as PublishedKey,
        ],
        sign: (kind, alg, claims) =>
          kind === "id_token" && context.consume()
            ? signWithHmac({ alg: "HS256", typ: "JWT", kid }, claims, secret)
            : server.keys.sign(kind, alg, claims),
      },
    }),
  };
}
