/** The approver of `login: "auto"`. */

import { type ApproverContext, logInAutomatically } from "../../core/authorize/approver.ts";
import type { AuthorizationRequest } from "../../core/authorize/authorization_request.ts";
import { demandedLevels } from "../token/levels.ts";
import { resolveLoginHint } from "../clients/login_hint.ts";
import type { HostedServer } from "../hosted_server.ts";
import { rejectCrossSiteLogin } from "./cross_site_login.ts";
import type { Approval } from "./approver.ts";

/**
 * The approver of `login: "auto"`. It logs in the user of `login_hint`. Without a hint, it logs in the user of the
 * session, unless another user became the default after that login; otherwise the first user. It approves the whole
 * request. The setting `unknownLoginHint` decides how it handles a `login_hint` that names no user.
 *
 * @throws {OAuthError} If `login_hint` is rejected, or there are no users.
 */
export async function autoApprover(request: AuthorizationRequest, at: ApproverContext): Promise<Approval> {
  // This comes first: a login that another site started must not even look up a user.
  rejectCrossSiteLogin(at.context, at.pending);
  const server = at.context.server as HostedServer;
  const { users, previousSession } = at;
  const isOfFormerDefault = previousSession !== undefined && previousSession.authTime <= server.users.defaultChosenAt();
  const approval = await logInAutomatically(request, {
    ...at,
    // Not a copy: a plugin may have users that inherit their functions.
    users: Object.create(users, {
      find: { value: async (hint: string) => await users.find(hint) ?? await resolveLoginHint(server, hint, request) },
    }),
    previousSession: isOfFormerDefault ? undefined : previousSession,
  });
  if (approval.user.sub === at.session?.sub && approval.authTime === at.session.authTime) return approval;
  return { ...approval, ...await server.levels?.reached(server, "auto", demandedLevels.of(request.loginRequirements)) };
}
