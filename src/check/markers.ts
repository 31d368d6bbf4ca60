/**
 * The scan of a journey. Every value that the server issues or the client sends is unique, and is searched for in what
 * was seen of the client: URLs, pages, cookies, and requests to the server and to the trap, as encoders write it there.
 * `check/attacks/exposures.ts` says which value may appear where.
 */

import { decodeEntities, findAttributes, withoutScripts } from "../client/html_form.ts";
import { parseJsonObject } from "../platform/http/json_body.ts";
import type { Exchange } from "../recorder/exchange.ts";
import { decodeFormValue, findBasicCredentials, findParam } from "../recorder/record_request.ts";
import { stripQuery } from "../testing/browser/test_browser.ts";
import type { TestLatchkey } from "../testing/test_latchkey.ts";
import type { BrowserVisit, ClientBrowser } from "./driver.ts";
import type { TrappedRequest } from "./trap.ts";
import { claimsIn } from "./user_texts.ts";

/** A value that the server issues or the client sends, by the name of the parameter or member that has it. */
const valueNames = {
  code: "code",
  access_token: "access token",
  // At introspection and revocation it can also be a refresh token.
  token: "access token",
  refresh_token: "refresh token",
  id_token: "ID token",
  code_verifier: "code verifier",
  client_secret: "client secret",
  client_assertion: "client assertion",
  device_code: "device code",
} as const;

/** A kind of value: a secret, markup that an attack sends as a text, or what belongs to one user. */
export type Value = typeof valueNames[keyof typeof valueNames] | "markup" | "user";

/** Where a value can appear. */
export type MarkerPlace =
  /** The URL of a request to the application, or that of a redirect. */
  | "URL"
  /** The URL of a page that the browser shows. */
  | "URL of a page"
  /** An HTML document. */
  | "page"
  /** A response of another type. */
  | "data"
  /** A cookie without HttpOnly. */
  | "cookie for scripts"
  /** A cookie that scripts cannot read. */
  | "cookie"
  /** A response that a shared cache may keep for other users (RFC 9111 §3). */
  | "shared cache"
  /** The query or the header `Referer` of a request to the server that a browser sends. */
  | "authorization request";

/** An appearance of a value. */
export interface Sighting {
  readonly value: Value;
  readonly place: MarkerPlace;
  /** The sentence that says it, without a full stop; without secrets. */
  readonly because: string;
  /** What was seen until then. */
  readonly exchanges: readonly Exchange[];
}

type Secrets = ReadonlyMap<string, Value>;

/** A shorter value appears by chance, and so does one that is no token. */
const secretPattern = /^[\w.~+/=-]{8,}$/;

/** How often a text can be encoded. */
const maxDepth = 3;

/** Characters of a text that is not base64, and of values that have been decoded. */
const printable = /^[\x20-\x7e\s\u00a0-\uffff]*$/;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A text, followed by what it contains in percent-encoding, character references, JSON escapes and base64. */
function* formsOf(text: string, depth = maxDepth): Generator<string> {
  yield text;
  if (depth === 0) return;
  const percent = text.replace(/(?:%[\da-f]{2})+/gi, decodeFormValue);
  const plain = decodeEntities(percent).replace(
    /\\u([\da-f]{4})|\\\//gi,
    (_, hex) => hex ? String.fromCharCode(parseInt(hex, 16)) : "/",
  );
  if (plain !== text) yield* formsOf(plain, depth - 1);
  // A slash can be a character of base64, or separate it from what follows.
  for (const word of new Set([...text.match(/[\w-]{16,}/g) ?? [], ...text.match(/[\w+/]{16,}/g) ?? []])) {
    const decoded = decodeText(word);
    if (decoded !== undefined) yield* formsOf(decoded, depth - 1);
  }
}

/** A text that is base64 or base64url; `undefined` if it is neither, or binary. */
function decodeText(word: string): string | undefined {
  if (word.length % 4 === 1) return undefined;
  // Most words are tokens, whose bytes are no text: this finds that without an error, which takes longer to create.
  const bytes = atob(word.replaceAll("-", "+").replaceAll("_", "/"));
  if (!/^[\x20-\x7e\s\x80-\xff]*$/.test(bytes)) return undefined;
  try {
    const text = utf8.decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
    return printable.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** The secrets that a text has, in any form. */
function secretsIn(text: string, secrets: Secrets): Set<Value> {
  const found = new Set<Value>();
  for (const form of formsOf(text)) {
    for (const [secret, value] of secrets) if (form.includes(secret)) found.add(value);
  }
  return found;
}

/** The values that the server issued, and that the client sent to it. */
function secretsOf(exchanges: readonly Exchange[]): Secrets {
  const fields = exchanges.flatMap(({ request, response, faults }) => [
    ...request.form,
    ["client_secret", findBasicCredentials(request)?.password] as const,
    ...response?.authorizationResponse?.params ?? [],
    // What a fault changed may be any text.
    ...faults.length > 0 ? [] : Object.entries(parseJsonObject(response?.body ?? "") ?? {}),
  ]);
  // The first exchange with a value says what it is.
  return new Map(
    fields.flatMap(([name, text]): [string, Value][] => {
      const value = Object.hasOwn(valueNames, name) && valueNames[name as keyof typeof valueNames];
      return value && typeof text === "string" && secretPattern.test(text) ? [[text, value]] : [];
    }).toReversed(),
  );
}

/** The codes that the server has exchanged for tokens, in a journey without faults. */
function exchangedCodes(exchanges: readonly Exchange[]): readonly string[] {
  if (exchanges.some(({ faults }) => faults.length > 0)) return [];
  return exchanges.flatMap(({ endpoint, request, response }) =>
    endpoint === "token" && response?.status === 200 ? findParam(request, "code") ?? [] : []
  );
}

/** Each text of a response with its place, and with where it is. */
function textsOf(visit: BrowserVisit): readonly (readonly [MarkerPlace, string, string])[] {
  const { url, location, html, data = "", status = 200, headers = {} } = visit;
  const page = `the page at ${stripQuery(url)}`;
  const cookies = (headers["set-cookie"] ?? "").split("\n").filter((line) => line !== "");
  return [
    ["URL", `${url} ${location ?? ""}`, "a URL of the application"],
    ...location === undefined && html !== "" && status < 400
      ? [["URL of a page", url, `the URL of ${page}`]] as const
      : [],
    // A browser does not show the body of a redirect, which repeats the URL.
    ...status >= 300 && status < 400 ? [] : [["page", html, page] as const],
    ["data", data, `the response of ${stripQuery(url)}`],
    ...cookies.map((line) => {
      const isHidden = /;\s*httponly\b/i.test(line);
      const [pair = ""] = line.split(";");
      const cookie = `${isHidden ? "the cookie" : "the cookie without HttpOnly"} ${pair.split("=")[0]!.trim()}`;
      return [isHidden ? "cookie" : "cookie for scripts", pair, cookie] as const;
    }),
  ];
}

/** A shorter name of a user appears by chance. */
const minUserChars = 3;

const bodyOf = ({ html, data = "" }: BrowserVisit) => `${html}${data}`;

/** Whether a shared cache may keep a response, and use it for a request with other cookies. */
function isForSharedCaches({ headers = {} }: BrowserVisit): boolean {
  const { "cache-control": control = "", vary = "" } = headers;
  return /\bpublic\b|\b(?:s-maxage|max-age)=[1-9]/i.test(control) &&
    !/\b(?:private|no-store|no-cache)\b/i.test(control) && !/\*|\bcookie\b/i.test(vary);
}

interface Seen {
  readonly as: TestLatchkey;
  readonly browsers: readonly ClientBrowser[];
}

/** Searches what was seen in a journey. */
export function scan({ as, browsers }: Seen): readonly Sighting[] {
  const { exchanges } = as.log.unmasked;
  const secrets = secretsOf(exchanges);
  const sightings: Sighting[] = [];
  const search = (place: MarkerPlace, text: string, where: string, from = secrets) => {
    for (const value of text === "" ? [] : secretsIn(text, from)) {
      sightings.push({ value, place, because: `${where} has the ${value}`, exchanges });
    }
  };
  // An attack can put tokens into a response, and a logout request has an ID token.
  const delivered = exchanges.flatMap(({ response }) =>
    response?.authorizationResponse?.params.map(([, text]) => text) ?? []
  );
  const users = exchanges.flatMap(claimsIn).flatMap(({ sub, email, name }) => [sub, email, name])
    .filter((text) => typeof text === "string" && text.length >= minUserChars) as string[];
  const unexpected = new Map([...secrets].filter(([text, value]) => value !== "code" && !delivered.includes(text)));
  const visits = browsers.flatMap(({ visits }) => visits);
  const exchanged = exchangedCodes(exchanges);
  // After a changed or repeated response the page can be one that shows an error, and keeps its URL.
  const isLogin = ({ url }: BrowserVisit) =>
    exchanged.some((code) => url.includes(code) && visits.filter((other) => other.url.includes(code)).length === 1);
  for (const visit of visits) {
    const isAtServer = visit.location?.startsWith(`${as.issuer}/`);
    const seen = isAtServer ? { ...visit, location: undefined } : visit;
    for (const [place, text, where] of textsOf(seen)) {
      if (place === "URL of a page" && !isLogin(visit)) continue;
      search(place, text, where, place === "URL" ? unexpected : secrets);
    }
    const page = `the page at ${stripQuery(visit.url)}`;
    const marked = markupIn(visit.html);
    if (marked !== undefined) {
      const because = `${page} has the text of ${marked} as HTML markup`;
      sightings.push({ value: "markup", place: "page", because, exchanges });
    }
    if (
      isForSharedCaches(visit) && (visit.headers!["set-cookie"] || users.some((text) => bodyOf(visit).includes(text)))
    ) {
      const because = `a shared cache may keep ${page}, which sets a cookie or shows the user`;
      sightings.push({ value: "user", place: "shared cache", because, exchanges });
    }
  }
  for (const { endpoint, request: { query, headers } } of exchanges) {
    if (endpoint !== "authorize") continue;
    const sent = query.filter(([name]) => name !== "code_challenge" && name !== "id_token_hint");
    search(
      "authorization request",
      `${sent.map(([, text]) => text).join("\n")}\n${headers.referer ?? ""}`,
      "an authorization request",
    );
  }
  return sightings;
}

/** The secrets in a request to another host: all credentials, and what the server issued. */
export function secretsInRequest({ url, authorization = "", body }: TrappedRequest, exchanges: readonly Exchange[]) {
  const sent = new URLSearchParams(`${body}&${new URL(url).search.slice(1)}`);
  const named = Object.entries(valueNames).flatMap(([name, value]) => sent.has(name) ? [value] : []);
  const found = secretsIn(`${url}\n${authorization}\n${body}`, secretsOf(exchanges));
  const credentials = /^basic /i.test(authorization) ? ["client secret"] : authorization === "" ? [] : ["access token"];
  return [...new Set<string>([...named, ...found, ...credentials])];
}

/** Markup that runs a script. */
export const markupOf = (name: string) => `<img src=x onerror=latchkey(${name})>`;

/** Markup that runs a script if a page does not escape it: as text, in an attribute, or in a script. */
export const markup = (name: string) => `" onfocus=latchkey(${name}) x="'></script>${markupOf(name)}`;

/** A link that runs a script. */
export const hostileUri = (name: string) => `javascript:latchkey(${name})`;

/** Elements with a target, and the attribute that has it. */
const links = [["a", "href"], ["form", "action"], ["iframe", "src"]] as const;

/** The name of the markup that a page has in a script, as an element or an attribute, or as the target of a link. */
function markupIn(html: string): string | undefined {
  const scripts = [...html.matchAll(/<script\b[^>]*>([^]*?)<\/script/gi)].map(([, script]) => script);
  const tags = withoutScripts(html).match(/<[a-z](?:[^>"']|"[^"]*"|'[^']*')*>/gi) ?? [];
  const texts = [
    ...scripts.map((script) => /(?<!\\)" onfocus=latchkey\((\w+)\)/.exec(script!)),
    ...tags.map((tag) => / on(?:error|focus)=latchkey\((\w+)\)/.exec(tag.replace(/"[^"]*"|'[^']*'/g, `""`))),
    ...links.flatMap(([element, attribute]) => findAttributes(html, element, attribute))
      .map((target) => /^javascript:latchkey\((\w+)\)$/.exec(target)),
  ];
  return texts.find((found) => found !== null)?.[1];
}
