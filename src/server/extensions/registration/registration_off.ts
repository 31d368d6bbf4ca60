/** The registration endpoint of a server where registration is off: it rejects every request with the reason. */

import type { Context } from "../../assembly/context.ts";
import type { Handlers } from "../../assembly/route.ts";
import { byProfile } from "../../oauth/profile.ts";
import { OAuthError } from "../../oauth/errors.ts";

/** The handlers of the registration endpoint. */
export const registrationOff: Handlers = { GET: reject, POST: reject, PUT: reject, DELETE: reject };

/** Rejects a request. On a test host, the response contains the reason. */
function reject({ server }: Context): never {
  const { profile: active, allows: { explanations } } = server.settings;
  const profile = byProfile(active, "registration.mode");
  const advice = profile === ""
    ? "set registration.mode to 'open', or add registration.initialAccessTokens"
    : "use a client ID metadata document, or configure the client";
  const reason = `registration is off${profile}: ${advice}`;
  throw new OAuthError("invalid_request", explanations ? reason : "this address does not exist", {
    rule: "DR-12",
    status: 404,
    reason,
    ...profile !== "" && {
      fix: "Use the URL of a client ID metadata document as the client_id, or configure the client.",
    },
  });
}
