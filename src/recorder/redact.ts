/** Redacts secrets in exchanges. Equal values get equal masks, so that an exchanged code is still recognizable. */

import type { Fields } from "../platform/http/form.ts";
import type { Exchange, Flow } from "./exchange.ts";
import { registeredSecretsFor } from "./exchange_draft.ts";
import { rewriteExchange, rewriteParameters, type Rewriting } from "./rewrite.ts";

/** Whether secrets are shown. */
export interface RedactOptions {
  /** Whether to redact secrets. Default: true. */
  readonly redact?: boolean;
}

/** Returns the mask of a secret; `kind` is its kind, such as `code`. */
type RedactSecret = (value: string, kind: string) => string;

/**
 * The first four characters and the length: `HIMA…(43)`. For a JWT, the first four characters of the signature.
 * For a password, an unknown user name or a short value, the length only.
 */
export const shorten: RedactSecret = (value, kind) => {
  if (redactedPattern.test(value)) return value;
  const length = `…(${value.length})`;
  if (value.startsWith("eyJ")) return `eyJ…${value.split(".").at(-1)!.slice(0, 4)}${length}`;
  return value.length < 16 || kind === "password" || kind === "user" ? length : value.slice(0, 4) + length;
};

/** The end of a value as {@link shorten} writes it. */
export const redactedPart = /…\(\d+\)/;

/** A value that is already redacted: a mask, or a placeholder of a test fixture. */
const redactedPattern = new RegExp(`^(?:(?:eyJ…)?[^…]{0,4}${redactedPart.source}|\\{\\{[^{}]{1,80} \\d+\\}\\})$`);

interface RedactionOptions {
  /** Further exchanges whose secrets are redacted here too. Default: none. */
  readonly secretsFrom?: readonly Exchange[];
  /** Creates masks. Default: {@link shorten}. */
  readonly redactSecret?: RedactSecret;
  /** Further parameters and members to redact, with their kinds. */
  readonly extraSecretNames?: Readonly<Record<string, string>>;
}

export function redactExchange(exchange: Exchange, options?: RedactionOptions): Exchange {
  return redactExchanges([exchange], options)[0]!;
}

interface RedactedList {
  readonly exchanges: readonly Exchange[];
  /** The version of the registered secrets. */
  readonly version: unknown;
  readonly redacted: Exchange[];
}

/**
 * The redacted exchanges of each flow, by its first one: pages show a flow again and again, and redaction is expensive.
 */
const redactedLists = new WeakMap<Exchange, RedactedList>();

export function redactFlow(flow: Flow): Flow {
  const exchanges = redactOnce(flow.exchanges);
  // Takes the redacted client from the first exchange that names it. It is absent if eviction removed all of those.
  const firstIndex = flow.exchanges.findIndex(({ client }) => client === flow.client);
  return { ...flow, client: exchanges[firstIndex]?.client, exchanges };
}

/** The same exchanges have the same redacted ones until a client changes. */
function redactOnce(exchanges: readonly Exchange[]): readonly Exchange[] {
  const [first] = exchanges;
  if (first === undefined) return [];
  const version = registeredSecretsFor(first)?.version();
  const cached = redactedLists.get(first);
  const isCurrent = cached?.version === version && cached?.exchanges.length === exchanges.length &&
    cached.exchanges.every((exchange, i) => exchange === exchanges[i]);
  if (isCurrent) return cached.redacted;
  const redacted = redactExchanges(exchanges);
  redactedLists.set(first, { exchanges, version, redacted });
  return redacted;
}

/** Redacts exchanges. A secret of one exchange is redacted in all of them. */
export function redactExchanges(
  exchanges: readonly Exchange[],
  { secretsFrom = [], redactSecret = shorten, extraSecretNames }: RedactionOptions = {},
): Exchange[] {
  const secrets = collectSecrets([...exchanges, ...secretsFrom], extraSecretNames);
  const rewriter = { ...redactingRewriter(secrets, redactSecret), extraSecretNames };
  return exchanges.map((exchange) => rewriteExchange(exchange, rewriter));
}

/** Redacts the secrets of exchanges in a text about them that may quote a client. */
export function redactTextAbout(text: string, exchanges: readonly Exchange[]): string {
  return redactingRewriter(collectSecrets(exchanges, undefined), shorten).untrusted(text);
}

/**
 * Redacts parameters by their names.
 *
 * @param recorded An exchange of the server that declares the parameters. Default: the names in specifications only.
 */
export function redactFields(fields: Fields, recorded?: Exchange): Fields {
  return rewriteParameters(fields, redactingRewriter(new Map(), shorten), recorded);
}

/** A JWT, complete or cut: base64url parts, the first of which begins like a JSON object. Five parts are a JWE. */
const jwtPattern = /eyJ[\w-]{8,}(?:\.[\w-]*){0,4}/g;

/** Random-looking text in untrusted text. A UUID is not redacted, because clients and users often have one as ID. */
const randomRunPattern = /[\w.~+/-]{32,}=*/g;
const looksRandomPattern = /[\w-]{40}|[\w.~-]{43}|[\da-f]{32}/i;

/**
 * Minimum length of a secret to search in other text, in characters. A shorter one is redacted in its own field only.
 */
const minSearchedSecretChars = 8;

type Secrets = ReadonlyMap<string, string>;

/** The secrets of each exchange. Exchanges are immutable. */
const secretsCache = new WeakMap<Exchange, Secrets>();

/** Collects every secret with its kind, in the order of appearance. */
function collectSecrets(
  exchanges: readonly Exchange[],
  extraSecretNames: RedactionOptions["extraSecretNames"],
): Secrets {
  const secrets = new Map<string, string>();
  for (const exchange of exchanges) {
    for (const [value, kind] of getSecrets(exchange, extraSecretNames)) {
      if (!secrets.has(value)) secrets.set(value, kind);
    }
  }
  return secrets;
}

function getSecrets(exchange: Exchange, extraSecretNames: RedactionOptions["extraSecretNames"]): Secrets {
  const cached = extraSecretNames === undefined ? secretsCache.get(exchange) : undefined;
  if (cached !== undefined) return cached;
  const secrets = new Map<string, string>();
  const secret = (value: string, kind: string) => {
    if (!secrets.has(value)) secrets.set(value, kind);
    return value;
  };
  const text = (text: string) => text.replace(jwtPattern, (token) => secret(token, "token"));
  rewriteExchange(exchange, { secret, trusted: text, untrusted: text, extraSecretNames });
  if (extraSecretNames === undefined) secretsCache.set(exchange, secrets);
  return secrets;
}

function redactingRewriter(secrets: Secrets, redactSecret: RedactSecret): Rewriting {
  const secret = (value: string, kind: string) => redactSecret(value, secrets.get(value) ?? kind);
  const replaceSecrets = secretReplacer(secrets, redactSecret);
  const trusted = (trusted: string) => replaceSecrets(trusted.replace(jwtPattern, (token) => secret(token, "token")));
  const untrusted = (looseText: string) =>
    trusted(looseText).replace(randomRunPattern, (run) => looksRandomPattern.test(run) ? secret(run, "value") : run);
  return { secret, trusted, untrusted };
}

/** Number of leading characters by which a secret is found in a text; equal characters after them are redacted too. */
const maxComparedChars = 128;

/**
 * Maximum number of secrets with the same start to compare. If a flow has more, the rest of a text with it is redacted.
 */
const maxSameStart = 32;

/**
 * Creates a function that replaces every known secret in a text, in one pass, by an index of their first characters.
 */
function secretReplacer(secrets: Secrets, redactSecret: RedactSecret): (text: string) => string {
  const byStart = new Map<string, string[]>();
  for (const value of secrets.keys()) {
    if (value.length < minSearchedSecretChars || value.startsWith("eyJ")) continue;
    const start = value.slice(0, minSearchedSecretChars);
    const sameStart = byStart.get(start);
    if (sameStart === undefined) byStart.set(start, [value]);
    else sameStart.push(value);
  }
  // The longest first, because one secret may begin with another.
  for (const sameStart of byStart.values()) sameStart.sort((first, second) => second.length - first.length);
  if (byStart.size === 0) return (text) => text;
  return (text) => {
    let result = "";
    let from = 0;
    for (let at = 0; at + minSearchedSecretChars <= text.length; at++) {
      const sameStart = byStart.get(text.slice(at, at + minSearchedSecretChars));
      if (sameStart === undefined) continue;
      if (sameStart.length > maxSameStart) {
        return result + text.slice(from, at) + redactSecret(text.slice(at), "value");
      }
      const compared = sameStart.filter((secret) => text.startsWith(secret.slice(0, maxComparedChars), at));
      const secret = compared.find((whole) => text.startsWith(whole, at)) ?? compared[0];
      if (secret === undefined) continue;
      const found = text.slice(at, at + equalLength(secret, text, at));
      result += text.slice(from, at) + redactSecret(found, secrets.get(secret)!);
      at += found.length - 1;
      from = at + 1;
    }
    return result + text.slice(from);
  };
}

/** The length of the common prefix of a secret and of a text from a position on. */
function equalLength(secret: string, text: string, at: number): number {
  let length = maxComparedChars;
  if (text.startsWith(secret, at)) return secret.length;
  while (secret[length] === text[at + length]) length++;
  return length;
}
