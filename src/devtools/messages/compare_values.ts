/** The two values that a message names, what it expected and what it received, and how they differ, in words. */

/** In what two values differ. */
export type Difference =
  | "slash"
  | "scheme"
  | "loopback"
  | "host"
  | "port"
  | "letter case"
  | "blank"
  | "path"
  | "query"
  /** One value is a URL, the other is none. */
  | "kind"
  /** Times that are at most a few minutes apart, as those of two clocks, and others. */
  | "minutes"
  | "hours"
  /** The received value, or the one that was expected, is missing. */
  | "missing"
  | "lost"
  | "value";

/** Two values of a message that differ. */
export interface ValueComparison {
  readonly difference: Difference;
  /** The values and their difference, as a sentence. */
  readonly text: string;
}

/** Maximum length of a text that is compared. */
const maxLength = 4_000;

/** Words before a value that was expected, and before one that was received. */
const roleWords: Readonly<Record<string, "expected" | "received">> = {
  ...Object.fromEntries(
    "expected expects expect expecting want wants wanted configured required requires requested registered allowed should validaudience validissuer"
      .split(" ").map((word) => [word, "expected" as const]),
  ),
  ...Object.fromEntries(
    "got received actual actually found was returned provided given has contains had sent saw observed".split(" ")
      .map((word) => [word, "received" as const]),
  ),
};

/** Maximum difference of two clocks, in milliseconds. */
const clockDifference = 5 * 60_000;

const time =
  /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?: ?(?:Z|[+-]\d\d:?\d\d))?|\d{1,2}\/\d{1,2}\/\d{4} \d{1,2}:\d\d:\d\d(?: [AP]M)?|(?<!\d)1\d{9}(?:\d{3})?(?!\d)/g;

/** How far the two times of a text are apart; `undefined` if it does not have two. */
export function compareTimes(text: string): ValueComparison | undefined {
  const found = [...new Set(text.slice(0, maxLength).match(time) ?? [])];
  const [one, other] = found.map(timeOf).filter((time) => !Number.isNaN(time));
  if (one === undefined || other === undefined) return undefined;
  const apart = Math.abs(one - other);
  const units = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000], ["second", 1000]] as const;
  const [unit, length] = units.find(([, length]) => apart >= length) ?? ["second", 1000];
  const count = Math.round(apart / length);
  return {
    difference: apart <= clockDifference ? "minutes" : "hours",
    text: `The times of the message are ${count} ${unit}${count === 1 ? "" : "s"} apart: ${found[0]} and ${found[1]}.`,
  };
}

function timeOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text) * (text.length === 10 ? 1000 : 1);
  const hasZone = /Z$|[+-]\d\d:?\d\d$/.test(text);
  return Date.parse(hasZone ? text.replace(/ (?=[+-]\d\d:?\d\d$)/, "") : `${text} UTC`);
}

interface Value {
  readonly text: string;
  readonly role?: "expected" | "received";
}

/**
 * Compares the values of a text; `undefined` if it has no two that differ.
 *
 * @param claim The name before the value that was received.
 */
export function compareValues(text: string, claim?: string): ValueComparison | undefined {
  const values = valuesOf(text.slice(0, maxLength), claim);
  const expected = values.find(({ role }) => role === "expected");
  const received = values.find(({ role }) => role === "received") ??
    values.find(({ role, text }) =>
      role === undefined && (expected === undefined || isUrl(text) === isUrl(expected.text))
    );
  const [one, other] = expected !== undefined
    ? [expected.text, received?.text]
    : values.filter(({ text }) => isUrl(text) || isScheme(text)).map(({ text }) => text);
  if (one === undefined || other === undefined || one === other) return undefined;
  const found = findDifference(one, other);
  const names = expected === undefined ? `the text names ${one} and ${other}` : `expected ${one}, received ${other}`;
  return { difference: found.difference, text: `${found.words}: ${names}.` };
}

/** The values of a text: quoted ones and URLs, and other words right after `expected` or `got`. */
function valuesOf(text: string, claim?: string): readonly Value[] {
  const values: Value[] = [];
  let role: Value["role"];
  let isNext = false;
  const add = (value: string) => {
    if (!values.some((one) => one.text === value)) {
      values.push({ text: value, role: isScheme(value) ? undefined : role });
    }
    [role, isNext] = [undefined, false];
  };
  const parts = text.matchAll(
    /"([^"\s]{1,500})"|'([^'\s]{1,500})'|`([^`\s]{1,500})`|\((https?)\)|(https?:\/\/[^\s"'`<>,;)\]}]{1,500})|([\w./:@-]{1,200})/g,
  );
  for (const [, double, single, back, bracketed, url, word = ""] of parts) {
    const quoted = double ?? single ?? back ?? bracketed;
    const plain = word.replace(/[:.]{1,9}$/, "");
    const named = isClaim(plain, claim) && role === undefined
      ? "received"
      : roleWords[plain.slice(plain.lastIndexOf(".") + 1).toLowerCase()];
    if (url !== undefined) add(url.replace(/[.:]$/, ""));
    else if (quoted !== undefined) {
      if (!/^\(?null\)?$|^[A-Z]+(?:_[A-Z]+)+$/.test(quoted) && !claimNames.test(quoted)) add(quoted);
    } else if (named !== undefined) [role, isNext] = [named, true];
    else if (isNext && role !== undefined && !claimNames.test(plain) && /[\d_.-]/.test(plain)) add(plain);
    else isNext = false;
  }
  return values;
}

const isClaim = (word: string, claim?: string) =>
  word === claim || claim === "aud" && word === "audience" || claim === "iss" && word === "issuer";

/** Finds a compared value that is missing; `undefined` if the text has none. */
export function findMissing(text: string): ValueComparison | undefined {
  const [, word = "", value] = noValue.exec(text.slice(0, maxLength)) ?? [];
  if (value === undefined) return undefined;
  const isExpected = roleWords[word.toLowerCase()] === "expected";
  return {
    difference: isExpected ? "lost" : "missing",
    text: `The value that was ${isExpected ? "expected" : "received"} is missing: the message has ${value}.`,
  };
}

/** A place of a value that has none. */
const noValue =
  /(?:(\w{3,20}) |(?<!\berror)[:=] ?)(?:["'<(]?(?=undefined|null|nil|None)|(?=""|''))(undefined|null|nil|None|""|'')(?=$|["'>),.;\s])/;

const claimNames =
  /^(?:iss|aud|exp|nbf|iat|alg|typ|kid|sub|nonce|state|issuer|audience|azp|id_token|redirect_uri|access_token|jwt)$/i;

const isUrl = (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text);

const isScheme = (text: string) => /^https?$/.test(text);

/** The first difference of two values, in words. */
function findDifference(one: string, other: string): { readonly difference: Difference; readonly words: string } {
  const by = (difference: Difference, words: string) => ({ difference, words: `The values differ by ${words}` });
  if (one.trim() === other.trim()) return by("blank", "a blank at one end");
  const withoutSlash = (value: string) => value.replace(/\/$/, "");
  if (withoutSlash(one) === withoutSlash(other)) return by("slash", "a slash at the end");
  if (one.toLowerCase() === other.toLowerCase()) return by("letter case", "letter case");
  if (isUrl(one) !== isUrl(other)) return by("kind", "their kind, a URL and a name");
  if (isScheme(one) && isScheme(other)) return by("scheme", "the scheme");
  if (!isUrl(one)) return by("value", "more than their form");
  const [a, b] = [new URL(one), new URL(other)];
  if (a.href === b.href) return by("port", "the default port, which only one of them names");
  if (isLoopback(a.hostname) && isLoopback(b.hostname) && a.hostname !== b.hostname) {
    return by("loopback", `the host, ${b.hostname} instead of ${a.hostname}`);
  }
  if (a.hostname !== b.hostname) return by("host", `the host, ${b.hostname} instead of ${a.hostname}`);
  if (a.protocol !== b.protocol) return by("scheme", `the scheme, ${b.protocol} instead of ${a.protocol}`);
  if (a.port !== b.port) return by("port", `the port, ${portOf(b)} instead of ${portOf(a)}`);
  if (a.pathname !== b.pathname) return by("path", `the path, ${b.pathname} instead of ${a.pathname}`);
  return by("query", "the part after the path");
}

const isLoopback = (host: string) => /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);
const portOf = ({ port, protocol }: URL) => port || (protocol === "https:" ? "443" : "80");
