/** How a client identifies the user: by iss and sub only (OpenID Connect Core §5.7). */

import type { Claims } from "../../testing/faults/resign.ts";
import type { Fault } from "../../testing/faults/fault.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import type { Assessment, Observation } from "../attack.ts";
import { unknownUser } from "../driver.ts";
import {
  differsInWhiteSpace,
  inventedUsers,
  isNamedIn,
  isOtherCaseOfSub,
  mayShow,
  numberedSub,
  type PageSession,
} from "../user_texts.ts";
import { conclude, unclear } from "./conclusions.ts";
import { nearMissOf } from "./wrong_values.ts";
import { oneOf } from "./parameters.ts";
import { withChange } from "../../testing/faults/with_change.ts";

/** The claims of a new user, none of which the user who logs in has. */
export function newUserFor(known: Claims, number = 0): Claims {
  const isFree = ({ sub }: Claims) => !JSON.stringify(known).toLowerCase().includes(String(sub));
  const { sub: name, given_name, family_name } = inventedUsers.find(isFree) ?? inventedUsers[0];
  const sub = numberedSub(name, number);
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
 * @param number The number of the new user, of whom an application may keep what it saw first.
 */
function describeNewUser(name: string, claims: (known: Claims) => Claims, number = 0): Fault {
  let known: Claims | undefined;
  /** The claims of the new user; `undefined` before a login, and if the known user has nothing to claim. */
  const describe = (): Claims | undefined => {
    const claimed = known && claims(known);
    const hasAny = Object.values(claimed ?? {}).some((value) => value !== undefined);
    return hasAny ? { ...newUserFor(known!, number), ...claimed } : undefined;
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
  accepts: "otherUser",
  stop: undefined,
  journey: "second login",
  correctClient: "The client does not log in the earlier user, because it identifies users by iss and sub.",
  ifUnmet: "the client receives no ID token, or the user has no such claim",
} as const;

/** Whether a page that shows a text changes no letter case: neither all letters nor the first ones. */
const keepsCase = (text: string): boolean => /^\P{Ll}*\p{Ll}.*\p{Lu}/u.test(text);

function assessUser({ outcome, session, earlier, expectedSub, exchanges }: Observation): Assessment {
  if (outcome !== "accepted") return { passed: outcome === "rejected", because: "the client rejected the user" };
  const { sub, claims, ownTexts = [expectedSub], otherTexts = [] }: PageSession = session!;
  const { otherTexts: earlierTexts = [] }: PageSession = earlier ?? session!;
  if (sub === unknownUser) return { passed: true, because: "the page no longer shows the earlier user" };
  if (sub !== expectedSub) return { passed: true, because: `the client logged in ${JSON.stringify(sub)}` };
  if (claims !== undefined) return { passed: false, because: `the client logged in ${JSON.stringify(sub)}` };
  // A driver that reads pages finds the text of a user in what another user has.
  const isOnlyOfEarlier = (text: string) =>
    keepsCase(text) && isOtherCaseOfSub(text, exchanges) || !mayShow(text, exchanges);
  const isPart = ownTexts.length === 0 && !isNamedIn(expectedSub, exchanges);
  const known = ownTexts.find(isOnlyOfEarlier) ?? (isPart ? expectedSub : undefined);
  if (known !== undefined) {
    return { passed: false, because: `the page shows ${JSON.stringify(known)}, which only the earlier user has` };
  }
  const own = otherTexts.find((text) => !earlierTexts.includes(text));
  if (own !== undefined) {
    const because = `the page shows ${JSON.stringify(own)} of the new user, and nothing that only the earlier one has`;
    return { passed: true, because };
  }
  if (differsInWhiteSpace(expectedSub, exchanges)) {
    const because = "the page cannot show how this sub differs, so the check cannot know who is logged in";
    return { passed: false, doesNotApply: true, because };
  }
  return {
    passed: false,
    isUnclear: true,
    because: `the page shows ${JSON.stringify(sub)}, which both users have, so it does not say who is logged in: ` +
      "name a page that shows sub and no other claim (--logged-in-url), or a user whose sub is no part of another " +
      "claim (--user)",
  };
}

/** The claims that a new user shares with the one who logged in before. */
const sharedClaims: Readonly<Record<string, (known: Claims) => Claims>> = {
  ...Object.fromEntries(
    [false, undefined, "False"].map((email_verified) => [
      `the email address, with email_verified ${email_verified}`,
      ({ email }: Claims) => email === undefined ? {} : { email, email_verified },
    ]),
  ),
  // Applications take sub for the user name of a user who has no other.
  "the user name": ({ preferred_username, sub }) => ({ preferred_username: preferred_username ?? sub }),
  "the name": ({ name }) => ({ name }),
  "the sub in other letter case": ({ sub }) => ({ sub: nearMissOf(String(sub), "case") }),
  "a longer sub": ({ sub }) => ({ sub: `${sub}-2` }),
  "the sub and a space": ({ sub }) => ({ sub: `${sub} ` }),
  "the sub after a provider": ({ sub }) => ({ sub: `provider|${sub}` }),
};

/** The claims by which an application shows who a user is. */
const namingClaims = ["preferred_username", "email", "name", "given_name", "family_name"] as const;

/** Whether a client logged in the user of the other issuer, who logged in before and has the same sub. */
function assessIssuer({ outcome, session, earlier }: Observation): Assessment {
  if (outcome !== "accepted") return { passed: outcome === "rejected", because: "the client rejected the user" };
  const [own = {}, other = {}] = [session!.claims, earlier!.claims];
  const shown = namingClaims.filter((name) => other[name] !== undefined);
  const kept = shown.find((name) => own[name] === other[name]);
  if (kept !== undefined) {
    const because = `the client logged in the user of the other issuer, whose ${kept} it shows`;
    return { passed: false, because, harm: "logged in a user of one issuer as a user of another" };
  }
  // An application has its own name of a user, or shows the sub.
  const hasOwnName = session!.sub !== own.sub;
  if (hasOwnName && session!.sub === earlier!.sub) {
    return { passed: false, because: `the client logged in ${JSON.stringify(session!.sub)} for both issuers` };
  }
  if (hasOwnName || shown.length > 0) return { passed: true, because: "the client logged in two users" };
  return { passed: false, isUnclear: true, because: "the session has no claim that only one of the users has" };
}

/** The beginning of two values of sub; as numbers of 53 bits, those with one more digit are equal. */
const nearSubs: Readonly<Record<string, string>> = { number: "10769150350006150771", long: "u".repeat(254) };

export const idTokenUserAttacks: readonly Attack[] = [
  defineAttack({
    ...otherAccount,
    id: "id-token/user-similar",
    title: "A new user has the email address or the name of the user who logged in before, or a similar sub.",
    requirement: "OpenID Connect Core §5.7",
    sources: ["OpenID Connect Core §2", "CVE-2023-3128", "sandbox-quantum/switch#291"],
    ...oneOf("how", Object.keys(sharedClaims), "What the two users have in common."),
    on: "any",
    always: ({ how }) => {
      const number = Object.keys(sharedClaims).indexOf(how);
      return describeNewUser(`new user with ${how} of a known one`, sharedClaims[how]!, number);
    },
    assess: assessUser,
  }),
  defineAttack({
    ...otherAccount,
    id: "id-token/sub-of-another-issuer",
    needs: [...otherAccount.needs, "claims"],
    journey: "second issuer",
    title: "A user has the sub of a user of another issuer, who logged in before.",
    correctClient: "The client logs in two users, because it identifies users by iss and sub.",
    requirement: "OpenID Connect Core §5.7",
    sources: ["OpenID Connect Core §2"],
    on: "any",
    always: () => describeNewUser("user with the sub of another issuer", ({ sub }) => ({ sub })),
    assess: assessIssuer,
  }),
  defineAttack({
    ...otherAccount,
    id: "id-token/sub-near",
    needs: [...otherAccount.needs, "claims"],
    journey: "login",
    title: "Two users have numbers of 21 digits or texts of 255 characters as sub, of which only the last one differs.",
    correctClient: "The client logs in two users, because it compares the whole sub as text, or rejects them.",
    requirement: "OpenID Connect Core §5.7",
    sources: ["OpenID Connect Core §2", "RFC 8259 §6"],
    ...oneOf("form", Object.keys(nearSubs)),
    async perform({ as, driver, openBrowser }, { form }) {
      let sub = "";
      as.on("any").always(
        describeNewUser("user with a long sub", () => ({
          ...{ sub, name: `User ${sub}`, preferred_username: `user-${sub}`, email: `user-${sub}@example.com` },
        })),
      );
      const users: string[] = [];
      for (sub of [1, 2].map((last) => `${nearSubs[form]}${last}`)) {
        const session = await driver.logIn!(openBrowser()).catch(() => undefined);
        if (session === undefined) return conclude(undefined, "the client rejected the login");
        users.push(session.sub);
      }
      if (users.includes(unknownUser)) return unclear("the client does not show these users");
      const isSame = users[0] === users[1];
      return conclude(
        isSame ? `the client logged in ${JSON.stringify(users[0])} twice` : undefined,
        "the client logged in two users",
        "otherUser",
        isSame ? "logged in a user as another user" : undefined,
      );
    },
  }),
];
