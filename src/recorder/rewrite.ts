/** Rewrites every text of an exchange: secrets by their kind, and all other text. */

import type { Fields } from "../platform/http/form.ts";
import { type EventTexts, mapEventTexts, mapExplanationTexts, type RegisteredSecrets } from "../server/oauth/redact.ts";
import {
  rewriteJson,
  type Rewriter,
  rewriteText,
  rewriteValue,
  rewriteWords,
  secretLabel,
} from "../server/oauth/secret_names.ts";
import { registeredSecretsFor } from "./exchange_draft.ts";
import type { Exchange, RecordedRequest, RecordedResponse } from "./exchange.ts";
import { isHtmlPage } from "./record_response.ts";
import { findBasicCredentials } from "./record_request.ts";

/** How the texts of an exchange are rewritten: {@link Rewriter}. */
export interface Rewriting extends Pick<Rewriter, "secret" | "trusted" | "untrusted"> {
  /** Further parameters and members to treat like secrets, and their kinds. */
  readonly extraSecretNames?: Readonly<Record<string, string>>;
}

/** The texts of exchanges of one server, and its clients if it is known. */
interface ExchangeRewriter extends Rewriter {
  readonly registeredSecrets?: RegisteredSecrets;
}

/** The parameters that are public although they look random. */
const publicParameters = new Set([
  ...["state", "nonce", "code_challenge", "code_challenge_method", "client_id", "grant_type", "response_type"],
  ...["response_mode", "scope", "iss", "client_assertion_type", "token_type_hint", "login_hint", "prompt", "max_age"],
  ...["error", "error_description", "subject", "sub"],
]);

function toRewriter(
  { extraSecretNames = {}, ...rewriting }: Rewriting,
  registeredSecrets: RegisteredSecrets | undefined,
): ExchangeRewriter {
  return {
    ...rewriting,
    registeredSecrets,
    kind: (name) =>
      (registeredSecrets?.label ?? secretLabel)(name) ??
        (Object.hasOwn(extraSecretNames, name) ? extraSecretNames[name] : undefined),
    registered: (text) =>
      registeredSecrets?.redact(text, (secret) => rewriting.secret(secret, "client_secret")) ?? text,
    isPublic: (name) => publicParameters.has(name),
    encode: encodeReadable,
  };
}

/**
 * Rewrites an exchange. Bodies of HTML pages are removed: they repeat other values and may contain secrets. If the
 * rewriting fails, everything that the client sent is removed.
 */
export function rewriteExchange(exchange: Exchange, rewriting: Rewriting): Exchange {
  try {
    return rewriteParts(exchange, toRewriter(rewriting, registeredSecretsFor(exchange)));
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

function rewriteParts(exchange: Exchange, rewriter: ExchangeRewriter): Exchange {
  const texts: EventTexts = {
    own: rewriter.trusted,
    sentence: (text) => rewriteWords(text, rewriter, rewriter.trusted),
    received: (text) => rewriteText(text, rewriter),
    cause: (cause) => rewriteText(errorText(cause), rewriter),
  };
  const { response, client, passed, rejection, warnings, events } = exchange;
  return {
    ...exchange,
    request: rewriteRequest(exchange, rewriter),
    ...response && { response: rewriteResponse(response, exchange.endpoint, rewriter) },
    ...client !== undefined && { client: rewriteClient(client, exchange, rewriter) },
    passed: passed.map(({ rule, value }) => ({ rule, ...value !== undefined && { value: rewriter.trusted(value) } })),
    ...rejection &&
      { rejection: { error: rejection.error, explanation: mapExplanationTexts(rejection.explanation, texts) } },
    warnings: warnings.map((explanation) => mapExplanationTexts(explanation, texts)),
    events: events.map((event) => mapEventTexts(event, texts)),
  };
}

function rewriteRequest(exchange: Exchange, rewriter: ExchangeRewriter): RecordedRequest {
  const { request } = exchange;
  const { path, headers, query, form, body } = request;
  const fields = rewriteFields(form, rewriter);
  return {
    ...request,
    path: rewriteText(path, rewriter),
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

function rewriteResponse(response: RecordedResponse, endpoint: string, rewriter: ExchangeRewriter): RecordedResponse {
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

/** Rewrites parameters; `recorded` is an exchange of the server that declares them. */
export function rewriteParameters(fields: Fields, rewriting: Rewriting, recorded: Exchange | undefined): Fields {
  return rewriteFields(fields, toRewriter(rewriting, recorded && registeredSecretsFor(recorded)));
}

/** JSON sent as a form, the default content type of curl, is parsed as one long name; so is an encoded form. */
function rewriteFields(fields: Fields, rewriter: Rewriter): Fields {
  return fields.map(([name, value]) => [rewriteText(name, rewriter), rewriteValue(name, value, rewriter)]);
}

/** Whether a name is a client ID and therefore not a misplaced secret; true if the server is unknown. */
function isClient(name: string, { passed }: Exchange, { registeredSecrets }: ExchangeRewriter): boolean {
  return registeredSecrets === undefined || registeredSecrets.isClient(name) ||
    passed.some(({ rule, value }) => rule === "CA-07" && value === name);
}

function rewriteClient(client: string, exchange: Exchange, rewriter: ExchangeRewriter): string {
  const isUser = findBasicCredentials(exchange.request)?.user === client && !isClient(client, exchange, rewriter);
  return isUser ? rewriter.secret(client, "user") : rewriteWords(client, rewriter, rewriter.trusted);
}

function rewriteHeaders(
  headers: Readonly<Record<string, string>>,
  rewriter: ExchangeRewriter,
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
        return [name, rewriteText(value, rewriter)];
      default:
        return [name, exchange === undefined ? rewriter.trusted(value) : rewriteText(value, rewriter)];
    }
  });
  return Object.fromEntries(rewritten);
}

function rewriteAuthorization(value: string, exchange: Exchange | undefined, rewriter: ExchangeRewriter): string {
  const user = (name: string) =>
    exchange === undefined || isClient(name, exchange, rewriter)
      ? rewriteWords(name, rewriter)
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

/** Rewrites text of any format; `rewriteString` rewrites the strings of JSON. */
function rewriteBody(
  body: string,
  headers: Readonly<Record<string, string>>,
  rewriter: Rewriter,
  rewriteString: (text: string) => string,
): string {
  const isJson = /^application\/[\w.+-]*json\b/i.test(headers["content-type"] ?? "");
  return isJson ? rewriteJson(body, rewriter, rewriteString) : rewriteText(body, rewriter);
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
