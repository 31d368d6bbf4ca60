/** POST /authorized/try: one step with the code or its tokens, sent to this server by itself, and shown as it went. */

import type { Incoming, Reply } from "../../http/message.ts";
import { redirect } from "../../http/responses.ts";
import type { Target } from "../../http/router.ts";
import { asPage } from "../../app/error_response.ts";
import { hasCallbackPage, noCallback } from "../demo_client.ts";
import { readEdit } from "../../app/csrf.ts";
import type { Answers, Desk } from "../../app/endpoint.ts";
import { answerTrial } from "./steps.ts";

/** Where the forms of the callback page go. */
export function trial(desk: Desk): Answers {
  const { base } = desk.site;
  return {
    // Whoever opens the address by hand has nothing to try.
    GET: (request) => redirect(request.method, `${base}/authorized`),
    async POST(request: Incoming, target: Target): Promise<Reply> {
      const here = desk.during(request);
      try {
        if (!hasCallbackPage(here)) throw noCallback();
        // The callback page sends no referrer, not even to this server, because its address holds the code.
        return await answerTrial(here, request, await readEdit(here, request, true), target.peer);
      } catch (refusal) {
        return await asPage(here, target, refusal);
      }
    },
    refuse: (fault, target, request) => asPage(desk.during(request), target, fault),
  };
}
