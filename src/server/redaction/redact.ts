/** Redacts events and text that a client sent, for logs and the option `trace`. */

import {
  commonLabel,
  cutFreeText,
  hideInText,
  hideKnown,
  lastWord,
  maskLength,
  type Redaction,
} from "./hide_secrets.ts";
import type { RegisteredSecrets } from "./registered_secrets.ts";
import type { TraceEvent } from "../trace.ts";
import type { Explanation } from "../../core/rules/errors.ts";

/** Maximum length of a text from a client in a log, in characters. */
const maxLoggedChars = 2000;

/** Redacts text that a client sent, for logs. */
export function redactText(text: string, registered?: RegisteredSecrets): string {
  // The last word may be a part of a secret.
  const logged = text.length <= maxLoggedChars ? text : text.slice(0, maxLoggedChars).replace(lastWord, "…");
  return hideInText(logged, logRedaction(registered));
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
  const redaction = logRedaction(registered);
  return {
    own: (text) => hideKnown(text, redaction),
    received: (text) => redactText(text, registered),
    cause: (cause) => redactCause(cause, registered),
  };
}

/** Redacts a thrown value, which may quote a request. A redacted error keeps its class, name and stack. */
function redactCause(cause: unknown, registered: RegisteredSecrets | undefined): unknown {
  if (!(cause instanceof Error)) return cutFreeText(redactText(errorText(cause), registered));
  const redacted = redactText(cause.message, registered);
  // Errors of this project explain themselves to the operator.
  const message = /^(?:Store|Configuration|Program)Error$/.test(cause.name) ? redacted : cutFreeText(redacted);
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
  /** A sentence that this server wrote, which may quote a client. */
  own(text: string): string;
  /** Text that a client sent. */
  received(text: string): string;
  /** The thrown value of an internal error. */
  cause(cause: unknown): unknown;
}

/** The same event with changed texts. */
export function mapEventTexts(event: TraceEvent, texts: EventTexts): TraceEvent {
  const received = event.type === "fault_applied" ? ["endpoint", "client"] : ["endpoint"];
  const members = Object.entries(event).map(([name, value]: [string, unknown]) => {
    if (name === "cause") return [name, texts.cause(value)];
    if (Array.isArray(value)) return [name, value.map(texts.own)];
    // Each grant has a new id: the search of it would take as long as a signature.
    if (typeof value !== "string" || name === "type" || name === "grantId") return [name, value];
    return [name, received.includes(name) ? texts.received(value) : texts.own(value)];
  });
  const explanation = "explanation" in event && { explanation: mapExplanationTexts(event.explanation, texts) };
  return { ...Object.fromEntries(members), ...explanation };
}

/** The same explanation with changed texts. Its change of the clients is left out if one of its texts changes. */
export function mapExplanationTexts(explanation: Explanation, texts: EventTexts): Explanation {
  const { change, ...others } = explanation;
  const isPublic = (value: unknown) => typeof value !== "string" || texts.received(value) === value;
  const members = Object.entries(others).filter(([, text]) => text !== undefined)
    .map(([name, text]) => [name, name === "received" ? texts.received(text) : texts.own(text)]);
  return {
    ...Object.fromEntries(members),
    ...change !== undefined && Object.values(change).every(isPublic) && { change },
  };
}
