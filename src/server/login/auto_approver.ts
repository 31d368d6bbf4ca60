/** The approver of `login: "auto"`. */

import { approveAutomatically, type ApproverContext } from "../../core/approver.ts";
import type { Approval } from "../../core/approval.ts";
import type { AuthorizationRequest } from "../../core/request/authorization_request.ts";
import { resolveLoginHint } from "../entries/login_hint.ts";

/**
 * The approver of `login: "auto"`. It logs in the user of `login_hint`. Without a hint, it logs in the user of the
 * session, unless another user became the default after that login; otherwise the first user. It approves the whole
 * request. The setting `unknownLoginHint` decides how it handles a `login_hint` that names no user.
 *
 * @throws {OAuthError} If `login_hint` is rejected, or there are no users.
 */
export function autoApprover(request: AuthorizationRequest, at: ApproverContext): Promise<Approval> {
  return approveAutomatically(request, at, resolveLoginHint);
}
