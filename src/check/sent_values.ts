/** What an attack sent instead of what the server sends without it. */

import { isDeeperThan } from "../core/http/json_value.ts";
import { parseJsonObject } from "../platform/http/json_body.ts";
import type { Exchange } from "../recorder/exchange.ts";
import { decodeJwtPart } from "../platform/http/jwt_part.ts";
import { findParam } from "../recorder/record_request.ts";
import { redactTextAbout } from "../recorder/redact.ts";
import { withoutServerNumber } from "./journeys.ts";

/** The number of values that are named for one exchange. */
const maxValues = 4;

/** The longest value that is written as a whole, in characters. */
const maxValueChars = 120;

/** By how many seconds a time must differ to be a value of the attack. */
const timeToleranceSeconds = 300;

/** A value of a response. */
interface Sent {
  /** As it was sent. */
  readonly text: string;
  /** Without what differs in each login: equal values are the same for a client. */
  readonly compared: string;
}

/**
 * The values of the responses that a fault changed and that differ from those without an attack, such as
 * `token: id_token.aud: "another-client" instead of "shop"`. Empty if only a signature differs, or no response.
 *
 * @param exchanges The exchanges since the attack began, secrets included.
 * @param reference The exchanges without an attack.
 */
export function describeSent(exchanges: readonly Exchange[], reference: readonly Exchange[]): string[] {
  const lines = exchanges.filter(({ faults, response }) => faults.length > 0 && response !== undefined)
    .flatMap((exchange) => {
      const usual = reference.findLast((other) => isAlike(other, exchange));
      if (usual === undefined) return [];
      const redact = (text: string) => redactTextAbout(text, [...exchanges, ...reference]);
      return describeDifferences(exchange, valuesOf(exchange, exchanges), valuesOf(usual, reference), redact);
    });
  return [...new Set(lines)];
}

function isAlike(one: Exchange, other: Exchange): boolean {
  return one.endpoint === other.endpoint && one.response !== undefined && one.faults.length === 0 &&
    findParam(one.request, "grant_type") === findParam(other.request, "grant_type");
}

type Values = ReadonlyMap<string, Sent>;

function describeDifferences(
  { endpoint }: Exchange,
  sent: Values,
  usual: Values,
  redact: (text: string) => string,
): string[] {
  const format = ({ text }: Sent) => redact(shorten(text));
  const changed = [...sent].flatMap(([name, value]) => {
    const before = usual.get(name);
    if (before?.compared === value.compared) return [];
    return [`${name}: ${format(value)}${before === undefined ? "" : ` instead of ${format(before)}`}`];
  });
  // A response of another kind lacks every member of the usual one.
  const isSameKind = ["status", "media type"].every((name) => usual.get(name)?.compared === sent.get(name)?.compared);
  const hasIdToken = [...sent.keys()].some(isInIdToken);
  const wholeName = (name: string) => !hasIdToken && isInIdToken(name) ? "id_token" : name;
  const missing = [...new Set([...usual.keys()].map(wholeName))].filter((name) => !sent.has(name))
    .map((name) => `${name}: missing`);
  const all = [...changed, ...isSameKind ? missing : []];
  const more = all.length > maxValues ? [`and ${all.length - maxValues} more`] : [];
  return all.length === 0 ? [] : [`${endpoint}: ${[...all.slice(0, maxValues), ...more].join(", ")}`];
}

/** Whether a name is that of a header member or a claim of the ID token. */
const isInIdToken = (name: string): boolean => /^id_token[ .]/.test(name);

const shorten = (text: string): string =>
  text.length > maxValueChars ? `${text.slice(0, maxValueChars)}… (${text.length} characters)` : text;

/** The values of a response, by name. */
function valuesOf(exchange: Exchange, exchanges: readonly Exchange[]): Values {
  const { status, headers, body, authorizationResponse } = exchange.response!;
  const values = new Map<string, Sent>();
  const add = (name: string, value: unknown) => values.set(name, toSent(name, value, exchange, exchanges));
  if (authorizationResponse !== undefined) {
    add("URI", authorizationResponse.uri);
    for (const [name, value] of authorizationResponse.params) add(values.has(name) ? `second ${name}` : name, value);
    return values;
  }
  add("status", status);
  if (headers.location !== undefined) add("redirect", headers.location);
  if (body === undefined) return values;
  add("media type", headers["content-type"] ?? null);
  const members = parseJsonObject(body);
  if (members === undefined) add("body", body);
  for (const [name, value] of Object.entries(members ?? {})) {
    if (name !== "id_token" || typeof value !== "string") add(name, value);
    else {
      const [header, claims] = [decodeJwtPart(value, 0), decodeJwtPart(value, 1)];
      if (Object.keys({ ...header, ...claims }).length === 0) add(name, value);
      for (const [member, of] of Object.entries(header)) add(`id_token header ${member}`, of);
      for (const [claim, of] of Object.entries(claims)) add(`id_token.${claim}`, of);
    }
  }
  return values;
}

/** The parameters and claims that are random, or a digest of random values, if they have this form. */
const randomNames = [
  ...["code", "access_token", "refresh_token", "at_hash", "c_hash", "s_hash", "sid", "jti", "device_code", "user_code"],
  ...["verification_uri_complete", "request_uri", "client_id_issued_at", "registration_access_token", "client_secret"],
];

const randomPattern = /^[\w.~+/=:?-]{8,}$/;

/** Maximum depth of a value that is shown: an attack nests deeper than the stack of a runtime allows. */
const maxShownDepth = 50;

function toSent(name: string, value: unknown, exchange: Exchange, exchanges: readonly Exchange[]): Sent {
  const text = isDeeperThan(maxShownDepth, value) ? `more than ${maxShownDepth} levels of JSON` : JSON.stringify(value);
  const { at } = exchange;
  if (typeof value === "number" && value > 1e9 && value < 1e11) {
    const seconds = Math.round(value - at / 1000);
    const distance = Math.round(seconds / timeToleranceSeconds);
    const when = seconds < 0 ? `${-seconds} s before the response` : `${seconds} s after the response`;
    return { text: `${value} (${when})`, compared: String(distance) };
  }
  const parameter = name.replace("id_token.", "");
  const isRequested = (parameter === "state" || parameter === "nonce") &&
    exchanges.some(({ request }) => findParam(request, parameter) === value);
  if (isRequested) return { text: `the ${parameter} of the request`, compared: "" };
  const isRandom = typeof value === "string" && randomNames.includes(parameter) && randomPattern.test(value);
  return { text, compared: isRandom ? "random" : withoutServerNumber(text) };
}
