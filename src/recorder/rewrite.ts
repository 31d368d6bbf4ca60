/** Rewrites every text of an exchange: secrets by their kind, and all other text. */

import type { Fields } from "../http/form.ts";
import type { RegisteredSecrets } from "../oauth/redact.ts";
import { deeplyEncodedPair, replaceNamedValues, replaceUserInfo, secretLabel } from "../oauth/secret_names.ts";
import type { Explanation, TraceEvent } from "../oauth/trace.ts";
import { registeredSecretsFor } from "./exchange_draft.ts";
import type { Exchange, RecordedRequest, RecordedResponse } from "./exchange.ts";
import { isHtmlPage } from "./record_response.ts";
import { findBasicCredentials } from "./record_request.ts";

/** The functions that rewrite each kind of text. */
export interface Rewriter {
  /** Rewrites a value that is secret by its name or position; `kind` is a word for it, such as `code`. */
  secret(value: string, kind: string): string;
  /** Rewrites text of this server, or a public value. */
  trusted(text: string): string;
  /** Rewrites text of clients, which may contain misplaced secrets. */
  untrusted(text: string): string;
  /** The client secrets of the server that recorded the exchange. */
  readonly registeredSecrets?: RegisteredSecrets;
  /** Further parameters and members to treat like secrets, and their kinds. */
  readonly extraSecretNames?: Readonly<Record<string, string>>;
}

/** The parameters that are public although they look random. */
const publicParameters = new Set([
  ...["state", "nonce", "code_challenge", "code_challenge_method", "client_id", "grant_type", "response_type"],
  ...["response_mode", "scope", "iss", "client_assertion_type", "token_type_hint", "login_hint", "prompt", "max_age"],
  ...["error", "error_description", "subject", "sub"],
]);

/** JSON, or a part of it: a form parser splits JSON at `&` and `=`. */
const jsonSign = /^\s*\{|["']\s*:/;

/** A member whose value is a string or begins a list of strings, of JSON that is cut or has other quotes or none. */
const looseMember =
  /(["']|(?<![\w-]))(\w[\w -]{0,63})(\1\s{0,20}:\s{0,20}\[?\s{0,20}(["']))((?:(?!\4)[^\\]|\\[^]?)*)(?:\4|$)/g;

/** Maximum nesting of pairs inside values, such as a query in a URI in a parameter; deeper text is a secret. */
const maxNesting = 4;

/**
 * Rewrites an exchange. Bodies of HTML pages are removed: they repeat other values and may contain secrets. If the
 * rewriting fails, everything that the client sent is removed.
 */
export function rewriteExchange(exchange: Exchange, rewriter: Rewriter): Exchange {
  try {
    return rewriteParts(exchange, rewriter);
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

function rewriteParts(exchange: Exchange, baseRewriter: Rewriter): Exchange {
  const rewriter = { ...baseRewriter, registeredSecrets: registeredSecretsFor(exchange) };
  const { response, client, passed, rejection, warnings, events } = exchange;
  return {
    ...exchange,
    request: rewriteRequest(exchange, rewriter),
    ...response && { response: rewriteResponse(response, exchange.endpoint, rewriter) },
    ...client !== undefined && { client: rewriteClient(client, exchange, rewriter) },
    passed: passed.map(({ rule, value }) => ({ rule, ...value !== undefined && { value: rewriter.trusted(value) } })),
    ...rejection &&
      { rejection: { error: rejection.error, explanation: rewriteExplanation(rejection.explanation, rewriter) } },
    warnings: warnings.map((explanation) => rewriteExplanation(explanation, rewriter)),
    events: events.map((event) => rewriteEvent(event, rewriter)),
  };
}

function rewriteRequest(exchange: Exchange, rewriter: Rewriter): RecordedRequest {
  const { request } = exchange;
  const { path, headers, query, form, body } = request;
  const fields = rewriteFields(form, rewriter);
  return {
    ...request,
    path: rewritePairs(path, rewriter),
    headers: rewriteHeaders(headers, rewriter, exchange),
    query: rewriteFields(query, rewriter),
    form: fields,
    ...body !== undefined && {
      body: form.length > 0
        ? fields.map((field) => field.map(encodeReadable).join("=")).join("&")
        : rewriteBody(body, headers, rewriter, (text) => rewriteText(text, rewriter)),
    },
  };
}

/** The endpoints whose responses repeat what a client sent. */
const repeatingEndpoints = ["register", "client_configuration"];

function rewriteResponse(response: RecordedResponse, endpoint: string, rewriter: Rewriter): RecordedResponse {
  const rewriteString = repeatingEndpoints.includes(endpoint)
    ? (text: string) => rewriteText(text, rewriter)
    : rewriter.trusted;
  const { body, authorizationResponse, ...head } = response;
  return {
    ...head,
    headers: rewriteHeaders(head.headers, rewriter),
    ...body !== undefined && !isHtmlPage(response) &&
      { body: rewriteBody(body, head.headers, rewriter, rewriteString) },
    ...authorizationResponse && {
      authorizationResponse: {
        uri: rewriter.untrusted(authorizationResponse.uri),
        params: rewriteFields(authorizationResponse.params, rewriter),
      },
    },
  };
}

export function rewriteFields(fields: Fields, rewriter: Rewriter): Fields {
  return fields.map(([name, value]) => [rewriteName(name, rewriter), rewriteValue(name, value, rewriter)]);
}

/** JSON sent as a form (curl's default content type) parses as one long name; so does an encoded form. */
function rewriteName(name: string, rewriter: Rewriter): string {
  return /^\s*[{[]/.test(name)
    ? rewriteJsonText(name, rewriter, (text) => rewriteText(text, rewriter))
    : rewritePairs(name, rewriter);
}

function rewriteValue(name: string, value: string, rewriter: Rewriter, depth = 0): string {
  if (value === "") return value;
  const kind = getSecretKind(name, rewriter);
  if (kind !== undefined) return rewriter.secret(value, kind);
  const rewrite = publicParameters.has(name) ? rewriter.trusted : rewriter.untrusted;
  return rewriteText(value, rewriter, rewrite, depth);
}

/** Text of unknown format: JSON, a part of it, or text that may contain pairs. `depth` is its nesting. */
function rewriteText(text: string, rewriter: Rewriter, rewrite = rewriter.untrusted, depth = 0): string {
  if (!jsonSign.test(text)) return rewritePairs(text, rewriter, rewrite, depth);
  if (depth > maxNesting) return rewriter.secret(text, "value");
  const rewriteString = (inner: string) => rewriteText(inner, rewriter, rewrite, depth + 1);
  return rewriteJsonText(text, rewriter, rewriteString, rewrite, depth);
}

function getSecretKind(name: string, { extraSecretNames = {}, registeredSecrets }: Rewriter): string | undefined {
  return (registeredSecrets?.label ?? secretLabel)(name) ??
    (Object.hasOwn(extraSecretNames, name) ? extraSecretNames[name] : undefined);
}

/** Text that contains names and values: a URI, a form that was not parsed, or lines. `depth` is its nesting. */
function rewritePairs(text: string, rewriter: Rewriter, rewrite = rewriter.untrusted, depth = 0): string {
  const isTooDeep = deeplyEncodedPair.test(text) || depth > maxNesting && /=|%(?:25)*3d/i.test(text);
  if (isTooDeep) return rewriter.secret(text, "value");
  const rewritten = replaceNamedValues(text, (name, value) => {
    const isPublic = rewrite !== rewriter.untrusted && getSecretKind(name, rewriter) === undefined;
    const replaced = isPublic ? value : rewriteValue(name, value, rewriter, depth + 1);
    return replaced === value ? value : encodeReadable(replaced);
  });
  return rewriteClientText(rewritten, rewriter, rewrite);
}

/** Text that a client sent: redacts registered client secrets, and user and password of URIs. */
function rewriteClientText(text: string, rewriter: Rewriter, rewrite = rewriter.untrusted): string {
  const redacted = rewriter.registeredSecrets?.redact(text, (secret) => rewriter.secret(secret, "client_secret")) ??
    text;
  return rewrite(replaceUserInfo(redacted, (part) => rewriter.secret(part, "password")));
}

/** Whether a name is a client ID and therefore not a misplaced secret; true if the server is unknown. */
function isClient(name: string, { passed }: Exchange, { registeredSecrets }: Rewriter): boolean {
  return registeredSecrets === undefined || registeredSecrets.isClient(name) ||
    passed.some(({ rule, value }) => rule === "CA-07" && value === name);
}

function rewriteClient(client: string, exchange: Exchange, rewriter: Rewriter): string {
  const isUser = findBasicCredentials(exchange.request)?.user === client && !isClient(client, exchange, rewriter);
  return isUser ? rewriter.secret(client, "user") : rewriteClientText(client, rewriter, rewriter.trusted);
}

function rewriteHeaders(
  headers: Readonly<Record<string, string>>,
  rewriter: Rewriter,
  exchange?: Exchange,
): Record<string, string> {
  const rewritten = Object.entries(headers).map(([name, value]) => {
    switch (name) {
      case "authorization":
        return [name, rewriteAuthorization(value, exchange, rewriter)];
      case "cookie":
        return [name, value.split(/; */).map((pair) => rewriteCookie(pair, rewriter)).join("; ")];
      case "set-cookie":
        return [name, value.split("\n").map((line) => rewriteCookie(line, rewriter)).join("\n")];
      case "dpop":
        return [name, rewriter.secret(value, "dpop_proof")];
      case "location":
      case "referer":
        return [name, rewritePairs(value, rewriter)];
      default:
        return [name, exchange === undefined ? rewriter.trusted(value) : rewritePairs(value, rewriter)];
    }
  });
  return Object.fromEntries(rewritten);
}

function rewriteAuthorization(value: string, exchange: Exchange | undefined, rewriter: Rewriter): string {
  const user = (name: string) =>
    exchange === undefined || isClient(name, exchange, rewriter)
      ? rewriteClientText(name, rewriter)
      : name === ""
      ? ""
      : rewriter.secret(name, "user");
  const basic = exchange && findBasicCredentials(exchange.request);
  if (basic !== undefined) return `Basic ${user(basic.user)}:${rewritePassword(basic.password, rewriter)}`;
  const [scheme = "", ...rest] = value.split(" ");
  const token = rest.join(" ").trim();
  // Some clients omit the base64, and a redacted header has none.
  const bare = /^([^:]*):(.*)$/.exec(token);
  if (scheme.toLowerCase() === "basic" && bare !== null) {
    return `${scheme} ${user(bare[1]!)}:${rewritePassword(bare[2]!, rewriter)}`;
  }
  const kind = /^(?:bearer|dpop)$/i.test(scheme) ? "access_token" : "credentials";
  return token === "" ? rewriter.secret(value, kind) : `${scheme} ${rewriter.secret(token, kind)}`;
}

function rewritePassword(password: string, rewriter: Rewriter): string {
  return password === "" ? "" : rewriter.secret(password, "client_secret");
}

function rewriteCookie(line: string, rewriter: Rewriter): string {
  return line.replace(
    // A cookie without an equals sign has a value only (RFC 6265 §5.2).
    /^(?:([^=;]*=)|(?![^;]*=))([^;]+)/,
    (_, name = "", value) => name + rewriter.secret(value, `cookie ${name.slice(0, -1).trim()}`.trim()),
  );
}

/** Rewrites text of any format; `leaf` rewrites the strings in JSON. */
function rewriteBody(
  body: string,
  headers: Readonly<Record<string, string>>,
  rewriter: Rewriter,
  rewriteString: (text: string) => string,
): string {
  const isJson = /^application\/[\w.+-]*json\b/i.test(headers["content-type"] ?? "");
  return isJson ? rewriteJsonText(body, rewriter, rewriteString) : rewritePairs(body, rewriter);
}

function rewriteJsonText(
  text: string,
  rewriter: Rewriter,
  rewriteString: (text: string) => string,
  rewriteRest = rewriter.untrusted,
  depth = 0,
): string {
  const rewrite = (value: unknown, name = ""): unknown => {
    if (typeof value === "string") {
      const kind = getSecretKind(name, rewriter);
      return kind === undefined || value === "" ? rewriteString(value) : rewriter.secret(value, kind);
    }
    if (Array.isArray(value)) return value.map((item) => rewrite(item, name));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([member, memberValue]) => {
        const isInSecret = getSecretKind(name, rewriter) !== undefined;
        return [rewritePairs(member, rewriter, rewriter.trusted), rewrite(memberValue, isInSecret ? name : member)];
      }),
    );
  };
  try {
    return JSON.stringify(rewrite(JSON.parse(text)));
  } catch {
    // The text is not JSON, is nested too deeply, or was split at `&` and `=` of a form.
    const members = text.replace(looseMember, (whole, before, name, between, quote, value) => {
      const kind = getSecretKind(name, rewriter);
      return kind === undefined || value === ""
        ? whole
        : before + name + between + rewriter.secret(value, kind) + quote;
    });
    return rewritePairs(members, rewriter, rewriteRest, depth);
  }
}

function rewriteExplanation(explanation: Explanation, rewriter: Rewriter): Explanation {
  const { reason, expected, received, earlier, fix, isComputed = false, change } = explanation;
  return {
    ...explanation,
    reason: rewriteClientText(reason, rewriter, rewriter.trusted),
    ...expected !== undefined && { expected: rewriter.trusted(expected) },
    ...received !== undefined &&
      { received: isComputed ? rewriter.trusted(received) : rewritePairs(received, rewriter) },
    ...earlier !== undefined && { earlier: rewriter.trusted(earlier) },
    ...fix !== undefined && { fix: rewriter.trusted(fix) },
    ...change !== undefined &&
      { change: Object.values(change).some((text) => isRewritten(text, rewriter)) ? undefined : change },
  };
}

function isRewritten(text: string | boolean, rewriter: Rewriter): boolean {
  return typeof text === "string" && rewritePairs(text, rewriter) !== text;
}

function rewriteEvent(event: TraceEvent, rewriter: Rewriter): TraceEvent {
  switch (event.type) {
    case "rejected":
      return {
        ...rewriteEventClient(event, rewriter),
        endpoint: rewritePairs(event.endpoint, rewriter),
        explanation: rewriteExplanation(event.explanation, rewriter),
      };
    case "page_missing":
      return {
        ...event,
        endpoint: rewritePairs(event.endpoint, rewriter),
        reason: rewriteClientText(event.reason, rewriter, rewriter.trusted),
      };
    case "warning":
    case "note":
      return { ...rewriteEventClient(event, rewriter), explanation: rewriteExplanation(event.explanation, rewriter) };
    case "internal_error":
      return {
        ...event,
        endpoint: rewritePairs(event.endpoint, rewriter),
        cause: rewritePairs(errorText(event.cause), rewriter),
      };
    default:
      return event;
  }
}

function rewriteEventClient<E extends { readonly client?: string }>(event: E, rewriter: Rewriter): E {
  return event.client === undefined ? event : { ...event, client: rewriter.trusted(event.client) };
}

/** Percent-encodes a value where necessary. Masks stay readable; a mask may cut a surrogate pair. */
function encodeReadable(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(
    /%E2%80%A6|%7B|%7D|%20/g,
    (sequence) => decodeURIComponent(sequence),
  );
}

/** Converts a thrown value to text. It never throws, although the `toString` of the value may. */
export function errorText(cause: unknown): string {
  try {
    return String(cause);
  } catch {
    return "a value without a text form";
  }
}
