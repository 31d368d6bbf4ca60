/** Who the user of a login is: iss and sub, and nothing else (OpenID Connect Core §5.7). */

import type { Claims } from "../../testing/faults/resign.ts";
import type { Fault } from "../../testing/faults/fault.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import type { Assessment, Observation } from "../observation.ts";
import { otherUser } from "./effects.ts";
import { oneOf, sent } from "./parameters.ts";

/** The claims of the user who logs in, unless the server has other ones. */
const knownUser: Claims = {
  sub: "alice",
  email: "alice@example.com",
  name: "Alice Adams",
  preferred_username: "alice",
};

/** The claims of the new user. */
const newUser: Claims = {
  sub: "mallory",
  name: "Mallory Miller",
  given_name: "Mallory",
  family_name: "Miller",
  nickname: undefined,
  preferred_username: "mallory",
  email: "mallory@example.com",
};

/** A fault that describes a new user in the ID token and by userinfo; `claims` receives the user who logs in. */
function describeNewUser(name: string, claims: (known: Claims) => Claims): Fault {
  return {
    name,
    waitsFor: "signed an ID token",
    extend: (server, context) => ({
      ...server,
      overrideClaims(kind, original, claimsContext) {
        const overridden = server.overrideClaims?.(kind, original, claimsContext) ?? original;
        if (kind !== "id_token" && kind !== "userinfo") return overridden;
        if (kind === "id_token") context.consume();
        return { ...overridden, ...newUser, ...claims({ ...knownUser, ...claimsContext.user }) };
      },
    }),
  };
}

/** Every new user whom a client may take for the user who logged in before. */
const otherAccount = {
  effect: otherUser,
  needsUser: true,
  stop: undefined,
  journey: "second login",
  correctClient: "The client does not log in the earlier user: a user is a pair of iss and sub.",
} as const;

/** @param claimed What the new user has of the known one, or nearly has. */
function assessUser({ outcome, session, expectedSub }: Observation, claimed: string): Assessment {
  if (outcome !== "accepted") return { passed: outcome === "rejected", because: "the client rejected the user" };
  const passed = session!.sub !== expectedSub;
  // A driver that reads pages finds the name of a user in what another user has.
  const isAmbiguous = session!.claims === undefined && claimed.includes(expectedSub);
  return {
    passed,
    isInconclusive: !passed && isAmbiguous,
    because: `the client logged in ${JSON.stringify(session!.sub)}${
      isAmbiguous ? ", which the claims of both users have" : ""
    }`,
  };
}

/** Users whose sub is nearly that of another user. */
const similarSubs: Readonly<Record<string, (sub: string) => string>> = {
  case: (sub) => sub === sub.toUpperCase() ? sub.toLowerCase() : sub.toUpperCase(),
  extended: (sub) => `${sub}-2`,
  space: (sub) => `${sub} `,
};

/** The attacks of the category `id-token` on who the user is. */
export const idTokenUserAttacks: readonly Attack[] = [
  defineAttack({
    ...otherAccount,
    id: "id-token/email-claimed",
    title: "A new user, with another sub, has the email of the user who logged in before.",
    correctClient: "The client does not log in the user with this email: a user is a pair of iss and sub.",
    sources: ["OpenID Connect Core §5.7", "CVE-2023-3128", "sandbox-quantum/switch#291"],
    ...sent(
      "verified",
      ["false", null, "False"],
      'The claim email_verified: "false" as a boolean, another text as it is; null removes it.',
    ),
    on: "any",
    always: ({ verified }) =>
      describeNewUser("new user with the email of a known one", ({ email }) => ({
        email,
        email_verified: verified === "false" ? false : verified ?? undefined,
      })),
    assess: (observation) => assessUser(observation, String(knownUser.email)),
  }),
  defineAttack({
    ...otherAccount,
    id: "id-token/name-claimed",
    title: "A new user, with another sub, has the name of the user who logged in before.",
    sources: ["OpenID Connect Core §5.7", "OpenID Connect Core §5.1"],
    ...oneOf("claim", ["preferred_username", "name"], "The claim: preferred_username or name."),
    on: "any",
    always: ({ claim }) =>
      describeNewUser(`new user with the ${claim} of a known one`, (known) => ({ [claim]: known[claim] })),
    assess: (observation) => assessUser(observation, `${knownUser.name} ${knownUser.preferred_username}`),
  }),
  defineAttack({
    ...otherAccount,
    id: "id-token/sub-similar",
    title: "A new user has the sub of the user who logged in before, in other letter case or with more characters.",
    sources: ["OpenID Connect Core §2", "OpenID Connect Core §5.7"],
    ...oneOf("how", Object.keys(similarSubs)),
    on: "any",
    always: ({ how }) =>
      describeNewUser(`new user with a similar sub: ${how}`, ({ sub }) => ({ sub: similarSubs[how]!(String(sub)) })),
    assess: (observation) => assessUser(observation, similarSubs.extended!(String(knownUser.sub))),
  }),
];
