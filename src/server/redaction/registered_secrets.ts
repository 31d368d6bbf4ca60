/**
 * The declared secrets of a server: names of parameters, headers and members, and the secrets and registration access
 * tokens of its clients.
 */

import { cryptography } from "../../core/keys/crypto.ts";
import { boundedCache } from "../../platform/bounded_cache.ts";
import type { Entries } from "../../core/clients/clients.ts";
import { maxSecretChars } from "../../core/clients/validate_client.ts";
import type { HostedClient } from "../config/client_metadata.ts";
import type { ParameterDescription } from "../../core/http/params.ts";
import { commonLabel, type DeclaredNames, declareNames, normalizeSecretName } from "./hide_secrets.ts";

/** @internal The secrets that a server knows. */
export interface RegisteredSecrets {
  /**
   * Replaces each client secret and registration access token that is the whole text or a word of it. One of fewer than
   * {@link minSecretChars} characters is only hidden as the value of a declared name.
   */
  redact(text: string, replace: (secret: string) => string): string;
  /**
   * Adds a secret that no client has, such as an initial access token: it is replaced wherever it stands, also in a
   * word. One of fewer than {@link minLearnedChars} characters is not: it would hide other words.
   */
  learn(secret: string): void;
  /** Whether a client with this id exists. */
  isClient(id: string): boolean;
  /** The label of the value of a parameter or member, such as `code`; `undefined` if it is not declared as secret. */
  label(name: string): string | undefined;
  /** Whether a parameter is declared, and not secret. */
  isPublic(name: string): boolean;
  /** A value that changes with the clients: text that was redacted under an earlier value may need redaction again. */
  version(): unknown;
}

/** The secrets of a server that is being assembled. */
export interface AddedSecrets extends RegisteredSecrets {
  /** Adds the secrets that these clients have at the time of each call. */
  addClients(clients: Pick<Entries<HostedClient>, "known">): void;
  addNames(parameters: readonly ParameterDescription[]): void;
}

/** Minimum length of a registered secret that is found, in characters: a shorter one would hide words of sentences. */
const minSecretChars = 4;

/** Maximum number of cached words; the newer half always stays. */
const maxCachedWords = 16_000;

/** Maximum length of a text that is remembered as one without a secret, in characters. */
const maxCleanChars = 64;

/** Minimum length of a learned secret, in characters. */
const minLearnedChars = 8;

/** Maximum number of learned secrets; the newer half always stays. */
const maxLearned = 2000;

/** Separators of words; then of a name and its value; then of the parts of a path. */
const separators = [/([\s"'\\<>&?#,;]+)/, /^([^=:]*[=:])/, /(\/)/];

/** The secrets of a server without clients and endpoints, to which its assembly adds. */
export function registeredSecrets(): AddedSecrets {
  const declared: DeclaredNames = new Map();
  const noClients: ReadonlyMap<string, HostedClient> = new Map();
  let clients: Pick<Entries<HostedClient>, "known"> = { known: () => noClients };
  let hashedClients: unknown;
  let digests: ReadonlySet<unknown> = new Set();
  /** Secrets whose digests are not computed yet. */
  let pendingSecrets: ReadonlySet<string | undefined> = new Set();
  /** Whether a word is a secret, so that repeated text is hashed once. */
  let secretByWord = boundedCache<boolean>(maxCachedWords);
  /** Short texts without a secret, such as the ids of clients: each request has them in its events. */
  let clean = boundedCache<true>(maxCachedWords);

  const learned = boundedCache<string>(maxLearned);
  let learnedCount = 0;
  let version: { readonly known: unknown; readonly learnedCount: number } | undefined;

  /** Rebuilds the digests after a client changed; until then the list is the same object. */
  function update(): void {
    const known = clients.known();
    if (known === hashedClients) return;
    const all = [...known.values()];
    const found = all.flatMap(({ secretDigest, registration }) => [secretDigest, registration?.tokenDigest]);
    digests = new Set(found.filter((digest) => digest !== undefined));
    pendingSecrets = new Set(all.map(({ pendingSecret }) => pendingSecret));
    secretByWord = boundedCache(maxCachedWords);
    clean = boundedCache(maxCachedWords);
    // A digest that is still being computed is included in a later call.
    hashedClients = [...digests].some((digest) => typeof digest !== "string") ? undefined : known;
  }

  function isSecret(word: string): boolean {
    if (word.length < minSecretChars || word.length > maxSecretChars) return false;
    let isMatch = secretByWord.get(word);
    if (isMatch === undefined) {
      isMatch = pendingSecrets.has(word) || digests.has(cryptography().sha256(word));
      secretByWord.set(word, isMatch);
    }
    return isMatch;
  }

  return {
    redact(text, replace) {
      update();
      if (learnedCount > 0) {
        for (const secret of learned.values()) text = text.replaceAll(secret, replace);
      }
      if (digests.size === 0 || clean.get(text) !== undefined) return text;
      // A secret may contain separators.
      const hide = (word: string, level: number): string => {
        if (isSecret(word)) return replace(word);
        const separator = separators[level];
        return separator === undefined ? word : word.split(separator).map((part) => hide(part, level + 1)).join("");
      };
      const hidden = hide(text, 0);
      if (hidden === text && text.length <= maxCleanChars) clean.set(text, true);
      return hidden;
    },
    learn(secret) {
      if (secret.length < minLearnedChars || learned.get(secret) !== undefined) return;
      learned.set(secret, secret);
      learnedCount++;
    },
    addClients: (added) => void (clients = added),
    addNames: (parameters) => declareNames(declared, parameters),
    isClient: (id) => clients.known().has(id),
    label: (name) => declared.get(normalizeSecretName(name)) ?? commonLabel(name),
    isPublic(name) {
      const key = normalizeSecretName(name);
      return declared.has(key) && declared.get(key) === undefined;
    },
    version() {
      const known = clients.known();
      if (version?.known !== known || version.learnedCount !== learnedCount) version = { known, learnedCount };
      return version;
    },
  };
}
