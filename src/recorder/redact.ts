/**
 * Redacts exchanges before a page, log or export shows them. The recorder itself keeps the values in memory, because
 * pages show them on request, send requests again and decode tokens, and habits compare them.
 *
 * It hides credentials and cookies, the values of declared names, registered client secrets, and each value that was
 * hidden in one of the exchanges, wherever it occurs again. Free text, such as the value of an unknown parameter,
 * is cut. Equal values get equal masks, so that an exchanged code is still recognizable.
 */

import type { Fields } from "../platform/http/form.ts";
import {
  commonLabel,
  cutFreeText,
  hideInFreeText,
  hideKnown,
  hideSecrets,
  hideTokens,
  type Redaction,
} from "../server/oauth/hide_secrets.ts";
import { errorText, type EventTexts, mapEventTexts, mapExplanationTexts } from "../server/oauth/redact.ts";
import { maxSearchedWords, type RegisteredSecrets } from "../server/oauth/registered_secrets.ts";
import { keepRegisteredSecrets, registeredSecretsFor } from "./exchange_draft.ts";
import { type Exchange, type Flow, type RecordedRequest, type RecordedResponse, unknownEndpoint } from "./exchange.ts";
import { findBasicCredentials } from "./record_request.ts";
import { isHtmlPage } from "./record_response.ts";
import { type Mask, secretReplacer, type Secrets } from "./secret_replacer.ts";

/** Whether secrets are shown. */
export interface RedactOptions {
  /** Whether to redact secrets. Default: true. */
  readonly redact?: boolean;
}

/**
 * The first four characters and the length: `HIMA…(43)`. For a JWT, the first four characters of the signature.
 * For a password, an unknown user name or a short value, the length only.
 */
export const shorten: Mask = (value, label) => {
  if (redactedPattern.test(value)) return value;
  const length = `…(${value.length})`;
  if (value.startsWith("eyJ")) return `eyJ…${value.split(".").at(-1)!.slice(0, 4)}${length}`;
  return value.length < 16 || label === "password" || label === "user" ? length : value.slice(0, 4) + length;
};

/** The end of a value as {@link shorten} writes it. */
export const redactedPart = /…\(\d+\)/;

/** A value that is already redacted: a mask, or a placeholder of a test fixture. */
const redactedPattern = new RegExp(`^(?:(?:eyJ…)?[^…]{0,4}${redactedPart.source}|\\{\\{[^{}]{1,80} \\d+\\}\\})$`);

/** Maximum length of a text of a request that is searched, in characters: a search of 60 kB takes 25 ms. */
const maxSearchedChars = 4096;

/** The end of a searched text that is not shown if the text continues: it may be the start of a secret. */
const hiddenEndChars = 512;

interface RedactionOptions {
  /** Further exchanges whose secrets are redacted here too. Default: none. */
  readonly secretsFrom?: readonly Exchange[];
  /** Creates masks. Default: {@link shorten}. */
  readonly redactSecret?: Mask;
  /** Further parameters and members to redact, with their labels. */
  readonly extraSecretNames?: Readonly<Record<string, string>>;
}

/** How the texts of an exchange are redacted. */
interface ExchangeRedaction extends Redaction {
  /** Cuts a text that no declaration describes. */
  cut(text: string): string;
  readonly registered?: RegisteredSecrets;
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

/** The redacted exchanges of each flow, by its first one: pages show a flow often, and redaction is expensive. */
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
  { secretsFrom = [], redactSecret = shorten, extraSecretNames = {} }: RedactionOptions = {},
): Exchange[] {
  const secrets = collectSecrets([...exchanges, ...secretsFrom], extraSecretNames);
  const known = secretReplacer(secrets, redactSecret);
  const mask: Mask = (value, label) => redactSecret(value, secrets.get(value) ?? label);
  // A command or fixture with a cut text would be wrong.
  const cut = redactSecret === shorten
    ? cutFreeText
    : (text: string) => text === cutFreeText(text) ? text : mask(text, "value");
  return exchanges.map((exchange) => {
    const redacted = walk(exchange, redactionFor(exchange, { mask, known, cut, extraSecretNames }));
    keepRegisteredSecrets(redacted, registeredSecretsFor(exchange));
    return redacted;
  });
}

/** Redacts the secrets of exchanges in a text about them that may quote a client. */
export function redactTextAbout(text: string, exchanges: readonly Exchange[]): string {
  const known = secretReplacer(collectSecrets(exchanges, {}), shorten);
  const redaction = { label: commonLabel, mask: shorten, known };
  return hideTokens(hideKnown(text, redaction), redaction);
}

/**
 * Redacts parameters by their names.
 *
 * @param recorded An exchange of the server that declares the parameters. Default: common names only.
 */
export function redactFields(fields: Fields, recorded?: Exchange): Fields {
  const same = (text: string) => text;
  return walkFields(fields, redactionFor(recorded, { mask: shorten, known: same, cut: same, extraSecretNames: {} }));
}

function redactionFor(
  exchange: Exchange | undefined,
  { mask, known, cut, extraSecretNames }:
    & Pick<ExchangeRedaction, "mask" | "known" | "cut">
    & Required<Pick<RedactionOptions, "extraSecretNames">>,
): ExchangeRedaction {
  const registered = exchange && registeredSecretsFor(exchange);
  const search = { words: maxSearchedWords };
  return {
    ...{ mask, cut, registered },
    label: (name) =>
      (registered?.label ?? commonLabel)(name) ??
        (Object.hasOwn(extraSecretNames, name) ? extraSecretNames[name] : undefined),
    known: (text) => known(registered?.redact(text, (secret) => mask(secret, "client_secret"), search) ?? text),
  };
}

/** The secrets of each exchange. Exchanges are immutable. */
const secretsCache = new WeakMap<Exchange, Secrets>();

/** Collects every secret with its label, in the order of appearance. */
function collectSecrets(exchanges: readonly Exchange[], extraSecretNames: Readonly<Record<string, string>>): Secrets {
  const secrets = new Map<string, string>();
  const isPlain = Object.keys(extraSecretNames).length === 0;
  for (const exchange of exchanges) {
    let found = isPlain ? secretsCache.get(exchange) : undefined;
    if (found === undefined) {
      const collected = new Map<string, string>();
      const mask: Mask = (value, label) => {
        if (!collected.has(value) && !redactedPattern.test(value)) collected.set(value, label);
        return value;
      };
      const same = (text: string) => text;
      walk(exchange, redactionFor(exchange, { mask, known: same, cut: same, extraSecretNames }));
      found = collected;
      if (isPlain) secretsCache.set(exchange, found);
    }
    for (const [value, label] of found) if (!secrets.has(value)) secrets.set(value, label);
  }
  return secrets;
}

/**
 * Redacts every text of an exchange. Bodies of HTML pages are removed: they repeat other values and may contain
 * secrets. If the redaction fails, everything that the client sent is removed.
 */
function walk(exchange: Exchange, redaction: ExchangeRedaction): Exchange {
  try {
    return walkParts(exchange, redaction);
  } catch {
    const { client: _client, rejection: _rejection, ...rest } = exchange;
    return {
      ...rest,
      request: { method: exchange.request.method, path: "…", headers: {}, query: [], form: [] },
      ...exchange.response && { response: { status: exchange.response.status, headers: {} } },
      passed: [],
      warnings: [],
      events: [],
    };
  }
}

function walkParts(exchange: Exchange, redaction: ExchangeRedaction): Exchange {
  const own = (text: string) => hideKnown(text, redaction);
  const free = (text: string) => hideInStart(text, redaction);
  const texts: EventTexts = {
    ...{ own, sentence: own, received: free },
    cause: (cause) => redaction.cut(free(errorText(cause))),
  };
  const { response, client, passed, rejection, warnings, events } = exchange;
  return {
    ...exchange,
    request: walkRequest(exchange, redaction),
    ...response && { response: walkResponse(response, redaction) },
    ...client !== undefined && { client: walkClient(client, exchange, redaction) },
    passed: passed.map(({ rule, value }) => ({ rule, ...value !== undefined && { value: own(value) } })),
    ...rejection &&
      { rejection: { error: rejection.error, explanation: mapExplanationTexts(rejection.explanation, texts) } },
    warnings: warnings.map((explanation) => mapExplanationTexts(explanation, texts)),
    events: events.map((event) => mapEventTexts(event, texts)),
  };
}

function walkRequest(exchange: Exchange, redaction: ExchangeRedaction): RecordedRequest {
  const { request, endpoint } = exchange;
  const { headers, form, body } = request;
  const path = hideInStart(request.path, redaction);
  // JSON that was sent as a form, the default content type of curl, is split at each `&` and `=`.
  const isSplitJson = form.length > 0 && /^\s*[{[]/.test(body ?? "");
  const fields = isSplitJson
    ? form.map((field) => field.map((text) => text && redaction.mask(text, "value")) as [string, string])
    : walkFields(form, redaction);
  return {
    ...request,
    path: endpoint === unknownEndpoint ? redaction.cut(path) : path,
    headers: walkHeaders(headers, redaction, exchange),
    query: walkFields(request.query, redaction),
    form: fields,
    ...body !== undefined && {
      body: form.length > 0 && !isSplitJson
        ? fields.map((field) => field.map(encodeReadable).join("=")).join("&")
        : walkBody(body, headers, redaction),
    },
  };
}

function walkResponse(response: RecordedResponse, redaction: ExchangeRedaction): RecordedResponse {
  const { body, authorizationResponse, ...head } = response;
  return {
    ...head,
    headers: walkHeaders(head.headers, redaction),
    ...body !== undefined && !isHtmlPage(response) && { body: hideSecrets(body, redaction) },
    ...authorizationResponse && {
      authorizationResponse: {
        uri: hideSecrets(authorizationResponse.uri, redaction),
        params: authorizationResponse.params.map(([name, value]) => [name, walkValue(name, value, redaction, false)]),
      },
    },
  };
}

/** A body that is neither JSON nor a form is free text. */
function walkBody(body: string, headers: RecordedRequest["headers"], redaction: ExchangeRedaction): string {
  const isJson = /^application\/[\w.+-]*json\b/i.test(headers["content-type"] ?? "") || /^\s*[{[]/.test(body);
  return isJson ? hideSecrets(body, redaction) : redaction.cut(hideInStart(body, redaction));
}

function walkFields(fields: Fields, redaction: ExchangeRedaction): Fields {
  return fields.map(([name, value]) => {
    const isFree = redaction.registered?.isPublic(name) !== true;
    const shownName = isFree ? redaction.cut(hideInStart(name, redaction)) : name;
    return [shownName, walkValue(name, value, redaction, isFree)];
  });
}

function walkValue(name: string, value: string, redaction: ExchangeRedaction, isFree: boolean): string {
  if (value === "") return value;
  // A form parser takes the text before a pair for a part of its name.
  const label = redaction.label(name) ?? redaction.label(name.split(/[?&#;/\s"'{,=:]/).at(-1)!);
  if (label !== undefined) return redaction.mask(value, label);
  return isFree ? redaction.cut(hideInStart(value, redaction)) : hideInStart(value, redaction, hideSecrets);
}

/** Hides secrets in the start of a text, and what follows. A word of the text is shown as a whole, or not at all. */
function hideInStart(text: string, redaction: ExchangeRedaction, hide = hideInFreeText): string {
  const hidden = hide(text.slice(0, maxSearchedChars), redaction);
  if (text.length <= maxSearchedChars) return hidden;
  return `${/^[^]*[\s"'\\<>&?#,;]/.exec(hidden.slice(0, -hiddenEndChars))?.[0] ?? ""}…`;
}

/** Whether a name is a client ID and therefore not a misplaced secret; true if the server is unknown. */
function isClient(name: string, { passed }: Exchange, { registered }: ExchangeRedaction): boolean {
  return registered === undefined || registered.isClient(name) ||
    passed.some(({ rule, value }) => rule === "CA-07" && value === name);
}

function walkClient(client: string, exchange: Exchange, redaction: ExchangeRedaction): string {
  const isUser = findBasicCredentials(exchange.request)?.user === client && !isClient(client, exchange, redaction);
  return isUser ? redaction.mask(client, "user") : hideInStart(client, redaction, hideSecrets);
}

/** Redacts headers; those of a request are free text, and `exchange` is its exchange. */
function walkHeaders(
  headers: Readonly<Record<string, string>>,
  redaction: ExchangeRedaction,
  exchange?: Exchange,
): Record<string, string> {
  const redacted = Object.entries(headers).map(([name, value]) => {
    if (name === "authorization") return [name, walkAuthorization(value, exchange, redaction)];
    if (name === "cookie") return [name, value.split(/; */).map((pair) => walkCookie(pair, redaction)).join("; ")];
    if (name === "set-cookie") return [name, value.split("\n").map((line) => walkCookie(line, redaction)).join("\n")];
    return [name, walkValue(name, value, redaction, exchange !== undefined)];
  });
  return Object.fromEntries(redacted);
}

function walkAuthorization(value: string, exchange: Exchange | undefined, redaction: ExchangeRedaction): string {
  const [scheme = "", ...rest] = value.split(" ");
  const token = rest.join(" ").trim();
  const basic = exchange && findBasicCredentials(exchange.request);
  // Some clients omit the base64, and a redacted header has none.
  const [, user, password] = basic ? ["", basic.user, basic.password] : /^([^:]*):(.*)$/.exec(token) ?? [];
  if (user !== undefined && scheme.toLowerCase() === "basic") {
    const isUser = user === "" || exchange === undefined || isClient(user, exchange, redaction);
    const shownUser = isUser ? hideKnown(user, redaction) : redaction.mask(user, "user");
    return `${basic ? "Basic" : scheme} ${shownUser}:${password && redaction.mask(password, "client_secret")}`;
  }
  const label = /^(?:bearer|dpop)$/i.test(scheme) ? "access_token" : "credentials";
  return token === "" ? redaction.mask(value, label) : `${scheme} ${redaction.mask(token, label)}`;
}

function walkCookie(line: string, { mask }: ExchangeRedaction): string {
  return line.replace(
    // A cookie without an equals sign has a value only (RFC 6265 §5.2).
    /^(?:([^=;]*=)|(?![^;]*=))([^;]+)/,
    (_, name = "", value) => name + mask(value, `cookie ${name.slice(0, -1).trim()}`.trim()),
  );
}

/** Percent-encodes a value where necessary. Masks stay readable; a mask may cut a surrogate pair. */
function encodeReadable(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(
    /%E2%80%A6|%7B|%7D|%20/g,
    (sequence) => decodeURIComponent(sequence),
  );
}
