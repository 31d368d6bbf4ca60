/** Request and response of an exchange as names and values. */

import type { Exchange, RecordedRequest, RecordedResponse } from "../../recorder/exchange.ts";
import { reasonPhrases } from "../../platform/http/reason_phrases.ts";
import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import { parseJsonMembers } from "../../recorder/record_response.ts";
import type { JwtContent } from "../../server/pages/decoded_token.tsx";
import type { MessageDetails, MessageField } from "./pages/props.ts";

type Fields = RecordedRequest["query"];

/** A value in its original and its redacted form. */
export interface Masked<T> {
  readonly original: T;
  readonly masked: T;
}

export interface DisplayOptions {
  readonly secrets: boolean;
  /** The server's clock, in milliseconds since the epoch. */
  readonly now: number;
}

export function requestMessage({ original, masked }: Masked<Exchange>, options: DisplayOptions): MessageDetails {
  const { method, path, body } = (options.secrets ? original : masked).request;
  const { query, form } = original.request;
  const part = (title: string, pick: (request: RecordedRequest) => Fields) =>
    messagePart(
      query.length > 0 && form.length > 0 ? title : undefined,
      { original: pick(original.request), masked: pick(masked.request) },
      options,
    );
  return {
    line: `${method} ${path}`,
    headers: messageFields(maskedHeaders(original.request, masked.request), options),
    parts: [...part("In the query", ({ query }) => query), ...part("In the body", ({ form }) => form)],
    ...original.request.form.length === 0 && body !== undefined && { text: body },
  };
}

/** The response. Bodies of HTML pages are left out. */
export function responseMessage(
  { original, masked }: Masked<Exchange>,
  options: DisplayOptions,
): MessageDetails | undefined {
  if (original.response === undefined || masked.response === undefined) return undefined;
  const responses = { whole: original.response, masked: masked.response };
  const { status, body, authorizationResponse } = options.secrets ? responses.whole : responses.masked;
  const part = (title: string | undefined, pick: (response: RecordedResponse) => Fields) =>
    messagePart(title, { original: pick(responses.whole), masked: pick(responses.masked) }, options);
  const bodyParts = part(
    authorizationResponse && "In the body",
    (response) =>
      Object.entries(parseJsonMembers(response)).map(([k, v]) => [k, typeof v === "string" ? v : JSON.stringify(v)]),
  );
  return {
    line: `${status} ${reasonPhrases[status] ?? ""}`.trim(),
    headers: messageFields(maskedHeaders(responses.whole, responses.masked), options).filter(({ name }) =>
      // The parameters of the authorization response follow one by one.
      authorizationResponse === undefined || name !== "location"
    ),
    parts: [
      ...part(
        `Sent to ${authorizationResponse?.uri}`,
        ({ authorizationResponse }) => authorizationResponse?.params ?? [],
      ),
      ...bodyParts,
    ],
    // Redaction removes HTML pages.
    ...bodyParts.length === 0 && body && responses.masked.body !== undefined && { text: body },
  };
}

function messagePart(
  title: string | undefined,
  fields: Masked<Fields>,
  options: DisplayOptions,
): MessageDetails["parts"] {
  return fields.original.length === 0
    ? []
    : [{ ...title !== undefined && { title }, sent: messageFields(fields, options) }];
}

type WithHeaders = { readonly headers: Readonly<Record<string, string>> };

function maskedHeaders(original: WithHeaders, masked: WithHeaders): Masked<Fields> {
  return { original: Object.entries(original.headers), masked: Object.entries(masked.headers) };
}

/** Redaction keeps the order of the fields. */
function messageFields({ original, masked }: Masked<Fields>, { secrets }: DisplayOptions): MessageField[] {
  return original.map(([name, value], i) => {
    const [maskedName = "", maskedValue = ""] = masked[i] ?? [];
    // A signed authorization response contains the code; its parameters follow one by one.
    const jwt = name === "response" ? undefined : decodeJwt(value);
    return {
      name: secrets ? name : maskedName,
      value: secrets ? value : maskedValue,
      masked: maskedValue !== value,
      ...jwt && { jwt },
    };
  });
}

/** The number of secret values in a message. */
export function countMasked({ headers, parts }: MessageDetails): number {
  return [...headers, ...parts.flatMap(({ sent: fields }) => fields)].filter(({ masked }) => masked).length;
}

/** Three base64url parts, canonical or not. */
const compactJws = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Decodes a JWT for display, without verification; `undefined` if the text is not a JWT. */
export function decodeJwt(token: string): JwtContent | undefined {
  if (!compactJws.test(token)) return undefined;
  const header = decodeJwtPart(token, 0);
  return header.alg === undefined ? undefined : { header, claims: decodeJwtPart(token, 1) };
}
