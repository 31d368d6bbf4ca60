/** POST /authorized/try: one step with the code or its tokens, sent to this server by itself, and shown as it went. */

import type { HttpResponse, RequestLike } from "../../http/message.ts";
import { redirect } from "../../http/responses.ts";
import type { RequestTarget } from "../../http/router.ts";
import { errorPage } from "../../app/error_response.ts";
import { hasCallbackPage, noCallbackPage } from "../demo_client.ts";
import { readProtectedForm } from "../../app/csrf.ts";
import type { App, Handlers } from "../../app/endpoint.ts";
import { runPlaygroundStep } from "./steps.ts";

/** Where the forms of the callback page go. */
export function playground(app: App): Handlers {
  const { base } = app.site;
  return {
    // Whoever opens the address by hand has nothing to try.
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
