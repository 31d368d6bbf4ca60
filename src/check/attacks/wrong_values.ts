/** The wrong values of the response grid, by name: what replaces a value of the server. */

import type { Scene } from "../attack.ts";

/** Returns what is sent instead of a value; `undefined`: nothing. */
export type Wrong = (value: unknown, scene: Scene) => unknown;

export type WrongValues = Readonly<Record<string, Wrong>>;

/** The near misses of a text: it begins or ends with the text, is a part of it, or has other letter case. */
export const nearMisses = ["prefixed", "extended", "shortened", "case"] as const;

/** The near misses of an issuer, equal URLs included (RFC 3986 §6.2). */
export const nearIssuers = ["extended", "shortened", "path", "slash", "case", "port"] as const;

/** No value of use. */
export const noText = ["absent", "null", "empty", "number", "object"] as const;

/** Other letter case; of a URL only that of the host, which is the same one. */
function otherCase(text: string): string {
  const swap = (part: string) =>
    part.replace(/\p{L}/gu, (letter) => letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase());
  const swapped = URL.canParse(text) ? text.replace(/(?<=:\/\/)[^/:]+/, swap) : swap(text);
  // Without letters there is no other letter case.
  return swapped === text ? `${text}0` : swapped;
}

/** The URL with its port written in another way. */
function otherPort(url: string): string {
  const { protocol, port } = new URL(url);
  return port === ""
    ? url.replace(/:\/\/[^/]+/, protocol === "https:" ? "$&:443" : "$&:80")
    : url.replace(`:${port}`, `:0${port}`);
}

const texts: Readonly<Record<string, (text: string) => string>> = {
  prefixed: (text) => `0${text}`,
  extended: (text) => URL.canParse(text) ? `${text}.attacker.example` : `${text}0`,
  shortened: (text) => text.slice(0, -1),
  case: otherCase,
  slash: (text) => `${text}/`,
  path: (text) => `${text}/other`,
  port: otherPort,
  foreign: (text) => URL.canParse(text) ? "https://attacker.example" : "value-of-another-request",
};

/** A wrong text, by the name of how it differs. */
export const nearMissOf = (text: string, how: string): string => texts[how]!(text);

/** A time some seconds after that of the server, in seconds since the epoch. */
const later = (seconds: number): Wrong => (_, { as }) => Math.floor(as.clock.now() / 1000) + seconds;

export const wrongValues = {
  absent: () => undefined,
  null: () => null,
  empty: (value) => Array.isArray(value) ? [] : "",
  number: () => 7,
  object: () => ({}),
  list: (value) => [value, "https://attacker.example"],
  ...Object.fromEntries(
    Object.entries(texts).map(([name, change]) => [name, (value: unknown) => change(String(value))]),
  ),
  huge: () => "x".repeat(100_000),
  date: () => "2099-01-01",
  "an hour ago": later(-3600),
  "six minutes ago": later(-360),
  "a year ago": later(-31_536_000),
  "in an hour": later(3600),
} satisfies WrongValues as WrongValues;

/** Some of these values. */
export const pick = (...names: readonly string[]): WrongValues =>
  Object.fromEntries(names.map((name) => [name, wrongValues[name]!]));
