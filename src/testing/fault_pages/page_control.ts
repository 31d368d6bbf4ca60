/** What the page `/faults` controls: a part of the control of a mock. */

import type { ServerControl } from "../test_control.ts";

export type PageControl = Pick<ServerControl, "clock" | "faults" | "revoke">;
