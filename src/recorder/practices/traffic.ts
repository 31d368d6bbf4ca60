/** The recorded traffic of one client, sorted by what it sent. */

import type { Fields } from "../../core/http/form.ts";
import type { ClientMetadata } from "../../server/config/client_metadata.ts";
import type { Exchange } from "../exchange.ts";
import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import { findParam } from "../record_request.ts";
import { parseJsonMembers } from "../record_response.ts";

/** What was recorded of one client at one server. */
export interface Recording {
  readonly issuer: string;
  /** The exchanges, oldest first, secrets included. */
  readonly exchanges: readonly Exchange[];
  /** The client as it is registered. Default: unknown. */
  readonly client?: Partial<ClientMetadata>;
}

/** Facts about the client that its traffic does not show. */
export interface TrafficFacts {
  /** Whether the client rejects an authorization response of another issuer. Default: unknown. */
  readonly rejectsWrongIssuer?: boolean;
  /** Further exchanges of the client, each list from one login in which requests failed. Default: none. */
  readonly failures?: readonly (readonly Exchange[])[];
}

/** An authorization request: its parameters, wherever they were sent. */
export interface SentAuthorizationRequest {
  /** The exchange at the authorization endpoint. */
  readonly exchange: Exchange;
  readonly pushed?: Exchange;
  /** The issuer that received it. */
  readonly issuer: string;
  /** A parameter: of the request, the pushed request or the request object. */
  get(name: string): string | undefined;
}

export interface SentTokenRequest {
  readonly exchange: Exchange;
  readonly issuer: string;
  readonly grantType: string;
  /** A field of the form. */
  get(name: string): string | undefined;
  /** The members of the response; empty without one. */
  readonly response: Readonly<Record<string, unknown>>;
}

export interface Traffic {
  /** What was recorded, one for each server. */
  readonly recordings: readonly Recording[];
  readonly facts: TrafficFacts;
  /** The requests of the client itself, not those of the browser, oldest first. */
  readonly requests: readonly { readonly exchange: Exchange; readonly issuer: string }[];
  /** Every exchange, oldest first. */
  readonly exchanges: readonly Exchange[];
  readonly authorizations: readonly SentAuthorizationRequest[];
  readonly tokenRequests: readonly SentTokenRequest[];
  /** The authorization request whose response has a code. */
  authorizationOf(code: string): SentAuthorizationRequest | undefined;
}

/** Sorts the recorded exchanges. */
export function readTraffic(all: readonly Recording[], facts: TrafficFacts = {}): Traffic {
  const recordings = withDistinctNumbers(all);
  const exchanges = recordings.flatMap((recording) => recording.exchanges);
  const tokenRequests = recordings.flatMap(readTokenRequests);
  const authorizations = recordings.flatMap((recording) => readAuthorizations(recording, tokenRequests));
  return {
    recordings,
    facts,
    exchanges,
    requests: recordings.flatMap(({ issuer, exchanges }) =>
      exchanges.filter(({ caller }) => caller !== "browser").map((exchange) => ({ exchange, issuer }))
    ),
    authorizations,
    tokenRequests,
    authorizationOf: (code) => findAuthorization(code, authorizations, exchanges),
  };
}

/** Renumbers exchanges and flows, which count from 1 at each server, so that those of two servers differ. */
function withDistinctNumbers(recordings: readonly Recording[]): readonly Recording[] {
  let offset = 0;
  return recordings.map((recording, index) => {
    const before = offset;
    offset += recording.exchanges.at(-1)?.number ?? 0;
    return before === 0 ? recording : {
      ...recording,
      exchanges: recording.exchanges.map((exchange) => ({
        ...exchange,
        number: exchange.number + before,
        ...exchange.newestAtResponse !== undefined && { newestAtResponse: exchange.newestAtResponse + before },
        ...exchange.flow !== undefined && { flow: `${index + 1}.${exchange.flow}` },
      })),
    };
  });
}

function readTokenRequests({ issuer, exchanges }: Recording): SentTokenRequest[] {
  return exchanges.filter(({ endpoint }) => endpoint === "token").map((exchange) => ({
    exchange,
    issuer,
    grantType: findParam(exchange.request, "grant_type") ?? "",
    get: (name) => findParam(exchange.request, name),
    response: membersOf(exchange),
  }));
}

/** The members of a JSON response; empty without one. */
export function membersOf({ response }: Exchange): Readonly<Record<string, unknown>> {
  return response === undefined ? {} : parseJsonMembers(response);
}

function readAuthorizations(
  { issuer, exchanges }: Recording,
  tokenRequests: readonly SentTokenRequest[],
): SentAuthorizationRequest[] {
  const pushes = new Map(
    exchanges.filter(({ endpoint }) => endpoint === "par")
      .map((exchange) => [membersOf(exchange).request_uri, exchange]),
  );
  const authorizations = exchanges
    .filter(({ endpoint, request }) =>
      endpoint === "authorize" && request.method !== "HEAD" && findParam(request, "interaction") === undefined
    )
    .map((exchange): SentAuthorizationRequest => {
      const pushed = pushes.get(findParam(exchange.request, "request_uri"));
      const get = parameterReader([...pushed === undefined ? [] : [pushed], exchange]);
      return { exchange, issuer, ...pushed && { pushed }, get };
    });
  return withoutReloads(authorizations, tokenRequests);
}

/** Reads a parameter from the request object, or else from the first request that has it. */
function parameterReader(exchanges: readonly Exchange[]): (name: string) => string | undefined {
  const requestObject = exchanges.map(({ request }) => findParam(request, "request")).find((jwt) => jwt !== undefined);
  const claims = requestObject === undefined ? {} : decodeJwtPart(requestObject, 1);
  return (name) => {
    const claim = Object.hasOwn(claims, name) ? claims[name] : undefined;
    if (claim !== undefined) return typeof claim === "string" ? claim : JSON.stringify(claim);
    return exchanges.map(({ request }) => findParam(request, name)).find((value) => value !== undefined);
  };
}

/**
 * Leaves out authorization requests that the browser repeated because the user reloaded the page. If the codes of both
 * requests were exchanged, the client sent both.
 */
function withoutReloads(
  authorizations: readonly SentAuthorizationRequest[],
  tokenRequests: readonly SentTokenRequest[],
): SentAuthorizationRequest[] {
  const exchangedFlows = new Set(
    tokenRequests.filter(({ grantType }) => grantType === "authorization_code").map(({ exchange }) => exchange.flow),
  );
  const first = new Map<string, SentAuthorizationRequest>();
  return authorizations.filter((authorization) => {
    const { query, form } = authorization.exchange.request;
    const key = JSON.stringify([...query, ...form]);
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, authorization);
    return earlier === undefined ||
      [earlier, authorization].every(({ exchange }) => exchangedFlows.has(exchange.flow));
  });
}

function findAuthorization(
  code: string,
  authorizations: readonly SentAuthorizationRequest[],
  exchanges: readonly Exchange[],
): SentAuthorizationRequest | undefined {
  const delivery = exchanges.find(({ response }) =>
    response?.authorizationResponse?.params.some(([name, value]) => name === "code" && value === code)
  );
  if (delivery === undefined) return undefined;
  return authorizations.find(({ exchange }) => exchange.number === delivery.number) ??
    authorizations.find(({ exchange }) => exchange.flow !== undefined && exchange.flow === delivery.flow);
}

/** A value of a JSON document as text. Unlike `String`, it never throws. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value) ?? "absent";
}

/** Whether the second exchange began while the first one was pending. */
export function overlaps(first: Exchange, second: Exchange): boolean {
  return first.number < second.number && second.number <= (first.newestAtResponse ?? Infinity);
}

/** The parameters of a request: query and form. */
export function sentParameters({ request }: Exchange): Fields {
  return [...request.query, ...request.form];
}

/** Whether a text looks like the name of a parameter. Findings quote no other name: it may contain secrets. */
export function isPlainName(name: string): boolean {
  return /^[\w.-]{1,64}$/.test(name);
}
