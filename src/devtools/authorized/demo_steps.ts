/** The developers' part of `/start` and `/authorized`: its code is loaded when a page needs it. */

import type { DemoSteps } from "../../server/app.ts";
import { prepareRequest } from "./demo_request.ts";
import { describeNext } from "./steps.ts";

export const demoSteps: DemoSteps = { prepare: prepareRequest, next: describeNext };
