/** Userinfo responses (OpenID Connect Core §5.3). */

import type { HttpResponse } from "../../core/http/message.ts";
import { jwtSigner } from "../../core/keys/jwt.ts";
import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import type { TestClient } from "../../testing/clients.ts";
import type { Fault } from "../../testing/faults/fault.ts";
import { body } from "../../testing/faults/mod.ts";
import { type Claims, encodeJwt, overrideClaims } from "../../testing/faults/resign.ts";
import { editResponse, isJsonResponse, responseText, withBodyText } from "../../testing/faults/response_body.ts";
import { foreignKeys } from "../../testing/keys.ts";
import { type Assessment, everyLogin, type Observation, type Scene } from "../attack.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import { unknownUser } from "../driver.ts";
import { type PageSession, shownTexts } from "../user_texts.ts";
import { newUserFor } from "./id_token_user.ts";
import { claimsOf, gridAttacks, type GridResponse, jsonResponse, type Row } from "./grid.ts";
import { waitUntil } from "./open_logins.ts";
import { oneOf } from "./parameters.ts";
import { nearMisses, pick } from "./wrong_values.ts";
import { passIf } from "./conclusions.ts";

/** A claim that only userinfo responses with an attack have. */
const attackersPicture = "https://attacker.example/picture.png";

/** A value of iss or aud that is not that of the login. */
const foreignValue = "https://attacker.example";

const userinfo = jsonResponse("The userinfo response");

/** The claims of a new user, which show whether the response was used. */
const ofNewUser = (members: Claims): Claims => ({ ...members, ...newUserFor(members), picture: attackersPicture });

const marked: GridResponse = {
  ...userinfo,
  change: (name, member, write) =>
    body.edited((members) => ({ ...ofNewUser(members), [member]: write(members[member]) }), name),
};

/** A URL of a host in the network of a server, which a user can write into the claims. */
function internalUrl(_: unknown, { trap }: Scene): string {
  // A trap that listens is such a host.
  const origin = trap.origin.startsWith("https:") ? "http://169.254.169.254" : trap.origin;
  if (origin !== trap.origin) trap.addOrigin(origin);
  return `${origin}/picture.png`;
}

const fetchedUrl = {
  fix: "Let the browser load URLs in claims, or fetch them only from public hosts, also after redirects.",
  member: ["picture", "profile", "website"],
  values: { "an internal URL": internalUrl },
  correctClient: "The client does not fetch the URL, or only from a public host.",
  level: "must-reject",
  stop: undefined,
  sources: ["OpenID Connect Core §5.1", "CWE-918"],
  async assess({ trap: { requests }, outcome }) {
    await waitUntil(() => requests.length > 0);
    // A browser may load a picture.
    return requests.every(({ isOfBrowser }) => isOfBrowser)
      ? passIf(outcome !== "hung", "the client did not fetch the URL")
      : { passed: false, because: "the client fetched the URL", seen: "contacted" };
  },
} satisfies Partial<Row>;

export const userinfoAttacks: readonly Attack[] = [
  ...gridAttacks(marked, [
    {
      ...{ id: "userinfo/sub-other", level: "must-reject", needs: ["readsIdToken"], member: "sub" },
      fix: "Discard a userinfo response whose sub is not that of the ID token.",
      correctClient:
        "The client rejects the login or discards the userinfo response, and does not log in the other user.",
      values: { "another user": (sub) => newUserFor({ sub }).sub, ...pick(...nearMisses) },
      accepts: "foreignValue",
      requirement: "OpenID Connect Core §5.3.2",
      sources: ["dexidp/dex#4827"],
      alsoIn: everyLogin,
      assess: assessDiscarded,
    },
    {
      ...{
        id: "userinfo/sub-missing",
        fix: "Discard a userinfo response whose sub is absent, or is not that of the ID token.",
        level: "must-reject",
        member: "sub",
        values: ["absent", "empty", "list"],
      },
      correctClient: "The client rejects the login, or discards the userinfo response.",
      requirement: { source: "OpenID Connect Core §5.3.2", binds: ["idToken"] },
      assess: assessDiscarded,
    },
  ]),
  ...gridAttacks(userinfo, [{
    ...{ id: "userinfo/claims-override", level: "should-reject", member: ["iss", "aud"] },
    values: { foreign: () => foreignValue },
    correctClient: "The client uses iss and aud of the ID token, or keeps the claims of the two apart.",
    sources: ["OpenID Connect Core §5.3.2", "canonical/authd#1546"],
    assess: ({ outcome, session: { claims = {} } = {} }) => {
      if (outcome !== "accepted") return undefined;
      const used = ["iss", "aud"].find((claim) => claims[claim] === foreignValue);
      return used === undefined
        ? { passed: true, because: "the client carried on without these values" }
        : { passed: false, because: `the application uses ${used} of the userinfo response`, seen: "foreignValue" };
    },
  }]),
  ...gridAttacks(userinfo, [{ id: "userinfo/url-fetched", ...fetchedUrl }]),
  ...gridAttacks(claimsOf("The ID token"), [{ id: "id-token/url-fetched", ...fetchedUrl }]),
  defineAttack({
    id: "userinfo/thin",
    title: "The userinfo response has no claim except sub.",
    correctClient: "The client completes the login.",
    level: "must-tolerate",
    sources: ["OpenID Connect Core §5.3.2"],
    once: () => body.edited(({ sub }) => ({ sub }), "sub alone"),
  }),
  defineAttack({
    id: "userinfo/member-null",
    title: "A member of the userinfo response is an object at the login, and null after a refresh without an ID token.",
    correctClient: "The client refreshes the session.",
    level: "must-tolerate",
    by: "logIn",
    endpoints: ["userinfo", "token"],
    needs: ["refresh", "userinfo"],
    ifUnmet: "the client requests no userinfo after a refresh",
    sources: ["OpenID Connect Core §5.1.2", "OpenID Connect Core §12.2"],
    async perform({ as, begin }) {
      const withMember = (value: unknown) => body.edited((members) => ({ ...members, example_feature: value }));
      as.on("userinfo").once(withMember({ a: 1 }));
      const session = await begin();
      as.on("token", { grant_type: "refresh_token" }).once(
        body.edited(({ id_token: _, ...members }) => members, "no ID token"),
      );
      as.on("userinfo").once(withMember(null));
      await session.refresh!();
      return session;
    },
  }),
  defineAttack({
    id: "userinfo/distributed-claims",
    title: "The userinfo response or the ID token refers to claims at another origin (distributed claims).",
    correctClient: "The client fetches claims only from origins that it is configured for.",
    level: "should-reject",
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
    assess({ trap: { requests, origin }, outcome }) {
      if (requests.length === 0) return passIf(outcome !== "hung", "the client did not fetch the claims");
      // The token that it sends is one for this origin.
      const harm = `requested claims from ${origin}, a host that the response names`;
      return { passed: false, because: "the client fetched the claims", seen: "contacted", harm };
    },
  }),
  defineAttack({
    id: "userinfo/signed-wrong",
    fix: "Verify signature, iss and aud of a userinfo response that is a JWT.",
    title: "The userinfo response is a JWT that is not signed, or has a wrong signature, aud or iss.",
    correctClient: "The client rejects the login, or discards the userinfo response.",
    level: "should-reject",
    sources: ["OpenID Connect Core §5.3.2", "OpenID Connect Core §5.3.4"],
    ...oneOf("flaw", ["key", "unsigned", "aud", "iss"]),
    start: ({ as, client }, { flaw }) => void as.on("userinfo").always(wronglySignedUserinfo(flaw, client)),
    assess: assessDiscarded,
  }),
];

/**
 * A client may also discard a userinfo response that is not valid, and log in the user of the ID token. Only the claims
 * of the attack prove that the client used the response: other values may be those of an earlier login, which the
 * application stored. Without any value that it usually has from userinfo, it used none.
 */
function assessDiscarded({ outcome, session, expectedSub, usualOfUserinfo }: Observation): Assessment | undefined {
  if (outcome !== "accepted") return undefined;
  const { sub, otherTexts = [] }: PageSession = session!;
  if (sub !== expectedSub && sub !== unknownUser) return undefined;
  const used = shownTexts(session!);
  const foreign = [...otherTexts, attackersPicture].find((text) => otherTexts.includes(text) || used.includes(text));
  if (foreign !== undefined) {
    const because = `the application shows ${JSON.stringify(foreign)} of the userinfo response`;
    return { passed: false, because, seen: "foreignValue" };
  }
  if (usualOfUserinfo.length === 0 || usualOfUserinfo.some((text) => used.includes(text))) {
    const because = "the client logged in the user of the ID token, and does not show whether it used userinfo: name " +
      "a page that shows a claim of userinfo, such as the name or the email address (--logged-in-url)";
    return { passed: false, isUnclear: true, because };
  }
  return { passed: true, because: "the client logged in the user of the ID token, without the values of userinfo" };
}

/** A fault that sends the userinfo response as a JWT with a flaw, whether or not the client has registered for JWTs. */
function wronglySignedUserinfo(flaw: string, { client_id, userinfo_signed_response_alg }: TestClient): Fault {
  const alg = userinfo_signed_response_alg ?? "RS256";
  const isSuccess = ({ status }: HttpResponse | Response) => status === 200;
  return editResponse(
    `userinfo as a JWT with wrong ${flaw}`,
    "got a userinfo response",
    isSuccess,
    async (response, context) => {
      const { server } = context.app;
      const text = await responseText(response);
      const members = isJsonResponse(response) ? JSON.parse(text) : decodeJwtPart(text, 1);
      const flawed = flaw === "aud" || flaw === "iss" ? { [flaw]: foreignValue } : {};
      const claims = { ...ofNewUser(members), sub: members.sub, iss: server.issuer, aud: client_id, ...flawed };
      const { kid } = await server.keys.signer(alg);
      const sign = flaw === "key" ? jwtSigner(foreignKeys(kid, kid), server.keys.types) : server.keys.sign;
      const jwt = flaw === "unsigned" ? `${encodeJwt({ alg: "none" }, claims)}.` : await sign("userinfo", alg, claims);
      return withBodyText(response, jwt, { "content-type": "application/jwt" });
    },
  );
}
