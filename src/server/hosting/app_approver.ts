/** The approver of an app: the function of the embedding program, the login pages, or automatic login. */

import type { Approver } from "../../core/authorize/approver.ts";
import { immediate } from "../../core/immediate.ts";
import { autoApprover } from "../login/auto_approver.ts";
import { keepsRequests } from "../stored_requests.ts";
import type { LatchkeyOptions } from "./options.ts";

/** The approver, as plugins wrap it. @param interaction The login pages; absent without `login: "interactive"`. */
export function appApprover(
  { approver, plugins = [] }: Pick<LatchkeyOptions, "approver" | "plugins">,
  interaction: typeof import("../login/mod.ts") | undefined,
): Approver {
  return keepsRequests(plugins.reduceRight(
    (inner, plugin) => immediate("approve of a plugin", plugin.approve?.(inner, interaction !== undefined)) ?? inner,
    approver ?? interaction?.pagesApprover() ?? automaticLogin,
  ));
}

/** The approver of `login: "auto"`. */
const automaticLogin: Approver = async (request, situation) =>
  request.loginRequirements.prompt.includes("select_account")
    ? await (await import("./page_handlers.ts")).approveOrAsk(request, situation)
    : await autoApprover(request, situation);
