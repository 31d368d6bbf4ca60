/** A session that has ended, and is used nevertheless. */

import type { Conclusion, Stage } from "../attack.ts";

/** Uses the session of the login before the attack: no token of it may be sent. */
export async function useEndedSession({ as, session }: Stage): Promise<Conclusion> {
  const earlier = as.log.unmasked.exchanges.length;
  await session!.request?.().catch(() => {});
  await session!.refresh?.().catch(() => {});
  const sent = as.log.unmasked.exchanges.slice(earlier).filter(({ endpoint }) =>
    endpoint === "userinfo" || endpoint === "token"
  );
  return {
    outcome: sent.length > 0 ? "accepted" : "rejected",
    passed: sent.length === 0,
    because: sent.length === 0
      ? "the client sent no token"
      : `the client sent a token of the ended session to ${sent[0]!.endpoint}`,
  };
}
