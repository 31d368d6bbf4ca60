/** The request of a step as a curl command for bash. Its secrets are shell variables. */

import { encodeFormValue } from "../../core/clients/redirect_uri.ts";
import { bashQuote } from "../../platform/shell_word.ts";
import type { Fields } from "../../core/http/form.ts";
import { maxCapturedBodyBytes } from "../../platform/http/body_tap.ts";
import { type Exchange, exchangeUrl, type RecordedRequest } from "../../recorder/exchange.ts";
import { findBasicCredentials } from "../../recorder/record_request.ts";
import { redactExchange } from "../../recorder/redact.ts";

/** The headers that decide the response. curl and the connection set all others. */
const sentHeaders = ["authorization", "dpop", "cookie", "origin", "accept", "content-type"];

const formType = "application/x-www-form-urlencoded";

/** Matches the placeholder of a variable, and captures the name: no text that the client sent. */
type Placeholder = RegExp;

/**
 * The command, after a comment with the variables to set; `undefined` if a shell cannot hold the request, or only a
 * part of it was recorded.
 *
 * @param origin The origin of the server.
 */
export function curlCommand(exchange: Exchange, origin: string): string | undefined {
  if (!isRecordedWhole(exchange.request)) return undefined;
  // No placeholder may be equal to a text of the request.
  let start = "{{";
  for (const sent = JSON.stringify(exchange.request); sent.includes(start);) start += "_";
  const placeholder = new RegExp(`${start}([A-Z][A-Z\\d_]*)\\}\\}`);
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  const redactSecret = (value: string, kind: string): string => {
    const known = names.get(value);
    if (known !== undefined) return `${start}${known}}}`;
    const name = variableName(kind);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    names.set(value, count === 1 ? name : `${name}_${count}`);
    return `${start}${names.get(value)}}}`;
  };
  const redacted = redactExchange(exchange, { redactSecret });
  const { request } = redacted;
  const lines = [
    ...methodOption(request),
    target(request, exchangeUrl(redacted, origin), placeholder),
    ...credentials(exchange.request, request, placeholder),
    ...headers(exchange.request, request, placeholder),
    ...data(request, placeholder),
  ];
  const command = `curl -i ${lines.join(" \\\n  ")}`;
  if (command.includes("\0")) return undefined;
  const used = [...names.values()].filter((name) => new RegExp(`\\$${name}\\b`).test(command));
  return used.length === 0 ? command : `# Set first: ${used.map((name) => `${name}=…`).join(" ")}\n${command}`;
}

/** Whether the whole body of a request was recorded. The server does not read every body, for example of an error. */
export function isRecordedWhole({ headers, body = "" }: RecordedRequest): boolean {
  const bytes = new TextEncoder().encode(body).byteLength;
  if (bytes >= maxCapturedBodyBytes) return false;
  if (headers["transfer-encoding"] !== undefined) return bytes > 0;
  return Number(headers["content-length"] ?? bytes) === bytes;
}

/** Maximum length of a name. */
const maxNameChars = 30;

/** The name of the variable for a kind of secret: none that a shell uses itself. */
function variableName(kind: string): string {
  const name = kind.toUpperCase().replace(/[^A-Z\d]+/g, "_").replace(/^_|_$/g, "");
  return name === "USER" ? "USER_NAME" : (/^[A-Z]/.test(name) ? name : `SECRET_${name}`).slice(0, maxNameChars);
}

/** Text that means the same in double quotes, with a variable in it. */
const plain = /^[\w ./:=,@%-]*$/;

/** A shell word: text in quotes, with the variables instead of their placeholders. */
function word(
  text: string,
  placeholder: Placeholder,
  encode: (literal: string) => string = (literal) => literal,
): string {
  // Every second part is the name of a variable.
  const parts = text.split(placeholder)
    .map((part, i) => ({ isVariable: i % 2 === 1, text: i % 2 === 1 ? `$${part}` : encode(part) }))
    .filter((part) => part.text !== "");
  if (!parts.some(({ isVariable }) => isVariable)) return bashQuote(parts.map((part) => part.text).join(""));
  const isPlain = parts.every((part, i) =>
    part.isVariable || plain.test(part.text) && !(/^\w/.test(part.text) && parts[i - 1]?.isVariable)
  );
  if (isPlain) return `"${parts.map((part) => part.text).join("")}"`;
  return parts.map((part) => part.isVariable ? `"${part.text}"` : bashQuote(part.text)).join("");
}

function methodOption({ method, form, body }: RecordedRequest): string[] {
  if (method === "HEAD") return ["--head"];
  const implied = form.length > 0 || body ? "POST" : "GET";
  return method === implied ? [] : [`-X ${bashQuote(method)}`];
}

/** The URL; without a body, {@link data} adds the query. */
function target({ path, query, form, body }: RecordedRequest, url: string, placeholder: Placeholder): string {
  const isPathAsIs = /^\/\/|\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path);
  const flags = [/[[\]{}]/.test(url) ? "--globoff " : "", isPathAsIs ? "--path-as-is " : ""];
  const sentQuery = form.length > 0 || body
    ? query.map(([name, value], i) =>
      word(`${i === 0 ? "?" : "&"}${encodeName(name, placeholder)}=`, placeholder) + encodedWord(value, placeholder)
    )
    : [];
  return flags.join("") + word(url, placeholder) + sentQuery.join("");
}

/** A percent-encoded value after another word; nothing if it is empty. */
function encodedWord(value: string, placeholder: Placeholder): string {
  return value && word(value, placeholder, encodeFormValue);
}

function credentials(recorded: RecordedRequest, { headers }: RecordedRequest, placeholder: Placeholder): string[] {
  if (findBasicCredentials(recorded) === undefined) return [];
  // Redaction decodes them; the client ID is sent encoded (RFC 6749 §2.3.1).
  const [, user = "", password = ""] = /^Basic ([^]*):([^:]*)$/.exec(headers.authorization!) ?? [];
  const encode = (text: string) => encodeFormValue(text.replace(/:$/, "")) + (text.endsWith(":") ? ":" : "");
  return [`-u ${word(`${user}:${password}`, placeholder, encode)}`];
}

function headers(
  recorded: RecordedRequest,
  { headers, form, body }: RecordedRequest,
  placeholder: Placeholder,
): string[] {
  return sentHeaders.flatMap((name) => {
    const value = headers[name];
    if (name === "content-type") {
      if (value === undefined) return form.length > 0 || body ? [`-H 'content-type:'`] : [];
      if (value === formType && (form.length > 0 || body)) return [];
    }
    // curl sends this one by itself.
    if (name === "accept" && value === "*/*") return [];
    if (value === undefined || name === "authorization" && findBasicCredentials(recorded) !== undefined) return [];
    // With a colon, curl would leave the header out.
    return [`-H ${word(value === "" ? `${name};` : `${name}: ${value}`, placeholder)}`];
  });
}

function data({ query, form, body }: RecordedRequest, placeholder: Placeholder): string[] {
  if (form.length > 0) return fieldOptions(form, placeholder);
  if (body) return [`--data-raw ${word(body, placeholder)}`];
  return query.length === 0 ? [] : ["-G", ...fieldOptions(query, placeholder)];
}

/** One option for each field. curl encodes the value after the first equals sign. */
function fieldOptions(fields: Fields, placeholder: Placeholder): string[] {
  return fields.map(([name, value]) => {
    // curl takes a missing name for a value alone.
    if (name === "") return `--data-raw '='${encodedWord(value, placeholder)}`;
    return `--data-urlencode ${word(`${encodeName(name, placeholder)}=${value}`, placeholder)}`;
  });
}

/** Encodes a name, without the placeholders in it. */
function encodeName(name: string, placeholder: Placeholder): string {
  const parts = name.split(new RegExp(`(${placeholder.source})`));
  return parts.flatMap((part, i) => i % 3 === 2 ? [] : i % 3 === 1 ? part : encodeFormValue(part)).join("");
}
