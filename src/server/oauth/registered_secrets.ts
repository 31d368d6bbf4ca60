/**
 * The declared secrets of a server: names of parameters, headers and members, and the secrets and registration access
 * tokens of its clients.
 */

import { sha256Sync } from "../../platform/runtime/crypto.ts";
import { boundedCache } from "./bounded_cache.ts";
import type { Client, ClientRepository } from "./clients/repository.ts";
import { commonLabel, type DeclaredNames, decodeFormValue, findLabel, normalizeName } from "./hide_secrets.ts";

/** @internal The secrets that a server knows. */
export interface RegisteredSecrets {
  /**
   * Replaces each client secret and registration access token that is the whole text or a word of it.
   *
   * @param search Counts the words of several texts; the text is cut at the word that is one too many. Default: this
   *   text alone.
   */
  redact(text: string, replace: (secret: string) => string, search?: SecretSearch): string;
  /** Whether a client with this id exists. */
  isClient(id: string): boolean;
  /** The label of the value of a parameter or member, such as `code`; `undefined` if it is not declared as secret. */
  label(name: string): string | undefined;
  /** Whether a parameter is declared, and not secret. */
  isPublic(name: string): boolean;
  /** A value that changes with the clients: text that was redacted under an earlier value may need redaction again. */
  version(): unknown;
}

/** A search for secrets in the texts of one event or exchange. */
export interface SecretSearch {
  /** The number of words that may still be searched: each is hashed, which takes up to 10 µs. */
  words: number;
}

/** Maximum number of words and parts of words searched in one event or exchange: about a twentieth of a second. */
export const maxSearchedWords = 8000;

/** Maximum length of a registered secret that is found, in characters. */
const maxSecretChars = 512;

/** Cached words, so that repeated text is hashed once. Half of them are always kept. */
const maxCachedWords = 2 * maxSearchedWords;

/** The declared names of a server, and the secrets that its clients have at the time of each call. */
export function registeredSecrets(
  clients: ClientRepository,
  declared: DeclaredNames = new Map(),
): RegisteredSecrets {
  let hashedClients: ReadonlyMap<string, Client> | undefined;
  let digests: ReadonlySet<string> = new Set();
  /** Secrets whose digests are not computed yet. */
  let pendingSecrets: ReadonlySet<string | undefined> = new Set();
  let secretByWord = boundedCache<boolean>(maxCachedWords);

  /** Rebuilds the digests after a client changed; until then the list is the same object. */
  function update(): void {
    const known = clients.known();
    if (known === hashedClients) return;
    const all = [...known.values()];
    const secretDigests = all.flatMap(({ secretDigest, registration }) =>
      [secretDigest, registration?.tokenDigest].filter((digest) => digest !== undefined)
    );
    digests = new Set(secretDigests.filter((digest) => typeof digest === "string"));
    pendingSecrets = new Set(all.map(({ pendingSecret }) => pendingSecret));
    secretByWord = boundedCache(maxCachedWords);
    // A digest that is still being computed is included in a later call.
    hashedClients = digests.size === new Set(secretDigests).size ? known : undefined;
  }

  /** Whether a word is a secret, as it is or form-decoded. */
  function isSecret(word: string): boolean {
    if (word === "" || word.length > maxSecretChars) return false;
    let isMatch = secretByWord.get(word);
    if (isMatch === undefined) {
      // Hashing takes most of the time of a long text.
      isMatch = [...new Set([word, decodeFormValue(word)])].some((text) =>
        pendingSecrets.has(text) || digests.has(sha256Sync(text) ?? "")
      );
      secretByWord.set(word, isMatch);
    }
    return isMatch;
  }

  return {
    redact(text, replace, search = { words: maxSearchedWords }) {
      update();
      if (hashedClients !== undefined && digests.size === 0) return text;
      if (text === "" || search.words <= 0) return text && "…";
      if (isSecret(text)) return replace(text);
      let shown = "";
      for (const word of text.split(/([\s"'\\<>&?#,;]+)/)) {
        if (search.words-- <= 0) return `${shown}…`;
        // A value after its name, or a part of a path. A secret may contain the same characters.
        const [, before = "", value = ""] = /^([^=:]*[=:])(.+)$/.exec(word) ?? [];
        if (isSecret(word)) shown += replace(word);
        else if (isSecret(value)) shown += before + replace(value);
        else {
          for (const part of word.split(/([=:/@.()[\]{}|`!*\p{Pi}\p{Pf}\p{Ps}\p{Cc}\p{Cf}]+)/u)) {
            if (search.words-- <= 0) return `${shown}…`;
            shown += isSecret(part) ? replace(part) : part;
          }
        }
      }
      return shown;
    },
    isClient: (id) => clients.known().has(id),
    label(name) {
      return findLabel(name, (key) => declared.get(key)) ?? commonLabel(name);
    },
    isPublic(name) {
      const key = normalizeName(name);
      return declared.has(key) && declared.get(key) === undefined;
    },
    version: clients.known,
  };
}
