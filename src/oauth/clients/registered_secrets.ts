/** Finds secrets of registered clients in text, by their digests: it keeps no secret in clear. */

import { sha256Sync } from "../../runtime/hash.ts";
import type { Client, Clients } from "./repository.ts";
import { recent } from "../bounded_cache.ts";
import { formDecode } from "../secret_names.ts";

/** Redacts registered client secrets in text that is shown. */
export interface RegisteredSecrets {
  /**
   * Replaces each registered secret in the text. A very long text is cut after the part that was searched.
   *
   * @param mostWords Maximum number of words to search. Default: {@link mostWords}.
   */
  redact(text: string, replace: (secret: string) => string, mostWords?: number): string;
  /** Whether a client with this id exists. */
  isClient(id: string): boolean;
}

/** Maximum number of words searched in one text: about two milliseconds. */
export const mostWords = 2000;

/** Maximum length of secrets to find; the redaction of random-looking text hides longer ones. */
const maxSecretLength = 512;

/** Maximum number of word boundaries in a secret, such as the `/` and `=` of base64. */
const maxBoundaries = 8;

/** Secrets that contain boundaries are searched from this many first boundaries only; after them, only single words. */
const thoroughBoundaries = 64;

/** Cached words, so that repeated text is hashed once. */
const rememberedWords = 10_000;

/** The secrets that these clients have at the time of each call. */
export function registeredSecrets(clients: Clients): RegisteredSecrets {
  let known: readonly Client[] | undefined;
  let digests: ReadonlySet<string> = new Set();
  let words = recent<boolean>(rememberedWords);

  /** Rebuilds the digests after a client changed; until then the list is the same object. */
  function update(): void {
    const all = clients.all();
    if (all === known) return;
    const found = all.flatMap(({ secretDigest }) => secretDigest === undefined ? [] : [secretDigest]);
    digests = new Set(found.filter((digest) => typeof digest === "string"));
    words = recent(rememberedWords);
    // A digest that is still being computed is included in a later call.
    known = digests.size === new Set(found).size ? all : undefined;
  }

  function isSecret(word: string): boolean {
    let is = words.get(word);
    if (is === undefined) {
      // The word as sent, and form-decoded.
      const decoded = /[%+]/.test(word) ? formDecode(word) : word;
      is = digests.has(sha256Sync(word) ?? "") || decoded !== word && digests.has(sha256Sync(decoded) ?? "");
      words.set(word, is);
    }
    return is;
  }

  return {
    redact(text, replace, most = mostWords) {
      update();
      if (digests.size === 0 || text === "") return text;
      if (text.length <= maxSecretLength && isSecret(text)) return replace(text);
      let redacted = "";
      let from = 0;
      let looked = 0;
      const bounds = boundariesOf(text, most);
      for (let i = 0; i < bounds.length - 1; i++) {
        const start = bounds[i]!;
        if (start < from || isBlank(text[start])) continue;
        for (let j = Math.min(i + (i < thoroughBoundaries ? maxBoundaries : 1), bounds.length - 1); j > i; j--) {
          const word = text.slice(start, bounds[j]);
          if (word.length > maxSecretLength || isBlank(word.at(-1))) continue;
          if (++looked > most) return `${redacted}${text.slice(from, start)}…`;
          if (!isSecret(word)) continue;
          redacted += text.slice(from, start) + replace(word);
          from = bounds[j]!;
          break;
        }
      }
      return bounds.at(-1) === text.length
        ? redacted + text.slice(from)
        : `${redacted}${text.slice(from, bounds.at(-1))}…`;
    },
    isClient: (id) => clients.find(id) !== undefined,
  };
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\n";
}

/** Positions of word boundaries, up to the maximum. */
function boundariesOf(text: string, most: number): number[] {
  const bounds = [0];
  for (const { index } of text.matchAll(/[^\w.~%+-]/g)) {
    if (bounds.at(-1)! < index) bounds.push(index);
    bounds.push(index + 1);
    if (bounds.length > most) return bounds;
  }
  if (bounds.at(-1)! < text.length) bounds.push(text.length);
  return bounds;
}
