/** POST /authorized/try: sends one step after an authorization response, and shows its requests and responses. */

import { readProtectedForm } from "../../server/pages/csrf.ts";
import type { Handlers } from "../../core/route.ts";
import { assertCallbackPage } from "../../core/demo_flow.ts";
import { redirect } from "../../core/http/message.ts";
import { type FindEditLink, runStep } from "./steps.ts";
import type { HostedServer } from "../../server/hosted_server.ts";

/** The target of the buttons of `/authorized`; opened by hand, it leads back there. */
export const stepEndpoint = (findEditLink: FindEditLink | undefined): Handlers<HostedServer> => ({
  async GET(context) {
    await assertCallbackPage(context);
    return redirect("GET", `${context.site.base}/authorized`);
  },
  async POST(context) {
    await assertCallbackPage(context);
    // The page sends no referrer even to this server, because its URL contains the code.
    return await runStep(context, await readProtectedForm(context, true), findEditLink);
  },
});
