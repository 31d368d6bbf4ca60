/** Parses the fields of a request: a query string, or a form with limits for its size and duration. */

import { findForRequest, HttpError, type HttpRequest } from "./message.ts";
import { timers } from "./timers.ts";

/** @internal Decoded names and values, in the order of the request. */
export type Fields = readonly (readonly [name: string, value: string])[];

/** Maximum size of a form, in bytes. */
export const maxBodyBytes = 64 * 1024;

/** Maximum number of parameters in a query or a form. */
const maxFields = 1000;

/** Maximum duration of receiving a body, in milliseconds of real time. */
export const bodyTimeoutMs = 10_000;

/** The media type of a form. */
export const formTypePattern = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i;

/**
 * Decodes `application/x-www-form-urlencoded` text strictly. It rejects an invalid percent sequence or invalid UTF-8,
 * because a repaired value might match another one (OAuth 2.1 Appendix B).
 *
 * @throws {HttpError} 400, also for too many parameters.
 */
export function parseFields(text: string): Fields {
  const fields: [string, string][] = [];
  const mayBeSlices = text.length <= maxSlicedLength;
  for (const part of text.split("&")) {
    if (part === "") continue;
    if (fields.length === maxFields) {
      throw new HttpError(400, "HT-20", `There must not be more than ${maxFields} parameters`);
    }
    const equals = part.indexOf("=");
    const name = equals < 0 ? part : part.slice(0, equals);
    const value = equals < 0 ? "" : part.slice(equals + 1);
    const decodedName = decode(name, mayBeSlices);
    fields.push([decodedName, decode(value, mayBeSlices, decodedName)]);
  }
  return fields;
}

/**
 * Reads the form in a request's body.
 *
 * @throws {HttpError} 400 for another media type or broken encoding, 408, 413, 415 for a content coding.
 */
export async function readForm(request: HttpRequest): Promise<Fields> {
  if (!isForm(request)) {
    const received = describeContentType(request);
    const expected = "application/x-www-form-urlencoded";
    throw new HttpError(400, "TK-02", `The body must be ${expected}`, { expected, received });
  }
  rejectContentCoding(request);
  return parseFields(await (findForRequest(bodyTexts, request) ?? readText(request)));
}

/** The received `content-type`, for messages: at most 100 characters. */
export function describeContentType({ headers }: HttpRequest): string {
  const type = headers.get("content-type") ?? "no Content-Type";
  return type.length > 100 ? `${type.slice(0, 100)}…` : type;
}

export function rejectContentCoding({ headers }: HttpRequest): void {
  const coding = headers.get("content-encoding");
  if (coding === null || coding.toLowerCase() === "identity") return;
  throw new HttpError(415, "HT-13", "The body must not be compressed: Content-Encoding may only be identity");
}

export function isForm(request: HttpRequest): boolean {
  return formTypePattern.test(request.headers.get("content-type") ?? "");
}

/** The texts of bodies that plugins have read or replaced; {@link readForm} reads them again. */
export const bodyTexts = new WeakMap<HttpRequest, Promise<string>>();

/** Reads the text of a body, whatever its content coding. */
export async function readText(request: HttpRequest): Promise<string> {
  const { headers } = request;
  const contentLength = headers.get("content-length");
  if (Number(contentLength ?? 0) > maxBodyBytes) {
    request.body?.cancel().catch(() => {});
    throw tooLarge();
  }
  if (request.bodyUsed) throw new HttpError(400, "HT-09", "The body was already read");
  // With a `content-length`, the transport limits the size of the body.
  const isLengthKnown = contentLength !== null && headers.get("transfer-encoding") === null;
  try {
    const parts = isLengthKnown ? [await withBodyTimeout(request.bytes())] : await readInParts(request);
    // Without a transport, `content-length` may be wrong.
    if (isLengthKnown && parts[0]!.byteLength > maxBodyBytes) throw tooLarge();
    return decodeText(parts);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw new HttpError(400, "HT-09", "The body is incomplete: the connection broke off, or the server is stopping");
  }
}

/** The body; rejects with 408 if it arrives too late. */
function withBodyTimeout<T>(body: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = timers.setTimeout(
      () => reject(new HttpError(408, "HT-09", `The body must arrive within ${bodyTimeoutMs / 1000} seconds`)),
      bodyTimeoutMs,
    );
    const finish = (outcome: () => void) => {
      timers.clearTimeout(timer);
      outcome();
    };
    body.then((read) => finish(() => resolve(read)), (cause) => finish(() => reject(cause)));
  });
}

async function readInParts({ body }: HttpRequest): Promise<readonly Uint8Array[]> {
  if (body === null) return [];
  const reader = body.getReader();
  try {
    return await withBodyTimeout(readAll(reader));
  } catch (error) {
    reader.cancel().catch(() => {});
    throw error;
  }
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<readonly Uint8Array[]> {
  const parts: Uint8Array[] = [];
  let size = 0;
  while (true) {
    const { done, value } = await reader.read();
    if (done) return parts;
    size += value.byteLength;
    if (size > maxBodyBytes) throw tooLarge();
    parts.push(value);
  }
}

function tooLarge(): HttpError {
  return new HttpError(413, "HT-07", `The body must not be larger than ${maxBodyBytes} bytes`);
}

const strictDecoding = { fatal: true, ignoreBOM: true };

/** Decodes complete texts, without state between calls. */
const wholeDecoder = new TextDecoder("utf-8", strictDecoding);

function decodeText(parts: readonly Uint8Array[]): string {
  try {
    if (parts.length === 1) return wholeDecoder.decode(parts[0]);
    const decoder = new TextDecoder("utf-8", strictDecoding);
    return parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
  } catch {
    throw new HttpError(400, "HT-10", "The body must be UTF-8");
  }
}

/** Maximum length of a text whose values are slices, in characters. A slice keeps the whole text in memory. */
const maxSlicedLength = 1024;

/** Decodes a name, or the value of a name; `mayBeSlice` allows a text that needs no decoding to remain a slice. */
function decode(text: string, mayBeSlice: boolean, name?: string): string {
  if (mayBeSlice && !text.includes("%") && !text.includes("+")) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    // Text that does not look like the name of a parameter may be a part of a secret, and is in no log.
    const part = name === undefined ? "a name" : /^[a-z_]{1,60}$/.test(name) ? `the value of ${name}` : "a value";
    throw new HttpError(400, "HT-10", "Names and values must be percent-encoded UTF-8", {
      expected: "percent-encoded UTF-8, such as %25 for a percent sign",
      received: `${part} that is not`,
    });
  }
}
