/** What a client keeps of an issuer: metadata, keys and tokens, and how long it trusts them. */

import { authorizationResponse, body, error, idToken, keys, status } from "../../testing/faults/mod.ts";
import { withPolicy } from "../../testing/with_policy.ts";
import { findParam } from "../../recorder/record_request.ts";
import { type Attack, defineAttack, type Stage } from "../define_attack.ts";
import { secretsInRequest } from "../markers.ts";
import { conclude, failIf, passIf, unclear } from "./conclusions.ts";
import { refreshSelector } from "./refresh.ts";

/** The refresh tokens that were sent, oldest first. */
const sentRefreshTokens = ({ as }: Stage) =>
  as.log.unmasked.filter("token", refreshSelector).map(({ request }) => findParam(request, "refresh_token"));

/** The lifetime of the first access token in `refresh/expiry-kept`, in seconds. */
const shortLifetime = 60;

/** How long a key has been removed in `keys/kept-for-ever`, in seconds. */
const secondsUntilRemoved = 172_800;

/** The attacks on what a client keeps, of the categories `metadata`, `keys` and `refresh`. */
export const keptDataAttacks: readonly Attack[] = [
  defineAttack({
    id: "metadata/rejected-kept",
    fix: "Store metadata only after all its checks have passed.",
    stop: undefined,
    title: "The metadata has a wrong issuer and the token endpoint of an attacker once; at the next login it is right.",
    correctClient: "The client keeps no document that it has rejected, and sends nothing to this token endpoint.",
    requirement: "RFC 8414 §3.3",
    sources: ["OpenID Connect Discovery §4.3"],
    once: (_, { trap }) =>
      body.edited({
        issuer: "https://attacker.example",
        token_endpoint: `${trap.origin}/token`,
        authorization_response_iss_parameter_supported: false,
      }, "metadata of an attacker"),
    async perform({ as, begin, trap }) {
      // Without iss only the metadata say to which issuer a response belongs.
      as.on("authorize").always(authorizationResponse.missingIss());
      const first = await begin().then(() => true, () => false);
      if (as.log.unmasked.filter("discovery").length === 0) return unclear("the client requests no metadata");
      if (first || trap.requests.length > 0) return unclear("the client accepts metadata of another issuer");
      await begin().catch(() => undefined);
      const [sent] = trap.requests;
      return conclude(
        sent && "the client rejected the metadata, and used them at the next login",
        "the client fetched the metadata again",
        "leaked",
        sent && `sent the code to ${trap.origin}`,
      );
    },
  }),
  defineAttack({
    id: "metadata/keys-elsewhere",
    fix: "Fetch the keys without the credentials of the client.",
    stop: undefined,
    title: "The metadata names keys on another host, as with a content delivery network.",
    correctClient: "The client fetches the keys without its credentials.",
    needs: ["readsIdToken"],
    sources: ["OpenID Connect Discovery §3", "RFC 8414 §2", "RFC 6749 §2.3"],
    always: (_, { trap }) => body.edited({ jwks_uri: `${trap.origin}/jwks` }, "keys on another host"),
    assess({ trap: { requests, origin }, exchanges }) {
      const sent = requests.flatMap((request) => secretsInRequest(request, exchanges));
      return failIf(sent.length > 0, `the client sent the ${sent[0]} to ${origin}`, "leaked") ??
        passIf(true, "the client sent no credentials to the host of the keys");
    },
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
  defineAttack({
    id: "keys/lost-by-failure",
    fix: "Keep the old keys until new ones have been fetched.",
    level: "should-reject",
    title:
      "An ID token has an unknown key while the JWKS endpoint is down; the next one has the key that the client has.",
    correctClient: "The client rejects the first ID token, and verifies the next one with the keys that it kept.",
    journey: "second login",
    endpoints: ["token", "jwks"],
    sources: ["OpenID Connect Core §10.1.1"],
    async perform({ as, begin }) {
      const earlier = as.log.unmasked.filter("jwks").length;
      await begin();
      if (as.log.unmasked.filter("jwks").length > earlier) return conclude(undefined, "the client keeps no keys");
      const down = as.on("jwks").always(status(503));
      const unknown = as.on("token").once(idToken.unknownKid());
      await begin().catch(() => undefined);
      if (unknown.fired === 0) return unclear("no request of the client met the attack");
      const again = await begin().then(() => true, () => false);
      // A client that keeps its keys does not meet the second fault.
      if (down.fired === 0) return conclude(undefined, "the client does not fetch the keys again yet");
      return conclude(
        again ? undefined : "the client no longer accepts ID tokens with the key that it had",
        "the client kept the keys that it had",
        "noLogin",
      );
    },
  }),
  defineAttack({
    id: "refresh/expiry-kept",
    fix: "Use the expires_in of the newest response.",
    level: "should-reject",
    title: "The first access token expires after a minute, the refreshed one after an hour.",
    correctClient: "The client refreshes once, and uses the new access token until it expires.",
    journey: "login",
    needs: ["request", "refresh"],
    sources: ["RFC 6749 §5.1", "RFC 6749 §6"],
    async perform(stage) {
      const { as, begin, passTime } = stage;
      const short = as.on("token").always({
        name: `access tokens for ${shortLifetime} s`,
        endpoints: ["token"],
        extend: (server) =>
          withPolicy(server, { lifetimes: { ...server.policy.lifetimes, access_token: shortLifetime } }),
      });
      const session = await begin();
      short.remove();
      passTime(shortLifetime + 1);
      for (let request = 0; request < 3; request++) await session.request!().catch(() => undefined);
      const refreshes = sentRefreshTokens(stage).length;
      if (refreshes === 0) return unclear("the client does not refresh by itself");
      return conclude(
        refreshes > 1 ? `the client refreshed ${refreshes} times for 3 requests` : undefined,
        "the client refreshed once",
        "repeated",
      );
    },
  }),
  defineAttack({
    id: "refresh/dead-token-kept",
    fix: "Delete the refresh token after invalid_grant.",
    level: "should-reject",
    title: "The server rejects the refresh token with invalid_grant, and the user continues to use the application.",
    correctClient: "The client deletes the refresh token, and does not send it again.",
    journey: "session",
    needs: ["request", "refresh"],
    sources: ["RFC 6749 §5.2", "RFC 9700 §4.14.2"],
    async perform(stage) {
      const { as, session, passTime } = stage;
      as.on("token", refreshSelector).always(error("invalid_grant"));
      passTime(7200);
      for (let attempt = 0; attempt < 4; attempt++) await session!.request!().catch(() => undefined);
      const sent = sentRefreshTokens(stage);
      if (sent.length === 0) return unclear("the client does not refresh by itself");
      const repeated = sent.filter((token) => token === sent[0]).length;
      return conclude(
        repeated > 2 ? `the client sent the rejected refresh token ${repeated} times` : undefined,
        "the client did not send the rejected refresh token again",
        "repeated",
      );
    },
  }),
];
