/** GET /authorized/try: the start page. POST: runs one step of the playground, and shows its requests and responses. */

import { readProtectedForm } from "../../server/endpoints/shared/csrf.ts";
import type { Handlers } from "../../server/assembly/route.ts";
import { assertCallbackPage } from "./demo_client.ts";
import { addKeyClient, addKeyClientStep, showStartPage } from "./start_page.ts";
import { runPlaygroundStep } from "./steps.ts";

/** The start page, and the target of the forms of the callback page. */
export const playground: Handlers = {
  async GET(context) {
    await assertCallbackPage(context);
    return await showStartPage(context);
  },
  async POST(context) {
    await assertCallbackPage(context);
    // The callback page sends no referrer even to this server, because its URL contains the code.
    const params = await readProtectedForm(context, true);
    return params.get("step") === addKeyClientStep
      ? await addKeyClient(context)
      : await runPlaygroundStep(context, params);
  },
};
