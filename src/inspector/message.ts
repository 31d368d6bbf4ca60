/** The two sides of an exchange, taken apart into names and values. */

import type { Exchange, RecordedAnswer, RecordedRequest } from "../recorder/exchange.ts";
import { membersOf } from "../recorder/read_response.ts";
import type { Decoded, Message, Sent } from "../ui/flows/props.ts";
import { readJwt } from "./jwt.ts";
import { fromNow } from "./labels.ts";

type Fields = RecordedRequest["query"];

/** The same thing twice: as it was, and with its secrets masked. */
export interface Both<T> {
  readonly whole: T;
  readonly masked: T;
}

/** How values are shown. */
export interface Showing {
  /** Whether secrets are. */
  readonly secrets: boolean;
  /** The server's clock, in milliseconds since the epoch. */
  readonly now: number;
}

/** The request. */
export function requestOf({ whole, masked }: Both<Exchange>, showing: Showing): Message {
  const { method, path, body } = (showing.secrets ? whole : masked).request;
  const part = (title: string, pick: (request: RecordedRequest) => Fields) =>
    partOf(title, { whole: pick(whole.request), masked: pick(masked.request) }, showing);
  return {
    line: `${method} ${path}`,
    headers: sentIn(headersOf(whole.request, masked.request), showing),
    parts: [
      ...part("In the query", ({ query }) => query),
      ...part("In the body", ({ form }) => form),
    ],
    ...whole.request.form.length === 0 && body !== undefined && { text: body },
  };
}

/** The answer. Of a page only the head is shown: it can be seen wherever it was asked for. */
export function answerOf({ whole, masked }: Both<Exchange>, showing: Showing): Message | undefined {
  if (whole.answer === undefined || masked.answer === undefined) return undefined;
  const answers = { whole: whole.answer, masked: masked.answer };
  const { status, body, handover } = showing.secrets ? answers.whole : answers.masked;
  const part = (title: string, pick: (answer: RecordedAnswer) => Fields) =>
    partOf(title, { whole: pick(answers.whole), masked: pick(answers.masked) }, showing);
  const inBody = part("In the body", (answer) => Object.entries(membersOf(answer)).map(([k, v]) => [k, textOf(v)]));
  return {
    line: `${status} ${phrases[status] ?? ""}`.trim(),
    headers: sentIn(headersOf(answers.whole, answers.masked), showing).filter(({ name }) =>
      // What is sent on stands there already, name by name.
      handover === undefined || name !== "location"
    ),
    parts: [...part(`Sent on to ${handover?.uri}`, ({ handover }) => handover?.params ?? []), ...inBody],
    // Masking leaves pages out.
    ...inBody.length === 0 && body && answers.masked.body !== undefined && { text: body },
  };
}

const phrases: Readonly<Record<number, string>> = {
  200: "OK",
  302: "Found",
  303: "See Other",
  304: "Not Modified",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

function partOf(title: string, fields: Both<Fields>, showing: Showing): Message["parts"] {
  return fields.whole.length === 0 ? [] : [{ title, sent: sentIn(fields, showing) }];
}

type Headed = { readonly headers: Readonly<Record<string, string>> };

function headersOf(whole: Headed, masked: Headed): Both<Fields> {
  return { whole: Object.entries(whole.headers), masked: Object.entries(masked.headers) };
}

/** Masking changes values and leaves their order alone. */
function sentIn({ whole, masked }: Both<Fields>, { secrets, now }: Showing): Sent[] {
  return whole.map(([name, value], i) => {
    const [hidden = "", shown = ""] = masked[i] ?? [];
    const jwt = readJwt(value);
    return {
      name: secrets ? name : hidden,
      value: secrets ? value : shown,
      masked: shown !== value,
      ...jwt && { jwt: { header: claimsOf(jwt.header, now), claims: claimsOf(jwt.claims, now) } },
    };
  });
}

const times = ["exp", "iat", "nbf", "auth_time"];

function claimsOf(members: Readonly<Record<string, unknown>>, now: number): Decoded["claims"] {
  return Object.entries(members).map(([name, value]) => {
    const at = times.includes(name) && typeof value === "number" ? value * 1000 : undefined;
    const isTime = at !== undefined && Math.abs(at) <= 8.64e15;
    return {
      name,
      value: textOf(value),
      ...isTime && { words: `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC, ${fromNow(at, now)}` },
    };
  });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** How many values of a message are secrets. */
export function countMasked({ headers, parts }: Message): number {
  return [...headers, ...parts.flatMap(({ sent }) => sent)].filter(({ masked }) => masked).length;
}
