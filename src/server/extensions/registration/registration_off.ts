/** The registration endpoint of a server where registration is off: it rejects every request with the reason. */

import type { Context } from "../../../core/context.ts";
import type { Handlers } from "../../../core/route.ts";
import { byProfile } from "../../config/server_policy.ts";
import { reject } from "./rules.ts";

/** The handlers of the registration endpoint. */
export const registrationOff: Handlers = {
  GET: rejectRequest,
  POST: rejectRequest,
  PUT: rejectRequest,
  DELETE: rejectRequest,
};

/** Rejects a request. On a test host, the response contains the reason. */
function rejectRequest({ server: { settings } }: Context): never {
  const { explanations: isExplained } = settings.allows;
  throw reject("DR-12", { byProfile: byProfile(settings, "registration.mode"), isExplained }, { status: 404 });
}
