/** Walks through everything an exchange holds, secrets by their kind and all other text, and writes it anew. */

import type { Fields } from "../http/form.ts";
import type { Explanation, TraceEvent } from "../oauth/trace.ts";
import { causeText } from "./cause_text.ts";
import type { Exchange, RecordedAnswer, RecordedRequest } from "./exchange.ts";
import { isPage } from "./read_answer.ts";
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
  /** Further parameters and members to treat like secrets, and their kinds. */
  readonly further?: Readonly<Record<string, string>>;
}

/** The parameters and members that are secrets, and what they are called. */
const secretNames: Readonly<Record<string, string>> = {
  code: "code",
  access_token: "access_token",
  refresh_token: "refresh_token",
  id_token: "id_token",
  id_token_hint: "id_token",
  token: "token",
  code_verifier: "code_verifier",
  client_secret: "client_secret",
  client_assertion: "client_assertion",
  assertion: "assertion",
  password: "password",
  interaction: "interaction",
  login: "proof_of_login",
  form_token: "form_token",
  confirm: "form_token",
};

/** The parameters that are meant to be seen, however random they look. */
const plainNames = new Set([
  ...["state", "nonce", "code_challenge", "code_challenge_method", "client_id", "grant_type", "response_type"],
  ...["response_mode", "scope", "iss", "client_assertion_type", "token_type_hint", "login_hint", "prompt", "max_age"],
  ...["error", "error_description", "subject", "sub"],
]);

/** The exchange anew. Pages are left out: they say nothing that the rest does not say, and may show anything. */
export function rewriteExchange(exchange: Exchange, pen: Pen): Exchange {
  const { request, answer, client, held, refusal, warnings, events } = exchange;
  return {
    ...exchange,
    request: rewriteRequest(request, pen),
    ...answer && { answer: rewriteAnswer(answer, pen) },
    ...client !== undefined && { client: pen.text(client) },
    held: held.map(({ rule, statement, value }) => ({
      rule,
      statement,
      ...value !== undefined && { value: pen.text(value) },
    })),
    ...refusal && { refusal: { error: refusal.error, why: rewriteExplanation(refusal.why, pen) } },
    warnings: warnings.map((why) => rewriteExplanation(why, pen)),
    events: events.map((event) => rewriteEvent(event, pen)),
  };
}

function rewriteRequest(request: RecordedRequest, pen: Pen): RecordedRequest {
  const { path, headers, query, form, body } = request;
  const fields = rewriteFields(form, pen);
  return {
    ...request,
    path: pen.loose(path),
    headers: rewriteHeaders(headers, pen, request),
    query: rewriteFields(query, pen),
    form: fields,
    ...body !== undefined && { body: form.length > 0 ? formText(fields) : rewriteBody(body, headers, pen, pen.loose) },
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

/** JSON that was sent as a form, as curl does unless it is told otherwise, is one long name. */
function rewriteName(name: string, pen: Pen): string {
  return /^\s*[{[]/.test(name) ? rewriteJsonText(name, pen, pen.loose) : pen.loose(name);
}

function rewriteValue(name: string, value: string, pen: Pen): string {
  if (value === "") return value;
  const kind = kindOf(name, pen);
  if (kind !== undefined) return pen.secret(value, kind);
  if (plainNames.has(name)) return pen.text(value);
  return value.startsWith("{") ? rewriteJsonText(value, pen, pen.loose) : rewritePairs(value, pen);
}

function kindOf(name: string, { further = {} }: Pen): string | undefined {
  // As somebody may have misspelt it: clientSecret, Client-Secret, " client_secret".
  const plain = name.trim().replace(/(?<=[a-z])(?=[A-Z])/g, "_").replaceAll("-", "_").toLowerCase();
  for (const one of [name, plain]) {
    for (const names of [secretNames, further]) if (Object.hasOwn(names, one)) return names[one];
  }
  return undefined;
}

/** The names and values in a URI, or in a form that was not read as one. */
function rewritePairs(text: string, pen: Pen): string {
  const rewritten = text.replace(/(^|[?&#;])([\w.~%+-]+)=([^&#;\s]+)/g, (whole, before, name, raw) => {
    const value = decoded(raw);
    const fresh = rewriteValue(decoded(name), value, pen);
    return fresh === value ? whole : `${before}${name}=${readable(fresh)}`;
  });
  return pen.loose(rewritten);
}

function rewriteHeaders(
  headers: Readonly<Record<string, string>>,
  pen: Pen,
  request?: RecordedRequest,
): Record<string, string> {
  const rewritten = Object.entries(headers).map(([name, value]) => {
    switch (name) {
      case "authorization":
        return [name, rewriteAuthorization(value, request && basicOf(request), pen)];
      case "cookie":
        return [name, value.split(/; */).map((pair) => rewriteCookie(pair, pen)).join("; ")];
      case "set-cookie":
        return [name, value.split("\n").map((line) => rewriteCookie(line, pen)).join("\n")];
      case "location":
      case "referer":
        return [name, rewritePairs(value, pen)];
      default:
        return [name, request === undefined ? pen.text(value) : pen.loose(value)];
    }
  });
  return Object.fromEntries(rewritten);
}

function rewriteAuthorization(value: string, basic: ReturnType<typeof basicOf>, pen: Pen): string {
  if (basic !== undefined) return `Basic ${pen.loose(basic.user)}:${secretOrNothing(basic.password, pen)}`;
  const [scheme = "", ...rest] = value.split(" ");
  const token = rest.join(" ").trim();
  // Some clients forget the base64, and a masked header has none.
  const bare = /^([^:]*):(.*)$/.exec(token);
  if (scheme.toLowerCase() === "basic" && bare !== null) {
    return `${scheme} ${pen.loose(bare[1]!)}:${secretOrNothing(bare[2]!, pen)}`;
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
    reason: pen.text(reason),
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
        endpoint: pen.loose(event.endpoint),
        why: rewriteExplanation(event.why, pen),
      };
    case "warning":
      return { ...withClient(event, pen), why: rewriteExplanation(event.why, pen) };
    case "bug":
      return { ...event, endpoint: pen.loose(event.endpoint), cause: pen.loose(causeText(event.cause)) };
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

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
