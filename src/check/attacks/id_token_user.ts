/** How a client identifies the user: by iss and sub only (OpenID Connect Core §5.7). */

import type { Claims } from "../../testing/faults/resign.ts";
import type { Fault } from "../../testing/faults/fault.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import type { Assessment, Observation } from "../attack.ts";
import { unknownUser } from "../driver.ts";
import { inventedUsers, isNamedIn } from "../user_texts.ts";
import { conclude, undecided } from "./conclusions.ts";
import { nearMissOf } from "./near_misses.ts";
import { oneOf, sent } from "./parameters.ts";
import { withChange } from "../../testing/faults/with_change.ts";

/** The claims of a new user, none of which the user who logs in has. */
function newUserFor(known: Claims): Claims {
  const isFree = ({ sub }: Claims) => !JSON.stringify(known).toLowerCase().includes(String(sub));
  const { sub, given_name, family_name } = inventedUsers.find(isFree) ?? inventedUsers[0];
  return {
    ...{ sub, given_name, family_name },
    name: `${given_name} ${family_name}`,
    nickname: undefined,
    preferred_username: sub,
    email: `${sub}@example.com`,
  };
}

/**
 * A fault that describes a new user in the ID token, the access token and by userinfo.
 *
 * @param claims Returns the claims that the new user shares with the user who logged in before. If it returns none, the
 *   fault does not fire.
 */
function describeNewUser(name: string, claims: (known: Claims) => Claims): Fault {
  let known: Claims | undefined;
  /** The claims of the new user; `undefined` before a login, and if the known user has nothing to claim. */
  const describe = (): Claims | undefined => {
    const claimed = known && claims(known);
    const hasAny = Object.values(claimed ?? {}).some((value) => value !== undefined);
    return hasAny ? { ...newUserFor(known!), ...claimed } : undefined;
  };
  return {
    name,
    waitsFor: "signed an ID token",
    extend: (server, context) => ({
      ...server,
      // The access token names the new user, and userinfo finds its user by that name.
      users: { ...server.users, find: (sub) => server.users.find(sub === describe()?.sub ? String(known!.sub) : sub) },
      claimChange: withChange(server, (kind, overridden, claimsContext) => {
        known ??= { ...claimsContext.user, sub: overridden.sub };
        const described = describe();
        if (described === undefined) return overridden;
        if (kind === "id_token") context.consume();
        return kind === "id_token" || kind === "userinfo" ? { ...overridden, ...described } : overridden;
      }),
      keys: {
        ...server.keys,
        sign(kind, alg, signed) {
          const sub = kind === "access_token" ? describe()?.sub : undefined;
          return server.keys.sign(kind, alg, sub === undefined ? signed : { ...signed, sub });
        },
      },
    }),
  };
}

/** Attacks with a new user whom a client may confuse with the user who logged in before. */
const otherAccount = {
  needs: ["readsIdToken", "namesUser"],
  stop: undefined,
  journey: "second login",
  correctClient: "The client does not log in the earlier user, because it identifies users by iss and sub.",
  ifUnmet: "the client receives no ID token, or the user has no such claim",
} as const;

function assessUser({ outcome, session, expectedSub, exchanges }: Observation): Assessment {
  if (outcome !== "accepted") return { passed: outcome === "rejected", because: "the client rejected the user" };
  const passed = session!.sub !== expectedSub;
  // A driver that reads pages finds the text of a user in what another user has.
  const isAmbiguous = session!.claims === undefined && isNamedIn(expectedSub, exchanges);
  return {
    passed,
    seen: "otherUser",
    isInconclusive: !passed && isAmbiguous,
    because: `the client logged in ${JSON.stringify(session!.sub)}${
      isAmbiguous ? ", which the claims of both users have" : ""
    }`,
  };
}

/** Values of sub that resemble the sub of another user. */
const similarSubs: Readonly<Record<string, (sub: string) => string>> = {
  case: (sub) => sub !== sub.toUpperCase() ? sub.toUpperCase() : nearMissOf(sub, "case"),
  extended: (sub) => `${sub}-2`,
  space: (sub) => `${sub} `,
  provider: (sub) => `provider|${sub}`,
};

/** Values of sub that are one number for a program with 64-bit floating point, which has 53 bits of precision. */
const longNumbers = ["107691503500061507711", "107691503500061507712"] as const;

/** The attacks of the category `id-token` on who the user is. */
export const idTokenUserAttacks: readonly Attack[] = [
  defineAttack({
    ...otherAccount,
    id: "id-token/email-claimed",
    title: "A new user with another sub has the email address of the user who logged in before.",
    correctClient:
      "The client does not log in the earlier user with this address, because it identifies users by iss and sub.",
    duty: "OpenID Connect Core §5.7",
    sources: ["CVE-2023-3128", "sandbox-quantum/switch#291"],
    ...sent(
      "verified",
      ["false", null, "False"],
      'The claim email_verified: "false" as a boolean, another text as it is; null removes it.',
    ),
    on: "any",
    always: ({ verified }) =>
      describeNewUser("new user with the email of a known one", ({ email }) =>
        email === undefined ? {} : {
          email,
          email_verified: verified === "false" ? false : verified ?? undefined,
        }),
    assess: assessUser,
  }),
  defineAttack({
    ...otherAccount,
    id: "id-token/name-claimed",
    title: "A new user with another sub has the name of the user who logged in before.",
    duty: "OpenID Connect Core §5.7",
    sources: ["OpenID Connect Core §5.1"],
    ...oneOf("claim", ["preferred_username", "name"], "The claim: preferred_username or name."),
    on: "any",
    // Applications take sub for the user name of a user who has no other.
    always: ({ claim }) =>
      describeNewUser(
        `new user with the ${claim} of a known one`,
        (known) => ({ [claim]: known[claim] ?? (claim === "name" ? undefined : known.sub) }),
      ),
    assess: assessUser,
  }),
  defineAttack({
    ...otherAccount,
    id: "id-token/sub-similar",
    title: "A new user has the sub of the user who logged in before in other letter case, or with more characters.",
    duty: "OpenID Connect Core §5.7",
    sources: ["OpenID Connect Core §2"],
    ...oneOf("how", Object.keys(similarSubs)),
    on: "any",
    always: ({ how }) =>
      describeNewUser(`new user with a similar sub: ${how}`, ({ sub }) => ({ sub: similarSubs[how]!(String(sub)) })),
    assess: assessUser,
  }),
  defineAttack({
    ...otherAccount,
    id: "id-token/sub-number",
    needs: [...otherAccount.needs, "claims"],
    journey: "login",
    title: "Two users have numbers of 21 digits as sub, of which only the last digit differs.",
    correctClient: "The client logs in two users, because it compares sub as text.",
    duty: "OpenID Connect Core §5.7",
    sources: ["OpenID Connect Core §2", "RFC 8259 §6"],
    async perform({ as, driver, journey, openBrowser }) {
      let sub: string = longNumbers[0];
      as.on("any").always(
        describeNewUser("user whose sub is a long number", () => ({
          ...{ sub, name: `User ${sub}`, preferred_username: `user-${sub}`, email: `user-${sub}@example.com` },
        })),
      );
      const { sub: first } = await driver.logIn!(journey);
      sub = longNumbers[1];
      const { sub: second } = await driver.logIn!(openBrowser());
      if (first === unknownUser || second === unknownUser) return undecided("the client does not show these users");
      return conclude(
        first === second ? `the client logged in ${JSON.stringify(second)} twice` : undefined,
        "the client logged in two users",
        "otherUser",
        first === second ? `logged in the user ${longNumbers[1]} as ${JSON.stringify(first)}` : undefined,
      );
    },
  }),
];
