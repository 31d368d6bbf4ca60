/** POST /authorized/try: runs one step of the playground and shows its requests and responses. */

import type { HttpResponse, RequestLike } from "../../http/message.ts";
import { redirect } from "../../http/responses.ts";
import type { RequestTarget } from "../../http/router.ts";
import { errorPage } from "../../app/error_response.ts";
import { hasCallbackPage, noCallbackPage } from "../demo_client.ts";
import { readProtectedForm } from "../../app/csrf.ts";
import type { App, Handlers } from "../../app/endpoint.ts";
import { runPlaygroundStep } from "./steps.ts";

/** The target of the forms of the callback page. */
export function playground(app: App): Handlers {
  const { base } = app.site;
  return {
    // Without a form, no step is known.
    GET: (request) => redirect(request.method, `${base}/authorized`),
    async POST(request: RequestLike, target: RequestTarget): Promise<HttpResponse> {
      const context = app.contextFor(request);
      try {
        if (!hasCallbackPage(context)) throw noCallbackPage();
        // The callback page sends no referrer, not even to this server, because its address holds the code.
        return await runPlaygroundStep(
          context,
          request,
          await readProtectedForm(context, request, true),
          target.clientAddress,
        );
      } catch (error) {
        return await errorPage(context, target, error);
      }
    },
    reject: (error, target, request) => errorPage(app.contextFor(request), target, error),
  };
}
