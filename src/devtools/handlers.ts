/** The handlers of all pages for developers. The first visit of a page loads this file, and with it their code. */

import type { DemoSteps } from "../server/app.ts";
import { prepareRequest } from "./authorized/demo_request.ts";
import { describeNext } from "./authorized/steps.ts";

export { assets } from "./assets.gen.ts";
export { stepEndpoint } from "./authorized/steps.ts";
export { clientListPage, clientPage } from "./connect/clients.ts";
export { homePage } from "./connect/home.ts";
export { userListPage, userPage } from "./connect/users.ts";
export * from "./requests/handlers.ts";
export { recentFlows } from "./requests/list.ts";
export { showTokenForm, showTokens } from "./requests/tokens/page.ts";
export { showRule } from "./rules/handlers.ts";

export const demoSteps: DemoSteps = { prepare: prepareRequest, next: describeNext };
