/** Finds the secrets of a server in text, and redacts events and text that a client sent, for logs. */

import { sha256Sync } from "../../platform/runtime/crypto.ts";
import { boundedCache } from "./bounded_cache.ts";
import type { Client, ClientRepository } from "./clients/repository.ts";
import { decodeName, formDecode, removingRewriter, rewriteText, secretLabel } from "./secret_names.ts";
import type { Explanation, TraceEvent } from "./trace.ts";

/** @internal Redacts registered client secrets in text that is shown. */
export interface RegisteredSecrets {
  /**
   * Replaces each registered secret in the text. A very long text is cut after the part that was searched.
   *
   * @param mostWords Maximum number of words to search. Default: {@link mostWords}.
   */
  redact(text: string, replace: (secret: string) => string, mostWords?: number): string;
  /** Whether a client with this id exists. */
  isClient(id: string): boolean;
  /** The label of the value of a parameter or member, such as `code`; `undefined` if it is not secret. */
  label(name: string): string | undefined;
  /** A value that changes with the clients: text that was redacted under an earlier value may need redaction again. */
  version(): unknown;
}

/** Maximum number of words searched in one text: about two milliseconds. */
const maxSearchedWords = 2000;

/** Maximum length of secrets to find; the redaction of random-looking text hides longer ones. */
const maxSecretLength = 512;

/** Maximum number of word boundaries in a secret, such as the `/` and `=` of base64. */
const maxBoundaries = 8;

/** Number of leading boundaries from which secrets of several words are searched; after them, only single words are. */
const maxThoroughBoundaries = 64;

/** Cached words, so that repeated text is hashed once. */
const maxCachedWords = 10_000;

/**
 * The secrets that these clients have at the time of each call.
 *
 * @param labels The labels of the secret parameters that endpoints and grant types declare.
 */
export function registeredSecrets(
  clients: ClientRepository,
  labels: ReadonlyMap<string, string> = new Map(),
): RegisteredSecrets {
  let hashedClients: readonly Client[] | undefined;
  let digests: ReadonlySet<string> = new Set();
  /** Secrets whose digests are not computed yet. */
  let pendingSecrets: ReadonlySet<string | undefined> = new Set();
  let secretByWord = boundedCache<boolean>(maxCachedWords);

  /** Rebuilds the digests after a client changed; until then the list is the same object. */
  function update(): void {
    const all = clients.allCached();
    if (all === hashedClients) return;
    const secretDigests = all.flatMap(({ secretDigest }) => secretDigest === undefined ? [] : [secretDigest]);
    digests = new Set(secretDigests.filter((digest) => typeof digest === "string"));
    pendingSecrets = new Set(all.map(({ pendingSecret }) => pendingSecret));
    secretByWord = boundedCache(maxCachedWords);
    // A digest that is still being computed is included in a later call.
    hashedClients = digests.size === new Set(secretDigests).size ? all : undefined;
  }

  function isSecret(word: string): boolean {
    let isMatch = secretByWord.get(word);
    if (isMatch === undefined) {
      // The word as sent, and form-decoded.
      const decoded = /[%+]/.test(word) ? formDecode(word) : word;
      isMatch = [word, ...decoded === word ? [] : [decoded]]
        .some((text) => pendingSecrets.has(text) || digests.has(sha256Sync(text) ?? ""));
      secretByWord.set(word, isMatch);
    }
    return isMatch;
  }

  return {
    redact(text, replace, maxWords = maxSearchedWords) {
      update();
      if (hashedClients !== undefined && digests.size === 0 || text === "") return text;
      if (text.length <= maxSecretLength && isSecret(text)) return replace(text);
      let redacted = "";
      let from = 0;
      let searchedWords = 0;
      const boundaries = wordBoundaries(text, maxWords);
      for (let i = 0; i < boundaries.length - 1; i++) {
        const start = boundaries[i]!;
        if (start < from || isBlank(text[start])) continue;
        for (let j = Math.min(i + (i < maxThoroughBoundaries ? maxBoundaries : 1), boundaries.length - 1); j > i; j--) {
          const word = text.slice(start, boundaries[j]);
          if (word.length > maxSecretLength || isBlank(word.at(-1))) continue;
          if (++searchedWords > maxWords) return `${redacted}${text.slice(from, start)}…`;
          if (!isSecret(word)) continue;
          redacted += text.slice(from, start) + replace(word);
          from = boundaries[j]!;
          break;
        }
      }
      return boundaries.at(-1) === text.length
        ? redacted + text.slice(from)
        : `${redacted}${text.slice(from, boundaries.at(-1))}…`;
    },
    isClient: (id) => clients.findCached(id) !== undefined,
    label: (name) => labels.get(name) ?? labels.get(decodeName(name)) ?? secretLabel(name),
    version: () => clients.allCached(),
  };
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\n";
}

/** Positions of word boundaries, up to the maximum. */
function wordBoundaries(text: string, maxWords: number): number[] {
  const boundaries = [0];
  for (const { index } of text.matchAll(/[^\w.~%+-]/g)) {
    if (boundaries.at(-1)! < index) boundaries.push(index);
    boundaries.push(index + 1);
    if (boundaries.length > maxWords) return boundaries;
  }
  if (boundaries.at(-1)! < text.length) boundaries.push(text.length);
  return boundaries;
}

/**
 * Redacts text that a client sent, for logs. It removes these, or replaces them with their length: codes and tokens in
 * any place, values of secret parameters and members, all values in URL queries, user and password of URIs, and
 * registered client secrets.
 */
export function redactText(text: string, registered?: RegisteredSecrets): string {
  // Bounded, so that a long request cannot keep the log busy.
  const truncated = text.slice(0, maxTextLength);
  const redactRegistered = (text: string) => registered?.redact(text, maskLength, maxLoggedWords) ?? text;
  return rewriteText(truncated, removingRewriter(registered?.label ?? secretLabel, redactRegistered))
    .replace(/(?<=[?&#;][^=&#;\s]*=)[^&#;\s]+/g, "…")
    .replace(/[A-Za-z0-9._~+/-]{32,}=*/g, (word) => secretPattern.test(word) ? maskLength(word) : word);
}

function maskLength(word: string): string {
  return `…(${word.length} characters)`;
}

/** Maximum number of words searched for registered secrets before a text is logged: less than a millisecond. */
const maxLoggedWords = 400;

/** Maximum length of a text from a client, in characters. */
const maxTextLength = 2000;

/** Characters that look random, or a code verifier, which may contain dots and tildes. */
const secretPattern = /[A-Za-z0-9_-]{32}|[A-Za-z0-9._~-]{43}/;

/** Redacts an event for a log: clients may send a secret in the wrong parameter. */
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
    sentence: (text) => registered?.redact(text, maskLength) ?? text,
    received: (text) => redactText(text, registered),
    cause: (cause) => cause,
  };
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
      return { ...event, endpoint: texts.received(event.endpoint) };
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
