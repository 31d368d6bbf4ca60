/** The rules of the whole server that no extension brings. */

import { rejectBy } from "../../core/rules/reject.ts";
import { coreRules } from "../../core/rules/mod.ts";
import { controlRules } from "./control.ts";
import { loginRules } from "./login.ts";
import { logoutRules } from "./logout.ts";
import { operationRules } from "./operation.ts";
import { pageRules } from "./pages.ts";
import { resourceRules } from "./resource.ts";
import { resourceIndicatorRules } from "./resource_indicators.ts";

/** The rules besides those of the core. */
export const serverRules = {
  ...loginRules,
  ...logoutRules,
  ...resourceIndicatorRules,
  ...resourceRules,
  ...operationRules,
  ...pageRules,
  ...controlRules,
};

/** Creates the error of a rule of the core or of the whole server. */
export const reject = rejectBy({ ...coreRules, ...serverRules });
