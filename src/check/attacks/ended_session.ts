/** A session that has ended, and is used nevertheless. */

import type { Conclusion, Stage } from "../attack.ts";
import { conclude } from "./conclusions.ts";

/** Uses the session of the login before the attack: no token of it may be sent. */
export async function useEndedSession({ as, session }: Stage): Promise<Conclusion> {
  const earlier = as.log.unmasked.exchanges.length;
  await session!.request?.().catch(() => {});
  await session!.refresh?.().catch(() => {});
  const sent = as.log.unmasked.exchanges.slice(earlier).find(({ endpoint }) =>
    endpoint === "userinfo" || endpoint === "token"
  );
  return conclude(
    sent && `the client sent a token of the ended session to ${sent.endpoint}`,
    "the client sent no token",
  );
}
