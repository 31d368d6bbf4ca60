/** What a log says of a rejection, warning or note besides its texts: how to fix it, and the link to the change. */

import type { Context } from "../../core/context.ts";
import type { TraceEvent } from "../../server/trace.ts";
import { clientChangeUrl } from "../../server/errors/client_change.ts";
import { suggestUri } from "../../server/explain/suggest_match.ts";
import { findFix } from "../../server/rules.ts";

/** What the rule table and the registered clients add to an event. */
export interface EventDetails {
  /** How to fix the request. */
  readonly fix?: string;
  /** How a rejected URI differs from the registered one: a sentence. */
  readonly difference?: string;
  /** The form that changes the clients so that the server accepts the request. */
  readonly change?: { readonly url: string; readonly label: string };
}

/** @param context The context of the request of the event. Default: it has none. */
export function describeEvent(event: TraceEvent, context?: Context): EventDetails {
  if (!("explanation" in event)) return {};
  const { type, explanation } = event;
  const fix = findFix(explanation);
  if (type !== "rejected" || context === undefined) return { fix };
  return {
    fix,
    difference: suggestUri(explanation)?.difference,
    change: clientChangeUrl(context, explanation.change),
  };
}
