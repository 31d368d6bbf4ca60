/** The list of all verbs, in the order of the documentation. */

import type { Verb } from "../verb.ts";
import { clientVerbs } from "./clients.ts";
import { clockVerbs } from "./clock.ts";
import { faultVerbs } from "./faults.ts";
import { logVerbs } from "./log.ts";
import { serverVerbs } from "./server.ts";
import { userVerbs } from "./users.ts";

/** Every verb. */
export const verbs: readonly Verb[] = [
  ...[logVerbs, faultVerbs, clientVerbs, userVerbs, clockVerbs, serverVerbs].flat(),
];
