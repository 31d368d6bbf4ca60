/** Walks through everything an exchange holds, secrets by their kind and all other text, and writes it anew. */

import type { Fields } from "../http/form.ts";
import type { RegisteredSecrets } from "../oauth/clients/registered_secrets.ts";
import { replacePairs, replaceUserInfo, secretKind } from "../oauth/secret_names.ts";
import type { Explanation, TraceEvent } from "../oauth/trace.ts";
import { causeText } from "./error_text.ts";
import { registeredAt } from "./exchange_draft.ts";
import type { Exchange, RecordedAnswer, RecordedRequest } from "./exchange.ts";
import { isPage } from "./read_response.ts";
import { readPageForms } from "./page_form.ts";
import { basicOf } from "./read_request.ts";

/** What becomes of each piece. */
export interface Pen {
  /** A value whose name or place says that it is a secret; `kind` is what a person calls it, such as `code`. */
  secret(value: string, kind: string): string;
  /** Text that this server wrote, or a value that is meant to be seen. */
  text(text: string): string;
  /** Text that may hold anything, because somebody else wrote it. */
  loose(text: string): string;
  /** The client secrets of the server that recorded the exchange. */
  readonly registered?: RegisteredSecrets;
  /** Further parameters and members to treat like secrets, and their kinds. */
  readonly further?: Readonly<Record<string, string>>;
}

/** The parameters that are meant to be seen, however random they look. */
const plainNames = new Set([
  ...["state", "nonce", "code_challenge", "code_challenge_method", "client_id", "grant_type", "response_type"],
  ...["response_mode", "scope", "iss", "client_assertion_type", "token_type_hint", "login_hint", "prompt", "max_age"],
  ...["error", "error_description", "subject", "sub"],
]);

/** The exchange anew. Pages are left out: they say nothing that the rest does not say, and may show anything. */
export function rewriteExchange(exchange: Exchange, given: Pen): Exchange {
  const pen = { ...given, registered: registeredAt(exchange) };
  const { answer, client, held, refusal, warnings, events } = exchange;
  return {
    ...exchange,
    request: rewriteRequest(exchange, pen),
    ...answer && { answer: rewriteAnswer(answer, pen) },
    ...client !== undefined && { client: rewriteClient(client, exchange, pen) },
    held: held.map(({ rule, value }) => ({ rule, ...value !== undefined && { value: pen.text(value) } })),
    ...refusal && { refusal: { error: refusal.error, why: rewriteExplanation(refusal.why, pen) } },
    warnings: warnings.map((why) => rewriteExplanation(why, pen)),
    events: events.map((event) => rewriteEvent(event, pen)),
  };
}

function rewriteRequest(exchange: Exchange, pen: Pen): RecordedRequest {
  const { request } = exchange;
  const { path, headers, query, form, body } = request;
  const fields = rewriteFields(form, pen);
  return {
    ...request,
    path: rewritePairs(path, pen),
    headers: rewriteHeaders(headers, pen, exchange),
    query: rewriteFields(query, pen),
    form: fields,
    ...body !== undefined &&
      { body: form.length > 0 ? formText(fields) : rewriteBody(body, headers, pen, (text) => rewriteSent(text, pen)) },
  };
}

function rewriteAnswer(answer: RecordedAnswer, pen: Pen): RecordedAnswer {
  const { body, handover, ...head } = answer;
  if (isPage(answer)) {
    for (const { fields } of readPageForms(body ?? "")) rewriteFields(fields, pen);
  }
  return {
    ...head,
    headers: rewriteHeaders(head.headers, pen),
    ...body !== undefined && !isPage(answer) && { body: rewriteBody(body, head.headers, pen, pen.text) },
    ...handover && { handover: { uri: pen.loose(handover.uri), params: rewriteFields(handover.params, pen) } },
  };
}

/** Parameters anew. */
export function rewriteFields(fields: Fields, pen: Pen): Fields {
  return fields.map(([name, value]) => [rewriteName(name, pen), rewriteValue(name, value, pen)]);
}

/** JSON sent as a form (curl's default content type) parses as one long name; so does an encoded form. */
function rewriteName(name: string, pen: Pen): string {
  return /^\s*[{[]/.test(name) ? rewriteJsonText(name, pen, (text) => rewriteSent(text, pen)) : rewritePairs(name, pen);
}

function rewriteValue(name: string, value: string, pen: Pen): string {
  if (value === "") return value;
  const kind = kindOf(name, pen);
  if (kind !== undefined) return pen.secret(value, kind);
  if (plainNames.has(name)) return rewritePairs(value, pen, pen.text);
  return value.startsWith("{")
    ? rewriteJsonText(value, pen, (text) => rewriteSent(text, pen))
    : rewritePairs(value, pen);
}

function kindOf(name: string, { further = {} }: Pen): string | undefined {
  return secretKind(name) ?? (Object.hasOwn(further, name) ? further[name] : undefined);
}

/** Text that contains names and values: a URI, a form that was not parsed, or lines. */
function rewritePairs(text: string, pen: Pen, rewrite = pen.loose): string {
  const rewritten = replacePairs(text, (name, value) => {
    const isSeen = rewrite !== pen.loose && kindOf(name, pen) === undefined;
    const fresh = isSeen ? value : rewriteValue(name, value, pen);
    return fresh === value ? value : readable(fresh);
  });
  return rewriteSent(rewritten, pen, rewrite);
}

/** Text that a client sent: redacts registered client secrets, and user and password of URIs. */
function rewriteSent(text: string, pen: Pen, rewrite = pen.loose): string {
  const open = pen.registered?.redact(text, (secret) => pen.secret(secret, "client_secret")) ?? text;
  return rewrite(replaceUserInfo(open, (part) => pen.secret(part, "password")));
}

/** Whether a name is the id of a client and therefore not a misplaced secret; true if the server is unknown. */
function isClient(name: string, { held }: Exchange, { registered }: Pen): boolean {
  return registered === undefined || registered.isClient(name) ||
    held.some(({ rule, value }) => rule === "CA-07" && value === name);
}

function rewriteClient(client: string, exchange: Exchange, pen: Pen): string {
  const isUser = basicOf(exchange.request)?.user === client && !isClient(client, exchange, pen);
  return isUser ? pen.secret(client, "user") : rewriteSent(client, pen, pen.text);
}

function rewriteHeaders(
  headers: Readonly<Record<string, string>>,
  pen: Pen,
  exchange?: Exchange,
): Record<string, string> {
  const rewritten = Object.entries(headers).map(([name, value]) => {
    switch (name) {
      case "authorization":
        return [name, rewriteAuthorization(value, exchange, pen)];
      case "cookie":
        return [name, value.split(/; */).map((pair) => rewriteCookie(pair, pen)).join("; ")];
      case "set-cookie":
        return [name, value.split("\n").map((line) => rewriteCookie(line, pen)).join("\n")];
      case "location":
      case "referer":
        return [name, rewritePairs(value, pen)];
      default:
        return [name, exchange === undefined ? pen.text(value) : rewritePairs(value, pen)];
    }
  });
  return Object.fromEntries(rewritten);
}

function rewriteAuthorization(value: string, exchange: Exchange | undefined, pen: Pen): string {
  const user = (name: string) =>
    exchange === undefined || isClient(name, exchange, pen)
      ? rewriteSent(name, pen)
      : name === ""
      ? ""
      : pen.secret(name, "user");
  const basic = exchange && basicOf(exchange.request);
  if (basic !== undefined) return `Basic ${user(basic.user)}:${secretOrNothing(basic.password, pen)}`;
  const [scheme = "", ...rest] = value.split(" ");
  const token = rest.join(" ").trim();
  // Some clients forget the base64, and a masked header has none.
  const bare = /^([^:]*):(.*)$/.exec(token);
  if (scheme.toLowerCase() === "basic" && bare !== null) {
    return `${scheme} ${user(bare[1]!)}:${secretOrNothing(bare[2]!, pen)}`;
  }
  const kind = scheme.toLowerCase() === "bearer" ? "access_token" : "credentials";
  return token === "" ? pen.secret(value, kind) : `${scheme} ${pen.secret(token, kind)}`;
}

function secretOrNothing(password: string, pen: Pen): string {
  return password === "" ? "" : pen.secret(password, "client_secret");
}

function rewriteCookie(line: string, pen: Pen): string {
  return line.replace(/^([^=;]*)=([^;]+)/, (_, name, value) => `${name}=${pen.secret(value, `cookie ${name.trim()}`)}`);
}

/** Text of any kind; `leaf` rewrites the strings in JSON. */
function rewriteBody(
  body: string,
  headers: Readonly<Record<string, string>>,
  pen: Pen,
  leaf: (text: string) => string,
): string {
  const isJson = /^application\/[\w.+-]*json\b/i.test(headers["content-type"] ?? "");
  return isJson ? rewriteJsonText(body, pen, leaf) : rewritePairs(body, pen);
}

function rewriteJsonText(text: string, pen: Pen, leaf: (text: string) => string): string {
  const rewrite = (value: unknown, name = ""): unknown => {
    if (typeof value === "string") {
      const kind = kindOf(name, pen);
      return kind === undefined || value === "" ? leaf(value) : pen.secret(value, kind);
    }
    if (Array.isArray(value)) return value.map((one) => rewrite(one, name));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([member, held]) => [member, rewrite(held, member)]));
  };
  try {
    return JSON.stringify(rewrite(JSON.parse(text)));
  } catch {
    // No JSON after all, or too deep to walk through, or cut in two by a form's & and =.
    const members = text.replace(
      /"([\w -]{1,64})"(\s*:\s*)"((?:[^"\\]|\\.)*)(?:"|$)/g,
      (whole, name, between, value) => {
        const kind = kindOf(name, pen);
        return kind === undefined || value === "" ? whole : `"${name}"${between}"${pen.secret(value, kind)}"`;
      },
    );
    return rewritePairs(members, pen);
  }
}

function rewriteExplanation(why: Explanation, pen: Pen): Explanation {
  const { rule, reason, expected, received, earlier } = why;
  return {
    rule,
    reason: rewriteSent(reason, pen, pen.text),
    ...expected !== undefined && { expected: pen.text(expected) },
    ...received !== undefined && { received: rewritePairs(received, pen) },
    ...earlier !== undefined && { earlier: pen.text(earlier) },
  };
}

function rewriteEvent(event: TraceEvent, pen: Pen): TraceEvent {
  switch (event.type) {
    case "refused":
      return {
        ...withClient(event, pen),
        endpoint: rewritePairs(event.endpoint, pen),
        why: rewriteExplanation(event.why, pen),
      };
    case "warning":
      return { ...withClient(event, pen), why: rewriteExplanation(event.why, pen) };
    case "bug":
      return {
        ...event,
        endpoint: rewritePairs(event.endpoint, pen),
        cause: rewritePairs(causeText(event.cause), pen),
      };
    default:
      return event;
  }
}

function withClient<E extends { readonly client?: string }>(event: E, pen: Pen): E {
  return event.client === undefined ? event : { ...event, client: pen.text(event.client) };
}

/** A form as text, percent-encoded where it must be; what stands for a secret stays readable. */
function formText(fields: Fields): string {
  return fields.map(([name, value]) => `${readable(name)}=${readable(value)}`).join("&");
}

function readable(value: string): string {
  return encodeURIComponent(value).replace(/%E2%80%A6|%7B|%7D|%20/g, (sequence) => decodeURIComponent(sequence));
}
