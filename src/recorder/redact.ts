/** Masks secrets in exchanges: the same value gets the same mask, so that a code sent can be seen to be the one issued. */

import type { Fields } from "../http/form.ts";
import type { Exchange, Flow } from "./exchange.ts";
import { rewriteExchange, rewriteFields } from "./rewrite.ts";
import type { Pen } from "./rewrite.ts";

/** Whether secrets are shown. */
export interface MaskOptions {
  /** Default: true. */
  readonly mask?: boolean;
}

/** What is shown instead of a secret; `kind` is what it is, such as `code`. */
export type Mask = (value: string, kind: string) => string;

/**
 * The first four characters and the length, such as `HIMA…(43)`; of a JWT, whose beginning says nothing, the first four
 * of the signature; of a password, an unknown user name or a short value, only the length.
 */
export const shorten: Mask = (value, kind) => {
  if (masked.test(value)) return value;
  const length = `…(${value.length})`;
  if (value.startsWith("eyJ")) return `eyJ…${value.split(".").at(-1)!.slice(0, 4)}${length}`;
  return value.length < 16 || kind === "password" || kind === "user" ? length : value.slice(0, 4) + length;
};

const masked = /^(?:eyJ…)?[^…]{0,4}…\(\d+\)$/;

/** How exchanges are masked. */
export interface Masking {
  /** Where else to look for secrets: what is secret there is masked here too. Default: nowhere. */
  readonly among?: readonly Exchange[];
  /** Default: {@link shorten}. */
  readonly mask?: Mask;
  /** Parameters and members to mask besides, and what they are called. */
  readonly further?: Readonly<Record<string, string>>;
}

/** Masks one exchange. */
export function maskExchange(exchange: Exchange, masking?: Masking): Exchange {
  return maskExchanges([exchange], masking)[0]!;
}

/** Masks a flow. */
export function maskFlow(flow: Flow, masking?: Masking): Flow {
  const exchanges = maskExchanges(flow.exchanges, masking);
  // As the exchange that named it first has it.
  const naming = flow.exchanges.findIndex(({ client }) => client === flow.client);
  return { ...flow, ...naming >= 0 && { client: exchanges[naming]!.client }, exchanges };
}

/** Masks exchanges, each secret of any of them in all of them. */
export function maskExchanges(
  exchanges: readonly Exchange[],
  { among = [], mask = shorten, further }: Masking = {},
): Exchange[] {
  const secrets = secretsIn([...exchanges, ...among], further);
  const pen = { ...masker(secrets, mask), further };
  return exchanges.map((exchange) => rewriteExchange(exchange, pen));
}

/** Masks parameters by their names. */
export function maskFields(fields: Fields): Fields {
  return rewriteFields(fields, masker(new Map(), shorten));
}

/** Three parts of base64url that begin like a JSON object: a JWT, whole or with parts missing; or, with five, encrypted. */
const jwt = /eyJ[\w-]{8,}(?:\.[\w-]*){0,4}/g;

/** What looks drawn, in text that may hold anything; a UUID does not, it is how people name clients and users. */
const drawn = /[\w.~+/-]{32,}=*/g;
const looksDrawn = /[\w-]{40}|[\w.~-]{43}|[\da-f]{32}/i;

/** The shortest secret that is looked for in other text. A shorter one is masked in its own place alone. */
const shortest = 8;

type Secrets = ReadonlyMap<string, string>;

/** The secrets of an exchange, which is a value and stays what it is. */
const found = new WeakMap<Exchange, Secrets>();

/** Every secret and its kind, in the order of appearance. */
function secretsIn(exchanges: readonly Exchange[], further: Masking["further"]): Secrets {
  const secrets = new Map<string, string>();
  for (const exchange of exchanges) {
    for (const [value, kind] of secretsOf(exchange, further)) if (!secrets.has(value)) secrets.set(value, kind);
  }
  return secrets;
}

function secretsOf(exchange: Exchange, further: Masking["further"]): Secrets {
  const known = further === undefined ? found.get(exchange) : undefined;
  if (known !== undefined) return known;
  const secrets = new Map<string, string>();
  const secret = (value: string, kind: string) => {
    if (!secrets.has(value)) secrets.set(value, kind);
    return value;
  };
  const text = (text: string) => text.replace(jwt, (token) => secret(token, "token"));
  rewriteExchange(exchange, { secret, text, loose: text, further });
  if (further === undefined) found.set(exchange, secrets);
  return secrets;
}

function masker(secrets: Secrets, mask: Mask): Pen {
  const secret = (value: string, kind: string) => mask(value, secrets.get(value) ?? kind);
  const sweep = sweeper(secrets, mask);
  const text = (text: string) => sweep(text.replace(jwt, (token) => secret(token, "token")));
  const loose = (given: string) =>
    text(given).replace(drawn, (run) => looksDrawn.test(run) ? secret(run, "value") : run);
  return { secret, text, loose };
}

/** Replaces every known secret in a text, in one pass however many there are: by their first characters. */
function sweeper(secrets: Secrets, mask: Mask): (text: string) => string {
  const byStart = new Map<string, Set<number>>();
  for (const value of secrets.keys()) {
    if (value.length < shortest || value.startsWith("eyJ")) continue;
    const start = value.slice(0, shortest);
    byStart.set(start, (byStart.get(start) ?? new Set()).add(value.length));
  }
  const lengths = new Map([...byStart].map(([start, found]) => [start, [...found].sort((a, b) => b - a)]));
  return (text) => {
    let swept = "";
    let from = 0;
    for (let at = 0; at + shortest <= text.length; at++) {
      const length = lengths.get(text.slice(at, at + shortest))?.find((length) =>
        secrets.has(text.slice(at, at + length))
      );
      if (length === undefined) continue;
      const found = text.slice(at, at + length);
      swept += text.slice(from, at) + mask(found, secrets.get(found)!);
      at += found.length - 1;
      from = at + 1;
    }
    return swept + text.slice(from);
  };
}
