/** Redacts events, and text that a client sent, for logs. */

import type { RegisteredSecrets } from "./clients/registered_secrets.ts";
import { redactNamedValues, replaceUserInfo, secretLabel } from "./secret_names.ts";
import type { TraceEvent } from "./trace.ts";

/**
 * Redacts text that a client sent, for logs. It removes these, or replaces them with their length: codes and tokens in
 * any place, values of secret parameters and members, all values in URL queries, user and password of URIs, and
 * registered client secrets.
 */
export function redactText(text: string, registered?: RegisteredSecrets): string {
  // Bounded, so that a long request cannot keep the log busy.
  const truncated = text.slice(0, maxTextLength);
  const label = registered?.label ?? secretLabel;
  const withoutRegistered = registered?.redact(truncated, maskLength, maxLoggedWords) ?? truncated;
  const withoutMembers = withoutRegistered
    .replace(jsonMember, (whole, name, between) => label(name) === undefined ? whole : `"${name}"${between}"…"`)
    .replace(header, (whole, name, between) => label(name) === undefined ? whole : `${name}${between}…`);
  return replaceUserInfo(redactNamedValues(withoutMembers, label), () => "…")
    .replace(/(?<=[?&#;][^=&#;\s]*=)[^&#;\s]+/g, "…")
    .replace(/[A-Za-z0-9._~+/-]{32,}=*/g, (word) => secretPattern.test(word) ? maskLength(word) : word);
}

/** A member of a JSON object, complete or cut, with a string as its value. */
const jsonMember = /"([^"\\]{1,64})"(\s*:\s*)"(?:[^"\\]|\\.)*(?:"|$)/g;

/** A name and a value as in a header: `client_secret: …`. A URI has no space after the colon. */
const header = /(?<![^\s,;{])([\w.~%+[\]-]{1,64})(:\s+)[^\s,;"]+/g;

function maskLength(word: string): string {
  return `…(${word.length} characters)`;
}

/** Redacts an event for a log: clients may send a secret in the wrong parameter. */
export function redactEvent(event: TraceEvent, registered?: RegisteredSecrets): TraceEvent {
  if (event.type === "page_missing") {
    const { endpoint, reason } = event;
    return {
      ...event,
      endpoint: redactText(endpoint, registered),
      reason: registered?.redact(reason, maskLength) ?? reason,
    };
  }
  if (!("explanation" in event)) return event;
  const { change, ...others } = event.explanation;
  const { reason, received, isComputed = false } = others;
  const explanation = {
    ...others,
    ...change !== undefined && JSON.stringify(change) === redactText(JSON.stringify(change), registered) && { change },
    // This server wrote the text, but the text may contain request values.
    reason: registered?.redact(reason, maskLength) ?? reason,
    ...received !== undefined && !isComputed && { received: redactText(received, registered) },
  };
  return event.type === "rejected"
    ? { ...event, endpoint: redactText(event.endpoint, registered), explanation }
    : { ...event, explanation };
}

/** Maximum number of words searched for registered secrets before a text is logged: less than a millisecond. */
const maxLoggedWords = 400;

/** Maximum length of a text from a client, in characters. */
const maxTextLength = 2000;

/** Characters that look random, or a code verifier, which may contain dots and tildes. */
const secretPattern = /[A-Za-z0-9_-]{32}|[A-Za-z0-9._~-]{43}/;
