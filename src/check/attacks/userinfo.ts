/** Userinfo responses (OpenID Connect Core §5.3). */

import type { ResponseLike } from "../../core/http/message.ts";
import { jwtSigner } from "../../core/keys/jwt.ts";
import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import type { TestClient } from "../../testing/clients.ts";
import type { Fault } from "../../testing/faults/fault.ts";
import { body, error, status } from "../../testing/faults/mod.ts";
import { type Claims, encodeJwt, overrideClaims } from "../../testing/faults/resign.ts";
import { editResponse, isJson, readBodyText, withBody } from "../../testing/faults/response_body.ts";
import { foreignKeys } from "../../testing/keys.ts";
import { type Assessment, everyLogin, exchangesOf, type Observation } from "../attack.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import { unknownUser } from "../driver.ts";
import { inventedUsers, isOfUserinfoAlone, isPartOfClaim, listTexts } from "../user_texts.ts";
import { nearMisses, nearMissOf } from "./near_misses.ts";
import { oneOf, sent } from "./parameters.ts";
import { passIf } from "./conclusions.ts";

/** The attacks of the category `userinfo`. */
export const userinfoAttacks: readonly Attack[] = [
  defineAttack({
    id: "userinfo/sub-other",
    needs: ["readsIdToken"],
    title: "The userinfo response has the sub of another user.",
    correctClient:
      "The client rejects the login or discards the userinfo response, and does not log in the other user.",
    level: "must-reject",
    duty: "OpenID Connect Core §5.3.2",
    sources: ["dexidp/dex#4827"],
    ...oneOf("sub", ["mallory", ...nearMisses], "The member sub: another user, or a near miss of the right sub."),
    alsoIn: everyLogin,
    once: ({ sub: how }) =>
      body.edited(
        (members) => ({
          ...members,
          picture: attackersPicture,
          sub: how === "mallory" ? otherSub(members) : nearMissOf(String(members.sub), how),
        }),
        `userinfo of ${how}`,
      ),
    assess: assessDiscarded,
  }),
  defineAttack({
    id: "userinfo/sub-missing",
    title: "The userinfo response has no valid sub.",
    correctClient: "The client rejects the login, or discards the userinfo response.",
    level: "must-reject",
    duty: { source: "OpenID Connect Core §5.3.2", binds: ["idToken"] },
    ...sent("sub", [null, "", 7, ["alice", "mallory"]], "The member sub; null removes it."),
    once: ({ sub }) =>
      body.edited((members) => ({ ...members, picture: attackersPicture, sub: sub ?? undefined }), "no sub"),
    assess: assessDiscarded,
  }),
  defineAttack({
    id: "userinfo/thin",
    title: "The userinfo response has no claim except sub.",
    correctClient: "The client completes the login.",
    level: "must-tolerate",
    sources: ["OpenID Connect Core §5.3.2"],
    once: () => body.edited(({ sub }) => ({ sub }), "sub alone"),
  }),
  defineAttack({
    id: "userinfo/fails",
    title: "The userinfo endpoint responds with an error status or an HTML page.",
    correctClient: "The client completes the login with the ID token, or reports the failure; the next login works.",
    level: "must-recover",
    sources: ["OpenID Connect Core §5.3.3"],
    ...oneOf("how", ["401", "403", "500", "html"]),
    always: ({ how }) => how === "html" ? body.html() : how === "401" ? error("invalid_token") : status(Number(how)),
  }),
  defineAttack({
    id: "userinfo/json-invalid",
    title: "The userinfo response is half of a JSON object, or empty.",
    correctClient: "The client reports an error, and uses no part of the response.",
    level: "must-recover",
    sources: ["OpenID Connect Core §5.3.2"],
    ...oneOf("how", ["truncated", "empty"]),
    once: ({ how }) => how === "empty" ? body.empty() : body.truncated(),
  }),
  defineAttack({
    id: "userinfo/claims-override",
    title: "The userinfo response has an iss or aud that differs from the one in the ID token.",
    correctClient: "The client uses iss and aud of the ID token, or keeps the claims of the two apart.",
    level: "should-reject",
    sources: ["OpenID Connect Core §5.3.2", "canonical/authd#1546"],
    ...oneOf("claim", ["iss", "aud"]),
    once: ({ claim }) =>
      body.edited((members) => ({ ...members, [claim]: otherClaims[claim] }), `userinfo with another ${claim}`),
    assess: ({ outcome, session: { claims = {} } = {} }) => {
      if (outcome !== "accepted") return undefined;
      const used = Object.keys(otherClaims).find((claim) => claims[claim] === otherClaims[claim]);
      return used === undefined
        ? { passed: true, because: "the client completed the journey without these values" }
        : { passed: false, because: `the application uses ${used} of the userinfo response`, seen: "foreignValue" };
    },
  }),
  defineAttack({
    id: "userinfo/distributed-claims",
    title: "The userinfo response or the ID token refers to claims at another origin (distributed claims).",
    correctClient: "The client does not fetch these claims, because it is not configured for this origin.",
    level: "must-reject",
    endpoints: ["userinfo", "token"],
    sources: ["OpenID Connect Core §5.6.2", "OpenID Connect Core §5.6.2.2"],
    ...oneOf("endpoint", ["userinfo", "token"], "Where the reference is: userinfo, or token for the ID token."),
    needs: ["idToken"],
    start({ as, trap }, { endpoint }) {
      const claims = {
        _claim_names: { credit_score: "source" },
        _claim_sources: { source: { endpoint: `${trap.origin}/claims`, access_token: "token-for-the-source" } },
      };
      const name = "distributed claims";
      endpoint === "userinfo"
        ? as.on("userinfo").once(body.edited((members) => ({ ...members, ...claims }), name))
        : as.on("token").once(overrideClaims(name, () => claims));
    },
    assess: ({ trap, outcome }) =>
      passIf(trap.requests.length === 0 && outcome !== "hung", "the client did not fetch the claims"),
  }),
  defineAttack({
    id: "userinfo/signed-wrong",
    title: "The userinfo response is a JWT that is not signed, or has a wrong signature, aud or iss.",
    correctClient: "The client rejects the login, or discards the userinfo response.",
    level: "should-reject",
    sources: ["OpenID Connect Core §5.3.2", "OpenID Connect Core §5.3.4"],
    ...oneOf("flaw", ["key", "unsigned", "aud", "iss"]),
    always: ({ flaw }, { client }) => wronglySignedUserinfo(flaw, client),
    assess: assessDiscarded,
  }),
];

/**
 * A client may also discard a userinfo response that is not valid, and log in the user of the ID token. Only the claim
 * of the attack proves that the client used the response: other values may be those of an earlier login, which the
 * application stored. Without any value that it usually has from userinfo, it used none.
 */
function assessDiscarded(observation: Observation): Assessment | undefined {
  const { outcome, session, expectedSub, usualClaims, exchanges } = observation;
  if (outcome !== "accepted") return undefined;
  const { sub, claims } = session!;
  if (sub !== expectedSub && sub !== unknownUser) return undefined;
  if (claims === undefined) {
    // A page that shows only claims of userinfo then shows no user.
    return sub === unknownUser || isPartOfClaim(expectedSub, exchangesOf(observation, "token")) ? undecided : undefined;
  }
  const used = listTexts(claims);
  if (used.includes(attackersPicture)) {
    return { passed: false, because: "the application uses picture of the userinfo response", seen: "foreignValue" };
  }
  const usual = listTexts(usualClaims).filter((text) => isOfUserinfoAlone(text, exchanges));
  if (usual.length === 0 || usual.some((text) => used.includes(text))) return undecided;
  return { passed: true, because: `${loggedIn}, without the values of userinfo` };
}

/** A claim that only userinfo responses with an attack have. */
const attackersPicture = "https://attacker.example/picture.png";

const loggedIn = "the client logged in the user of the ID token";

const undecided: Assessment = {
  passed: false,
  isInconclusive: true,
  because: `${loggedIn}, with or without the values of userinfo`,
};

/** The sub of a user who is not the one of a userinfo response. */
const otherSub = ({ sub }: Claims) => inventedUsers.find((user) => user.sub !== sub)!.sub;

/** Values that a userinfo response must not replace. */
const otherClaims: Readonly<Record<string, string>> = {
  iss: "https://attacker.example",
  aud: "another-client",
};

/** A fault that sends the userinfo response as a JWT with a flaw, whether or not the client has registered for JWTs. */
function wronglySignedUserinfo(flaw: string, { client_id, userinfo_signed_response_alg }: TestClient): Fault {
  const alg = userinfo_signed_response_alg ?? "RS256";
  const isSuccess = ({ status }: ResponseLike) => status === 200;
  return editResponse(
    `userinfo as a JWT with wrong ${flaw}`,
    "got a userinfo response",
    isSuccess,
    async (response, context) => {
      const { server } = context.app;
      const text = await readBodyText(response);
      const members = isJson(response) ? JSON.parse(text) : decodeJwtPart(text, 1);
      const flawed = flaw === "aud" || flaw === "iss" ? { [flaw]: otherClaims[flaw] } : {};
      const claims = { ...members, picture: attackersPicture, iss: server.issuer, aud: client_id, ...flawed };
      const { kid } = await server.keys.signer(alg);
      const sign = flaw === "key" ? jwtSigner(foreignKeys(kid, kid)) : server.keys.sign;
      const jwt = flaw === "unsigned" ? `${encodeJwt({ alg: "none" }, claims)}.` : await sign("userinfo", alg, claims);
      return withBody(response, jwt, { "content-type": "application/jwt" });
    },
  );
}
