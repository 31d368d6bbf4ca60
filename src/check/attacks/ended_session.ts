/** The use of a session that has ended. */

import type { Conclusion, Stage } from "../attack.ts";
import { conclude } from "./conclusions.ts";

/** Uses the session of the login before the attack; the client must not send any of its tokens. */
export async function useEndedSession({ as, session }: Stage): Promise<Conclusion> {
  const earlier = as.log.unmasked.exchanges.length;
  await session!.request?.().catch(() => {});
  await session!.refresh?.().catch(() => {});
  const sent = as.log.unmasked.exchanges.slice(earlier).find(({ endpoint }) =>
    endpoint === "userinfo" || endpoint === "token"
  );
  return conclude(
    sent && `the client sent a token of the ended session to ${sent.endpoint}`,
    "the client sent no token of the ended session",
  );
}
