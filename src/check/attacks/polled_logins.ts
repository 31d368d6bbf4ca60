/** Two logins at the same time, of clients that poll for tokens (RFC 8628, OpenID Connect CIBA). */

import { parseJsonObject } from "../../platform/http/json_body.ts";
import { deviceCodeType } from "../../server/extensions/device/settings.ts";
import { cibaGrant } from "../../server/extensions/ciba/settings.ts";
import { error, hold } from "../../testing/faults/mod.ts";
import type { TestLatchkey } from "../../testing/test_latchkey.ts";
import { type Attack, type Conclusion, defineAttack, type Stage } from "../define_attack.ts";
import { unknownUser } from "../driver.ts";
import { conclude, unclear } from "./conclusions.ts";
import { findSecondUser, waitUntil } from "./open_logins.ts";

/** What both attacks share: the second user logs in while the client waits for the first. */
const sharedLogin = {
  level: "must-reject",
} as const;

/** The codes that devices show, oldest first. */
const userCodes = ({ log }: TestLatchkey) =>
  log.unmasked.filter("device_authorization").map(({ response }) =>
    String(parseJsonObject(response?.body ?? "{}")?.user_code)
  );

/**
 * Logs in a second user while the first login is pending: no poll gets tokens before both have begun.
 *
 * @param shown The codes that the users see. Default: the client names its users, and shows no code.
 */
async function logInTwice(
  { as, begin, openBrowser, expectedSub }: Stage,
  grant_type: string,
  shown: (as: TestLatchkey) => readonly string[] = () => [],
): Promise<Conclusion> {
  const [one, second] = [(await as.users.list({ limit: 1 }))[0], await findSecondUser(as)];
  const waiting = hold();
  const pending = error("authorization_pending");
  const polls = as.on("token", { grant_type }).always({
    name: "authorization_pending until both logins have begun",
    handle: (next, context) => waiting.handle!(pending.handle!(next, context), context),
  });
  const older = begin();
  await Promise.race([waiting.arrived, older.catch(() => undefined)]);
  const olderCodes = shown(as);
  const newer = begin(openBrowser({ as: second.sub }));
  newer.catch(() => undefined);
  await waitUntil(() => polls.fired > 1);
  const all = shown(as);
  for (const [index, code] of all.entries()) {
    // If both users see the same code, the user who did not start its login approves it.
    const isOlder = index < olderCodes.length && olderCodes.length < all.length;
    await as.device(code).approve({ as: isOlder ? one!.sub : second.sub });
  }
  waiting.release();
  polls.remove();
  const [first, next] = await Promise.all([older, newer].map((login) => login.then(({ sub }) => sub, () => undefined)));
  if (first === undefined && next === undefined) return unclear("neither login succeeded");
  if ([first, next].includes(unknownUser)) return unclear("the application does not show who is logged in");
  const failure = next === expectedSub
    ? "the second user was logged in as the first"
    : first !== undefined && first !== expectedSub
    ? "the first user was logged in as the second"
    : undefined;
  const harm = failure && "logged in a user as another user";
  return conclude(failure, "no user was logged in as the other", "otherUser", harm);
}

/** The attacks of the category `ciba`, and those of `device` on two logins. */
export const polledLoginAttacks: readonly Attack[] = [
  defineAttack({
    ...sharedLogin,
    id: "device/logins-shared",
    title: "Two users log in on two devices at the same time, and each approves the code that their device shows.",
    correctClient: "The client requests codes for each device, and logs in each user on their own.",
    sources: [
      "draft-ietf-oauth-security-topics-update-03 §2.3",
      "RFC 10027 §4",
      "RFC 8628 §3.1",
    ],
    async perform(stage) {
      stage.as.decisions.deferRequests();
      return await logInTwice(stage, deviceCodeType, userCodes);
    },
  }),
  defineAttack({
    ...sharedLogin,
    id: "ciba/logins-shared",
    title: "The client starts the logins of two users at the same time, and each approves their own.",
    correctClient: "The client sends a request for each user, and uses each auth_req_id for the session of its user.",
    sources: [
      "draft-ietf-oauth-security-topics-update-03 §2.3",
      "RFC 10027 §4",
      "OpenID Connect CIBA §7.3",
    ],
    perform: (stage) => logInTwice(stage, cibaGrant.type),
  }),
];
