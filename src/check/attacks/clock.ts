/** Clock skew between server and client (OpenID Connect Core §3.1.3.7). */

import { clock } from "../../testing/faults/mod.ts";
import { secondsParameter } from "../../testing/faults/parameters.ts";
import { type Attack, defineAttack } from "../define_attack.ts";

const isAhead = "How far the clock of the server is ahead; negative: how far behind.";

export const clockAttacks: readonly Attack[] = [
  defineAttack({
    id: "clock/small",
    title: "The clock of the server is half a minute ahead, or ten seconds behind.",
    correctClient: "The client accepts the tokens.",
    level: "must-tolerate",
    sources: ["OpenID Connect Core §3.1.3.7"],
    parameters: [secondsParameter("seconds", 30, isAhead)],
    // A server may reject assertions, proofs and request objects that are more than 10 seconds ahead of its clock (FAPI
    // 2.0 Security Profile §5.3.2.1), as this one does: a correct client could then not log in.
    variants: [{ seconds: 30 }, { seconds: -10 }],
    on: "any",
    always: ({ seconds }) => clock.skewed(seconds),
  }),
];
