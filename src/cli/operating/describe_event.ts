/** What a log says of a rejection, warning or note besides its texts: the difference, and the link to the change. */

import type { Context } from "../../core/http/context.ts";
import type { TraceEvent } from "../../server/trace.ts";
import { clientChangeUrl } from "../../server/errors/client_change.ts";
import { compareTexts, type TextDifference } from "../../server/pages/compare_texts.ts";
import { suggestUri } from "../../server/explain/suggest_match.ts";

/** What a log adds to an event. */
export interface EventDetails {
  /** How the received value differs from the expected one, or a rejected URI from the registered one: sentences. */
  readonly note?: string;
  /** The differences from the expected value, or from the most similar registered URI. */
  readonly difference?: TextDifference;
  /** The form that changes the clients so that the server accepts the request. */
  readonly change?: { readonly url: string; readonly label: string };
}

/** @param context The context of the request of the event. Default: it has none. */
export function describeEvent(event: TraceEvent, context?: Context): EventDetails {
  if (!("explanation" in event)) return {};
  const { type, explanation } = event;
  const suggestion = suggestUri(explanation);
  const { expected, received } = explanation;
  const meant = suggestion?.text ?? expected;
  const difference = meant === undefined || received === undefined ? undefined : compareTexts(meant, received);
  const sentences = [difference?.words, suggestion?.difference].filter((text) => text !== undefined);
  const note = sentences.length === 0 ? undefined : sentences.join(" ");
  const change = type === "rejected" && context !== undefined
    ? clientChangeUrl(context, explanation.change)
    : undefined;
  return { note, difference, change };
}
