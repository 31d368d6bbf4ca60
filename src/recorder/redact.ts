/**
 * Redacts exchanges before a page, log or export shows them. The recorder itself keeps the values in memory, because
 * pages show them on request, send requests again and decode tokens, and practices compare them.
 *
 * Parameters that are declared as public are shown; of others, and of a body of an unknown format, the name and the
 * length. Registered secrets, issued codes and tokens, and JWTs are hidden in public values too. Equal secrets get equal
 * masks, so that an exchanged code is still recognizable.
 */

import type { Fields } from "../core/http/form.ts";
import {
  commonLabel,
  cutFreeText,
  hideInText,
  hideKnown,
  jsonShape,
  lastWord,
  maskLength,
  type Redaction,
} from "../server/redaction/hide_secrets.ts";
import { errorText, type EventTexts, mapEventTexts, mapExplanationTexts } from "../server/redaction/redact.ts";
import type { RegisteredSecrets } from "../server/redaction/registered_secrets.ts";
import { keepRegisteredSecrets, registeredSecretsFor } from "./exchange_draft.ts";
import { type Exchange, type Flow, type RecordedRequest, type RecordedResponse, unknownEndpoint } from "./exchange.ts";
import { findBasicCredentials } from "./record_request.ts";
import { isHtmlPage } from "./record_response.ts";

/** Returns the mask of a secret; `label` is its kind, such as `code`. */
type Mask = (value: string, label: string) => string;

/**
 * The first four characters and the length: `HIMA…(43)`. For a JWT, the first four characters of the signature. For a
 * secret of a person or client, an unknown user name, a short value or a text, the length only.
 */
export const shorten: Mask = (value, label) => {
  if (redactedPattern.test(value)) return value;
  const length = `…(${value.length})`;
  if (withoutLetters.has(label)) return length;
  if (value.startsWith("eyJ")) return `eyJ…${value.split(".").at(-1)!.slice(0, 4)}${length}`;
  return /^[\w.~+/=-]{16,}$/.test(value) ? value.slice(0, 4) + length : length;
};

/** The labels of long-lived values that a person chose: no character of them is shown. */
const withoutLetters = new Set([
  "password",
  "user",
  "client_secret",
  "secret",
  "api_key",
  "private_key",
  "credentials",
]);

/** A value that is already redacted: a mask, or a placeholder of the log of a test. */
const redactedPattern = new RegExp(`^(?:(?:eyJ…)?[^…]{0,4}…\\(\\d+\\)|\\{\\{[^{}]{1,80} \\d+\\}\\})$`);

/** Maximum length of a text of a request that is searched, in characters: a search of 60 kB takes 25 ms. */
const maxSearchedChars = 4096;

interface RedactionOptions {
  /** Creates masks. Default: {@link shorten}. */
  readonly redactSecret?: Mask;
  /** Further parameters and members to redact, with their labels. */
  readonly extraSecretNames?: Readonly<Record<string, string>>;
}

interface ExchangeRedaction extends Redaction {
  /** Cuts a text that is longer than is shown, such as a path. */
  cut(text: string): string;
  /** Replaces a value that no declaration describes. */
  hide(text: string): string;
  readonly registered?: RegisteredSecrets;
}

/** Redacted exchanges, because pages show a flow often; each applies to one version of the registered secrets. */
const redactedExchanges = new WeakMap<Exchange, { readonly version: unknown; readonly redacted: Exchange }>();

/** Redacts an exchange once, and again only after a client has changed. */
function redactOnce(exchange: Exchange): Exchange {
  const version = registeredSecretsFor(exchange)?.version();
  const known = redactedExchanges.get(exchange);
  if (known !== undefined && known.version === version) return known.redacted;
  const redacted = redactExchange(exchange);
  redactedExchanges.set(exchange, { version, redacted });
  return redacted;
}

export function redactFlow(flow: Flow): Flow {
  const exchanges = flow.exchanges.map(redactOnce);
  // Takes the redacted client from the first exchange that names it. It is absent if eviction removed all of those.
  const firstIndex = flow.exchanges.findIndex(({ client }) => client === flow.client);
  return { ...flow, client: exchanges[firstIndex]?.client, exchanges };
}

export function redactExchanges(exchanges: readonly Exchange[], options?: RedactionOptions): Exchange[] {
  return exchanges.map((exchange) => redactExchange(exchange, options));
}

export function redactExchange(exchange: Exchange, options?: RedactionOptions): Exchange {
  const redacted = walk(exchange, redactionFor(exchange, options));
  keepRegisteredSecrets(redacted, registeredSecretsFor(exchange));
  return redacted;
}

/** Redacts a sentence about exchanges that may quote a client. */
export function redactTextAbout(text: string, [exchange]: readonly Exchange[]): string {
  return hideKnown(text, redactionFor(exchange));
}

/**
 * Redacts parameters by their names.
 *
 * @param recorded An exchange of the server that declares the parameters. Default: common names only.
 */
export function redactFields(fields: Fields, recorded?: Exchange): Fields {
  return walkFields(fields, { ...redactionFor(recorded), hide: (text) => text });
}

function redactionFor(
  exchange: Exchange | undefined,
  { redactSecret: mask = shorten, extraSecretNames = {} }: RedactionOptions = {},
): ExchangeRedaction {
  const registered = exchange && registeredSecretsFor(exchange);
  return {
    mask,
    registered,
    // A command or transcript with a cut text would be wrong.
    cut: mask === shorten ? cutFreeText : (text) => text === cutFreeText(text) ? text : mask(text, "value"),
    hide: (text) => redactedPattern.test(text) ? text : mask === shorten ? maskLength(text) : mask(text, "value"),
    label: (name) =>
      (registered?.label ?? commonLabel)(name) ??
        (Object.hasOwn(extraSecretNames, name) ? extraSecretNames[name] : undefined),
    known: (text) => registered?.redact(text, (secret) => mask(secret, "client_secret")) ?? text,
  };
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
  const texts: EventTexts = { own, received: free, cause: (cause) => redaction.cut(free(errorText(cause))) };
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
    method: hideKnown(request.method, redaction),
    path: endpoint === unknownEndpoint ? redaction.cut(path) : path,
    headers: walkHeaders(headers, redaction, exchange),
    query: walkFields(request.query, redaction),
    form: fields,
    ...body !== undefined && {
      body: form.length > 0 && !isSplitJson
        ? fields.map((field) => field.map(encodeReadable).join("=")).join("&")
        : walkBody(body, redaction),
    },
  };
}

function walkResponse(response: RecordedResponse, redaction: ExchangeRedaction): RecordedResponse {
  const { body, authorizationResponse, ...head } = response;
  return {
    ...head,
    headers: walkHeaders(head.headers, redaction),
    ...body !== undefined && !isHtmlPage(response) && { body: hideInText(body, redaction) },
    ...authorizationResponse && {
      authorizationResponse: {
        uri: hideInText(authorizationResponse.uri, redaction),
        params: authorizationResponse.params.map(([name, value]) => [name, walkValue(name, value, redaction, false)]),
      },
    },
  };
}

/** Of a body that is neither JSON nor a form, the length is shown. */
function walkBody(body: string, redaction: ExchangeRedaction): string {
  return jsonShape.test(body) ? hideInText(body, redaction) : redaction.hide(body);
}

function walkFields(fields: Fields, redaction: ExchangeRedaction): Fields {
  return fields.map(([name, value]) => {
    if (value !== "" && redaction.label(name) !== undefined) {
      return [name, redaction.mask(value, redaction.label(name)!)];
    }
    if (redaction.registered?.isPublic(name) === true) return [name, hideInStart(value, redaction)];
    const shownName = redaction.cut(hideInStart(name, redaction));
    return [shownName, value && redaction.hide(value)];
  });
}

function walkValue(name: string, value: string, redaction: ExchangeRedaction, isFree: boolean): string {
  if (value === "") return value;
  const label = redaction.label(name);
  if (label !== undefined) return redaction.mask(value, label);
  const hidden = hideInStart(value, redaction);
  return isFree ? redaction.cut(hidden) : hidden;
}

/** Hides secrets in the start of a text, and cuts the rest and the last word, which may be a part of a secret. */
function hideInStart(text: string, redaction: ExchangeRedaction): string {
  if (text.length <= maxSearchedChars) return hideInText(text, redaction);
  return hideInText(text.slice(0, maxSearchedChars).replace(lastWord, "…"), redaction);
}

/** Whether a name is a client ID and therefore not a misplaced secret; true if the server is unknown. */
function isClient(name: string, { passed }: Exchange, { registered }: ExchangeRedaction): boolean {
  return registered === undefined || registered.isClient(name) ||
    passed.some(({ rule, value }) => rule === "CA-07" && value === name);
}

function walkClient(client: string, exchange: Exchange, redaction: ExchangeRedaction): string {
  const isUser = findBasicCredentials(exchange.request)?.user === client && !isClient(client, exchange, redaction);
  return isUser ? redaction.mask(client, "user") : hideInStart(client, redaction);
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

/** What is shown as the scheme of credentials: a short word, perhaps with a sign that does not belong there. */
const schemePattern = /^[A-Za-z-]{1,16}[:,]?$/;

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
  if (token === "") return redaction.mask(value, label);
  // A secret without a scheme, before other text.
  const shownScheme = schemePattern.test(scheme) ? scheme : redaction.mask(scheme, label);
  return `${shownScheme} ${redaction.mask(token, label)}`;
}

function walkCookie(line: string, redaction: ExchangeRedaction): string {
  return line.replace(
    // A cookie without an equals sign has a value only (RFC 6265 §5.2).
    /^(?:([^=;]*=)|(?![^;]*=))([^;]+)/,
    (_, sent = "", value) => {
      const name = hideKnown(sent, redaction);
      return name + redaction.mask(value, `cookie ${name.slice(0, -1).trim()}`.trim());
    },
  );
}

/** Percent-encodes a value where necessary. Masks stay readable; a mask may cut a surrogate pair. */
function encodeReadable(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(
    /%E2%80%A6|%7B|%7D|%20/g,
    (sequence) => decodeURIComponent(sequence),
  );
}
