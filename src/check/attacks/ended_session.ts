/** Ends a session from the server or by a URL of the application, and uses one that has ended. */

import { findAttributes } from "../../client/html_form.ts";
import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import { sleep } from "../../core/http/timers.ts";
import type { TestLatchkey } from "../../testing/test_latchkey.ts";
import type { Conclusion, Stage } from "../attack.ts";
import type { ClientJourney, ClientSession } from "../driver.ts";
import { conclude } from "./conclusions.ts";

/** How long a session may take to end, and the step of the wait, in milliseconds. */
const [maxEndMs, stepMs] = [1000, 50] as const;

/** Who is still logged in after a logout, which may take a moment; `undefined` if no one is. */
export async function userAfterLogout({ currentUser }: ClientSession): Promise<string | undefined> {
  for (let waitedMs = 0;; waitedMs += stepMs) {
    const user = await currentUser?.();
    if (user === undefined || waitedMs >= maxEndMs) return user;
    await sleep(stepMs);
  }
}

/** Uses the session of the login before the attack; the client must not send any of its tokens. */
export async function useEndedSession({ as, session }: Stage): Promise<Conclusion> {
  await userAfterLogout(session!);
  const earlier = as.log.unmasked.exchanges.length;
  await session!.request?.().catch(() => {});
  await session!.refresh?.().catch(() => {});
  const sent = as.log.unmasked.exchanges.slice(earlier).find(({ endpoint }) =>
    endpoint === "userinfo" || endpoint === "token"
  );
  return conclude(
    sent && `the client sent a token of the ended session to ${sent.endpoint}`,
    "the client sent no token of the ended session",
    "kept",
    sent && "used a token of a user who had logged out",
  );
}

/** The request that logs out a client (Back-Channel Logout §2.5). */
export function logoutRequest(client: { readonly backchannel_logout_uri?: string }, logoutToken: string): Request {
  return new Request(client.backchannel_logout_uri!, {
    method: "POST",
    body: new URLSearchParams({ logout_token: logoutToken }),
  });
}

/** The `sid` of the newest ID token; `undefined` if it has none. */
export function sessionIdOf({ log }: TestLatchkey): string | undefined {
  const { body = "{}" } = log.unmasked.last("token").response ?? {};
  const { id_token = "" } = JSON.parse(body) as { readonly id_token?: string };
  const { sid } = decodeJwtPart(id_token, 1);
  return typeof sid === "string" ? sid : undefined;
}

/** The URLs of the logout links and logout forms in the pages of a browser, without parameters. */
export function logoutUrls({ browser: { visits }, client }: ClientJourney): ReadonlySet<string> {
  const targets = visits.flatMap(({ url, html }) =>
    [...findAttributes(html, "a", "href"), ...findAttributes(html, "form", "action")].flatMap((target) => {
      if (!URL.canParse(target, url)) return [];
      const { origin, pathname } = new URL(target, url);
      return origin === new URL(url).origin && /\/(?:log|sign)[-_]?(?:out|off)\/?$/i.test(pathname)
        ? [origin + pathname]
        : [];
    })
  );
  return new Set(targets.filter((target) => target !== client.frontchannel_logout_uri));
}
