/** The rules of the whole server that no extension brings: those of resource servers and of pages. */

import { rejectBy } from "../../core/reject.ts";
import { coreRules } from "../../core/rules/mod.ts";
import { pageRules } from "./pages.ts";
import { resourceRules } from "./resource.ts";

/** The rules besides those of the core. */
export const serverRules = { ...resourceRules, ...pageRules };

/** Creates the error of a rule of the core or of the whole server. */
export const reject = rejectBy({ ...coreRules, ...serverRules });
