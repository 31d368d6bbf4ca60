/** The confirmations of changes by hand, on the page after them. */

import type { Context } from "../../core/http/context.ts";
import type { HttpResponse } from "../../core/http/message.ts";
import { redirectWithConfirmation } from "../../server/login/confirmation.ts";
import { formatLongDuration } from "../../server/pages/duration.ts";
import type { HostedServer } from "../../server/hosted_server.ts";
import type { ServerControl } from "../test_control.ts";

/** What the page controls: a part of the control of a mock. */
export type PageControl = Pick<ServerControl, "clock" | "faults" | "revoke">;

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

/** The sentence that confirms a move of the clock between two times in milliseconds. */
export function movedTo(before: number, now: number): string {
  const seconds = Math.round((now - before) / 1000);
  const how = seconds < 0 ? "set back" : "moved";
  return `Clock ${how} by ${formatLongDuration(Math.abs(seconds))} to ${new Date(now).toISOString()}`;
}
