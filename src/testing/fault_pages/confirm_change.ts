/** Reports a change that a visitor made: on the next page, and in the log. */

import { redirectWithConfirmation } from "../../server/login/confirmation.ts";
import type { Context } from "../../core/context.ts";
import type { HostedServer } from "../../server/hosted_server.ts";
import type { HttpResponse } from "../../core/http/message.ts";

/** Redirects to a page that shows the sentence. */
export async function confirmChange(
  context: Context<HostedServer>,
  location: string,
  change: string,
): Promise<HttpResponse> {
  const { server } = context;
  server.trace({ type: "changed_by_hand", at: server.now(), change });
  return await redirectWithConfirmation(context, location, change);
}
