/** Redacts events and text that a client sent, for logs and the option `trace`. */

import { commonLabel, cutFreeText, hideInFreeText, maskLength, type Redaction } from "./hide_secrets.ts";
import type { RegisteredSecrets } from "./registered_secrets.ts";
import type { Explanation, TraceEvent } from "./trace.ts";

/** Maximum length of a text from a client in a log, in characters. */
const maxLoggedChars = 2000;

/** Redacts text that a client sent, for logs. */
export function redactText(text: string, registered?: RegisteredSecrets): string {
  // The last word may be a part of a secret.
  const logged = text.length <= maxLoggedChars ? text : text.slice(0, maxLoggedChars).replace(/\S*$/, "…");
  return hideInFreeText(logged, logRedaction(registered));
}

function logRedaction(registered: RegisteredSecrets | undefined): Redaction {
  return {
    mask: maskLength,
    label: registered?.label ?? commonLabel,
    known: (text) => registered?.redact(text, maskLength) ?? text,
  };
}

/** Redacts an event, for the log and for the option `trace`: clients may send a secret in the wrong parameter. */
export function redactEvent(event: TraceEvent, registered?: RegisteredSecrets): TraceEvent {
  return mapEventTexts(event, logTexts(registered));
}

/** Redacts an explanation like {@link redactEvent}. */
export function redactExplanation(explanation: Explanation, registered: RegisteredSecrets): Explanation {
  return mapExplanationTexts(explanation, logTexts(registered));
}

function logTexts(registered: RegisteredSecrets | undefined): EventTexts {
  return {
    own: (text) => text,
    sentence: logRedaction(registered).known,
    received: (text) => redactText(text, registered),
    cause: (cause) => redactCause(cause, registered),
  };
}

/** Redacts a thrown value, which may quote a request. A redacted error keeps its class, name and stack. */
function redactCause(cause: unknown, registered: RegisteredSecrets | undefined): unknown {
  if (!(cause instanceof Error)) return cutFreeText(redactText(errorText(cause), registered));
  const redacted = redactText(cause.message, registered);
  // Errors of this project explain themselves to the operator.
  const message = /^(?:Store|Configuration)Error$/.test(cause.name) ? redacted : cutFreeText(redacted);
  // A stack without the message, which was changed later, is redacted as a whole.
  const stack = cause.stack?.includes(cause.message)
    ? cause.stack.replace(cause.message, () => message)
    : redactText(cause.stack ?? "", registered);
  return Object.create(cause, { message: { value: message }, stack: { value: stack } });
}

/** Converts a thrown value to text. It never throws, although the `toString` of the value may. */
export function errorText(cause: unknown): string {
  try {
    return String(cause);
  } catch {
    return "a value without a text form";
  }
}

/** The functions that change each kind of text. */
export interface EventTexts {
  /** Text that this server wrote, or a public value. */
  own(text: string): string;
  /** A sentence that this server wrote, which may quote a client. */
  sentence(text: string): string;
  /** Text that a client sent. */
  received(text: string): string;
  /** The thrown value of an internal error. */
  cause(cause: unknown): unknown;
}

/** The same event with changed texts. */
export function mapEventTexts(event: TraceEvent, texts: EventTexts): TraceEvent {
  switch (event.type) {
    case "rejected":
      return {
        ...mapClient(event, texts),
        endpoint: texts.received(event.endpoint),
        explanation: mapExplanationTexts(event.explanation, texts),
      };
    case "warning":
    case "note":
      return { ...mapClient(event, texts), explanation: mapExplanationTexts(event.explanation, texts) };
    case "fault_applied":
      return {
        ...event,
        endpoint: texts.received(event.endpoint),
        ...event.client !== undefined && { client: texts.received(event.client) },
      };
    case "changed_by_hand":
      return { ...event, change: texts.sentence(event.change) };
    case "page_missing":
      return { ...event, endpoint: texts.received(event.endpoint), reason: texts.sentence(event.reason) };
    case "internal_error":
      return { ...event, endpoint: texts.received(event.endpoint), cause: texts.cause(event.cause) };
    default:
      return event;
  }
}

function mapClient<E extends { readonly client?: string }>(event: E, { own }: EventTexts): E {
  return event.client === undefined ? event : { ...event, client: own(event.client) };
}

/** The same explanation with changed texts. Its change of the clients is left out if one of its texts changes. */
export function mapExplanationTexts(explanation: Explanation, texts: EventTexts): Explanation {
  const { change, ...others } = explanation;
  const { reason, expected, received, earlier, fix, isComputed = false } = others;
  const isPublic = (value: string | boolean) => typeof value !== "string" || texts.received(value) === value;
  return {
    ...others,
    reason: texts.sentence(reason),
    ...expected !== undefined && { expected: texts.own(expected) },
    ...received !== undefined && { received: isComputed ? texts.own(received) : texts.received(received) },
    ...earlier !== undefined && { earlier: texts.own(earlier) },
    ...fix !== undefined && { fix: texts.own(fix) },
    ...change !== undefined && Object.values(change).every(isPublic) && { change },
  };
}
