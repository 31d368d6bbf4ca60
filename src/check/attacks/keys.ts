/** Signing keys and their publication (OpenID Connect Core §10.1.1, RFC 7517). */

import { builtInKeys } from "../../testing/built_in_keys.ts";
import type { Fault } from "../../testing/faults/fault.ts";
import { body, keys, status } from "../../testing/faults/mod.ts";
import { type Assessment, type Attack, defineAttack } from "../define_attack.ts";
import { describeOutcome } from "../assess.ts";
import { exchangesOf, type Observation, secondsBetweenLogins } from "../attack.ts";
import { forgeJwt, signWithForeignKey } from "./forged_jwt.ts";
import { wrongBodies } from "./grid.ts";
import { oneOf } from "./parameters.ts";
import { conclude, failIf, unclear } from "./conclusions.ts";

/** How long a key has been removed in `keys/kept-for-ever`, in seconds. */
const secondsUntilRemoved = 172_800;

const unknownLogins = 10;

/**
 * How often a client may fetch the keys meanwhile: once for the first login, once because the cached keys are old, and
 * once more for every 30 seconds that the logins take on a slow machine.
 */
function maxFetches({ exchanges }: Observation): number {
  return 2 + Math.floor((exchanges.at(-1)!.at - exchanges[0]!.at) / 30_000);
}

/** Rotates the signing key just before a token is signed: a JWKS that was fetched earlier lacks the new key. */
export const rotateBefore = (signed: "id_token" | "access_token"): Fault => ({
  name: "key rotated before signing",
  waitsFor: signed === "id_token" ? "signed an ID token" : "signed an access token",
  extend: (server, context) => ({
    ...server,
    keys: {
      ...server.keys,
      async sign(kind, alg, claims) {
        if (kind === signed && context.consume()) await server.keyRotation.rotate(alg, 0);
        return await server.keys.sign(kind, alg, claims);
      },
    },
  }),
});

const { x, y } = builtInKeys.ES256.at(-1)!.jwk;

/** A key for encryption, one of an unknown type, one for an unknown use, and a signing key that signs nothing. */
const unusableKeys = [
  { kty: "OKP", crv: "X25519", use: "enc", kid: "for-encryption", x: "hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo" },
  { kty: "UNKNOWN", use: "sig", kid: "of-an-unknown-type", alg: "UNKNOWN-256" },
  { kty: "EC", crv: "P-256", use: "example_unknown", kid: "for-an-unknown-use", x, y },
  { kty: "EC", crv: "P-256", use: "sig", kid: "signs-nothing", alg: "ES256", x, y },
];

export const keyAttacks: readonly Attack[] = [
  defineAttack({
    id: "keys/down",
    fix: "Reject the ID token if no key could be fetched.",
    title: "The JWKS endpoint responds with an error status, with a body that is not a JSON object, or without keys.",
    requirement: "RFC 8725 §3.3",
    ...oneOf("how", ["503", "no keys", ...Object.keys(wrongBodies)]),
    always: ({ how }) =>
      wrongBodies[how] ?? (how === "503" ? status(503) : body.edited(() => ({ keys: [] }), "no keys")),
  }),
  defineAttack({
    id: "keys/rotated",
    fix: "Fetch the keys once more if none has the kid of the ID token.",
    level: "must-tolerate",
    title: "The server signs the ID token with a new key that the JWKS in the client's cache does not have.",
    correctClient: "The client fetches the JWKS once more, and accepts the ID token.",
    journey: "second login",
    endpoints: ["token"],
    requirement: "OpenID Connect Core §10.1.1",
    sources: ["giantswarm/mcp-oauth#452", "openfga/openfga#3100"],
    once: () => rotateBefore("id_token"),
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
      as.on("token").once(rotateBefore("id_token"));
    },
    async assess(observation) {
      const { outcome, earlier } = observation;
      const fetches = exchangesOf(observation, "jwks").length;
      const wrong = failIf(outcome === "accepted", "the client accepted an ID token of an unknown key", "signature") ??
        failIf(fetches > 3, `the client fetched the keys ${fetches} times`, "repeated");
      if (wrong !== undefined) return wrong;
      earlier!.passTime?.(secondsBetweenLogins);
      const passed = await observation.recovers();
      return {
        passed,
        isUnclear: !passed && earlier!.passTime === undefined,
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
    requirement: "RFC 8725 §3.3",
    sources: ["OpenID Connect Core §10.1.1", "RFC 8725 §3.10", "openfga/openfga#3100"],
    by: "any",
    async perform({ as, begin }) {
      const rule = as.on("token").always(
        forgeJwt("unknown kid", (original) => signWithForeignKey(original, () => ({ kid: "unpublished-key" }))),
      );
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
        ...{ passed: false, isUnclear: true },
        because: `${because}, and fetches them in each login without an attack`,
      };
    },
  }),
  defineAttack({
    id: "keys/extra",
    level: "must-tolerate",
    title: "Beside the key that signed the ID token, the JWKS has keys that the client cannot use.",
    correctClient: "The client ignores the keys that it cannot use, and accepts the ID token.",
    sources: ["RFC 7517 §5"],
    always: () => body.edited(({ keys }) => ({ keys: [...unusableKeys, ...keys as readonly unknown[]] }), "extra keys"),
  }),
  defineAttack({
    id: "keys/kept-for-ever",
    fix: "Fetch the keys again from time to time, and forget those that the server no longer publishes.",
    level: "should-reject",
    stop: undefined,
    title: "The server has removed a key, and two days later this key signs an ID token.",
    correctClient: "The client fetches the keys again, and rejects the ID token.",
    journey: "second login",
    needs: ["readsIdToken", "checksSignature", "ages"],
    sources: ["OpenID Connect Core §10.1.1", "RFC 8725 §3.8"],
    async perform({ as, begin, session, passTime }) {
      if (session!.passTime !== undefined) session!.passTime(secondsUntilRemoved);
      else passTime(secondsUntilRemoved);
      const removed = as.on("jwks").always(keys.withdrawn());
      const isAccepted = await begin().then(() => true, () => false);
      const { fired } = removed;
      // The attack meets a client that fetches nothing, too.
      await as.fetch(`${as.issuer}/oauth2/jwks`);
      return conclude(
        isAccepted
          ? `the client accepted the ID token${fired === 0 ? ", and did not fetch the keys again" : ""}`
          : undefined,
        "the client rejected the ID token",
        "kept",
      );
    },
  }),
];

/** jose, oauth4webapi and others fetch keys at most once in 30 or 60 seconds, which is correct. */
export async function assessRotation(observation: Observation): Promise<Assessment | undefined> {
  const { outcome, earlier, logInAgain } = observation;
  if (outcome !== "rejected" || exchangesOf(observation, "jwks").length > 0) return undefined;
  if (earlier!.passTime === undefined) {
    return unclear(
      "the client kept the keys that it fetched a moment ago: let it fetch them again sooner, give it more time " +
        "(recoveryMs, --recovery), or age them in the driver (ClientSession.passTime)",
    );
  }
  earlier!.passTime(3600);
  return await logInAgain()
    ? { passed: false, isWarning: true, because: "the client fetched the keys again only in the hour after" }
    : undefined;
}
