/** POST /authorized/try: runs one step of the playground and shows its requests and responses. */

import { redirect } from "../../http/responses.ts";
import { readProtectedForm } from "../../app/csrf.ts";
import type { Handlers } from "../../app/route.ts";
import { hasCallbackPage, noCallbackPage } from "../demo_client.ts";
import { runPlaygroundStep } from "./steps.ts";

/** The target of the forms of the callback page. */
export const playground: Handlers = {
  GET: ({ request, site }) => redirect(request.method, `${site.base}/authorized`),
  async POST(context) {
    if (!await hasCallbackPage(context)) throw noCallbackPage();
    // The callback page sends no referrer even to this server, because its URL contains the code.
    return await runPlaygroundStep(context, await readProtectedForm(context, true));
  },
};
