/** Finds secrets of registered clients in text by their digests: nothing is guessed, and no secret is kept for it. */

import { sha256Sync } from "../runtime/hash.ts";
import type { Client, Clients } from "./clients.ts";
import { recent } from "./recent.ts";
import { formDecode } from "./secret_names.ts";

/** What a text is held against before it is shown. */
export interface RegisteredSecrets {
  /**
   * The text with something else in the place of each registered secret; a very long text is cut where it was not searched.
   *
   * @param mostWords How many words may be looked at. Default: {@link mostWords}.
   */
  redact(text: string, replace: (secret: string) => string, mostWords?: number): string;
  /** Whether there is a client of that id. */
  isClient(id: string): boolean;
}

/** Words looked at in one text: some two milliseconds. */
export const mostWords = 2000;

/** Longer secrets are not looked for: what is so long looks drawn, and is hidden by that. */
const maxSecretLength = 512;

/** How many boundaries between words a secret may contain, such as the `/` and `=` of base64. */
const maxBoundaries = 8;

/** How many of the first boundaries secrets are looked for with so many boundaries in them; later ones are single words. */
const thoroughBoundaries = 64;

/** Words remembered, so that what is shown again and again is hashed once. */
const rememberedWords = 10_000;

/** The secrets of these clients, as they are registered at the moment of each call. */
export function registeredSecrets(clients: Clients): RegisteredSecrets {
  let known: readonly Client[] | undefined;
  let digests: ReadonlySet<string> = new Set();
  let words = recent<boolean>(rememberedWords);

  /** Follows the clients; the list is the same object until one of them changes. */
  function update(): void {
    const all = clients.all();
    if (all === known) return;
    const found = all.flatMap(({ secretDigest }) => secretDigest === undefined ? [] : [secretDigest]);
    digests = new Set(found.filter((digest) => typeof digest === "string"));
    words = recent(rememberedWords);
    // One that is still being made is there at the next call.
    known = digests.size === new Set(found).size ? all : undefined;
  }

  function isSecret(word: string): boolean {
    let is = words.get(word);
    if (is === undefined) {
      // As it stands, and as it may have been form-encoded in a URL.
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

/** Where words begin and end, as many as may be looked at. */
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
