/** `prompt=select_account` with `login: "auto"` (OpenID Connect Core §3.1.2.1). */

import type { ApproverContext } from "../../core/approver.ts";
import { autoApprover } from "./auto_approver.ts";
import { rejectCrossSiteLogin } from "../../core/cross_site.ts";
import { isSentByBrowser } from "../pages/missing_page.ts";
import type { ResponseLike } from "../../core/http/message.ts";
import type { AuthorizationRequest } from "../../core/request/authorization_request.ts";
import type { Approval } from "../../core/code.ts";

/**
 * Redirects a browser to the list of users. For a program, such as a test without a browser, `select_account` has no
 * effect.
 */
export async function approveOrAsk(
  request: AuthorizationRequest,
  situation: ApproverContext,
): Promise<Approval | ResponseLike> {
  const { context, pending } = situation;
  if (context.endpoint?.name !== "authorize" || !isSentByBrowser(context.request)) {
    return await autoApprover(request, situation);
  }
  rejectCrossSiteLogin(context, pending);
  return await (await import("./select_account.ts")).showAccounts(context, pending);
}
