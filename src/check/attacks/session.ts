/** Requests, refreshes and logouts of a session (RFC 6749 §6, RFC 6750 §3.1, RFC 7009 §2.2, RP-Initiated Logout). */

import { error, hold, status } from "../../testing/faults/mod.ts";
import { choiceParameter, textParameter } from "../../testing/faults/parameters.ts";
import { type Attack, type Conclusion, defineAttack, type Stage } from "../define_attack.ts";
import { exchangesOf, type Observation } from "../attack.ts";
import { userAfterLogout } from "./ended_session.ts";
import { waitUntil } from "./open_logins.ts";
import { oneOf } from "./parameters.ts";
import { refreshSelector, rotating } from "./refresh.ts";
import { failIf, unclear } from "./conclusions.ts";

/** How often the client refreshed. */
function countRefreshes(observation: Observation): number {
  return exchangesOf(observation, "token").filter(({ request: { form } }) =>
    form.some(([name, value]) => name === "grant_type" && value === "refresh_token")
  ).length;
}

/** Logs out, and checks whether the user is still logged in, whatever the server responded. */
async function logOut(
  { session }: Pick<Stage, "session">,
  until: Promise<unknown> = new Promise(() => {}),
): Promise<Conclusion> {
  const attempt = session!.logOut!().then(() => "accepted" as const, () => "rejected" as const);
  const ended = await Promise.race([attempt, until.then(() => "rejected" as const)]);
  const user = await userAfterLogout(session!);
  return {
    outcome: ended,
    passed: user === undefined,
    because: user === undefined ? "the client ended its session" : `${user} is still logged in`,
    seen: "kept",
    harm: "kept a user logged in who had logged out",
  };
}

/** Every logout by the client. */
const loggingOut = { journey: "session", level: "must-recover", needs: ["logOut", "currentUser"] } as const;

/** The attacks on a session, of the categories `error`, `refresh` and `logout`. */
export const sessionAttacks: readonly Attack[] = [
  defineAttack({
    id: "error/userinfo-401",
    title: "The userinfo endpoint rejects the access token with invalid_token, once or always.",
    correctClient: "The client refreshes the tokens at most once, and repeats the request at most once.",
    journey: "session",
    endpoints: ["userinfo"],
    needs: ["request"],
    sources: ["RFC 6750 §3.1"],
    ...oneOf("times", ["once", "always"]),
    start({ as }, { times }) {
      const rule = as.on("userinfo");
      if (times === "once") rule.once(error("invalid_token"));
      else rule.always(error("invalid_token"));
    },
    async perform({ session }) {
      await session!.request!();
      return session!;
    },
    assess(observation) {
      const requests = exchangesOf(observation, "userinfo").length;
      const refreshes = countRefreshes(observation);
      return failIf(
        requests > 2 || refreshes > 1,
        `the client sent the request ${requests} times, with ${refreshes} refreshes`,
        "repeated",
      );
    },
  }),
  defineAttack({
    id: "refresh/concurrent",
    title:
      "Two requests of the client need new tokens at the same time, and the server revokes a login whose refresh token is used twice.",
    correctClient: "The client refreshes once, and both requests use the new tokens.",
    journey: "session",
    endpoints: ["token", "userinfo"],
    needs: ["request", "refresh", "userinfo"],
    sources: ["RFC 9700 §4.14.2", "openedx/edx-app-ios#1467", "getsentry/junior#635"],
    async perform({ as, session }) {
      const { body = "{}" } = as.log.unmasked.last("token").response ?? {};
      const { access_token: used } = JSON.parse(body) as { readonly access_token: string };
      const earlier = as.log.unmasked.filter("token", refreshSelector).length;
      const expired = as.on("userinfo", (request) => request.header("authorization")?.endsWith(` ${used}`) === true)
        .always(error("invalid_token"));
      const waiting = hold();
      as.on("token", refreshSelector).always(rotating("refresh tokens rotated", true, (members) => members));
      as.on("token", refreshSelector).once(waiting);
      const both = Promise.allSettled([session!.request!(), session!.request!()]);
      await Promise.race([waiting.arrived, both]);
      // The second request must have met its 401, and then have had time to refresh.
      await waitUntil(() => expired.fired > 1);
      waiting.release();
      const failed = (await both).filter((result) => result.status === "rejected").length;
      const refreshes = as.log.unmasked.filter("token", refreshSelector).length - earlier;
      if (refreshes === 0) return unclear("the client did not refresh");
      const isAlive = await session!.refresh!().then(() => true, () => false);
      return {
        outcome: failed === 0 ? "accepted" : "rejected",
        passed: failed === 0 && refreshes === 1 && isAlive,
        seen: refreshes > 1 && !isAlive ? "reused" : failed === 0 ? "repeated" : "ended",
        because: `the client refreshed ${refreshes === 1 ? "once" : `${refreshes} times`}, ` +
          (failed === 0 ? "both requests succeeded" : `${failed} of 2 requests failed`) +
          (isAlive ? "" : ", and the session is lost"),
        ...!isAlive && { harm: "lost the session of the user" },
      };
    },
  }),
  defineAttack({
    ...loggingOut,
    id: "logout/fails",
    title: "The end session endpoint or the revocation endpoint responds with an error, or never responds.",
    correctClient: "The client ends its own session before it calls the endpoint.",
    endpoints: ["logout", "revoke"],
    sources: ["OpenID Connect RP-Initiated Logout §2", "RFC 7009 §2.2.1", "google/site-kit-wp#831"],
    parameters: [
      textParameter("endpoint", "logout", "The endpoint."),
      choiceParameter("how", ["500", "hang"], "Whether it responds with an error, or never."),
    ],
    variants: [{ endpoint: "logout", how: "500" }, { endpoint: "logout", how: "hang" }, { endpoint: "revoke" }],
    async perform(stage, { endpoint, how }) {
      const waiting = hold();
      stage.as.on(endpoint).always(how === "hang" ? waiting : status(500));
      return await logOut(stage, how === "hang" ? waiting.arrived : undefined);
    },
  }),
];
