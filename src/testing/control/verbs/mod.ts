/** The list of all verbs, in the order of the documentation. */

import type { Verb } from "../verb.ts";
import { clientVerbs } from "./clients.ts";
import { clockVerbs } from "./clock.ts";
import { decisionVerbs } from "./decisions.ts";
import { eventVerbs } from "./events.ts";
import { expectationVerbs } from "./expectations.ts";
import { faultVerbs } from "./faults.ts";
import { issueVerbs } from "./issue.ts";
import { keyVerbs } from "./keys.ts";
import { logVerbs } from "./log.ts";
import { mintVerbs } from "./mint.ts";
import { polledRequestVerbs } from "./polled_requests.ts";
import { serverVerbs } from "./server.ts";
import { tenantVerbs } from "./tenants.ts";
import { tokenVerbs } from "./tokens.ts";
import { userVerbs } from "./users.ts";

/** Every verb. */
export const verbs: readonly Verb[] = [
  ...[logVerbs, expectationVerbs, faultVerbs, clientVerbs, userVerbs, decisionVerbs, polledRequestVerbs].flat(),
  ...[issueVerbs, mintVerbs].flat(),
  ...[tokenVerbs, eventVerbs, keyVerbs, clockVerbs, tenantVerbs, serverVerbs].flat(),
];
