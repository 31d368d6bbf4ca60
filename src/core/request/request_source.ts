/**
 * Sources of the parameters of an authorization request besides the request itself. Extensions implement them. The
 * server is a type parameter, because `server.ts` imports these types.
 */

import type { FurtherAccess } from "../store/store.ts";
import type { Client } from "../clients/repository.ts";
import type { OAuthError } from "../errors.ts";
import type { MaybePromise } from "../maybe_promise.ts";
import type { Params } from "../params.ts";
import { reject } from "../reject.ts";

/** A parameter by which a request names another source of its parameters (OpenID Connect Core §6). */
export type SourceParameter = "request" | "request_uri";

export interface RequestOrigin {
  /** The id of the stored request that the response completes; absent if the request was not stored. */
  readonly storedRequest?: string;
  /** Whether the client signed the request (RFC 9101); absent: no. */
  readonly isSigned?: boolean;
  /**
   * Why the source cannot be used. The parameters are then those outside the source, and the client receives the error.
   */
  readonly rejection?: OAuthError;
}

export interface ResolvedRequest {
  readonly params: Params;
  readonly origin: RequestOrigin;
}

/** @internal A source of the parameters of an authorization request. */
export interface RequestSource<Server> {
  /** The parameter by which it recognizes a request. */
  readonly parameter: SourceParameter;
  /** The prefix of the values of the parameter. Default: any value. */
  readonly prefix?: string;
  /**
   * Reads the parameters. It changes nothing, so that a user may reload the page.
   *
   * @param received The parameters that the authorization endpoint received.
   * @param unrepeatable See `paramsFromFields`.
   * @throws {OAuthError} An error for the user; errors for the client are in the result.
   */
  read(server: Server, received: Params, unrepeatable: ReadonlySet<string>): Promise<ResolvedRequest>;
  /**
   * Verifies the parameters that an authenticated client has signed. Default: the source has no signed parameters.
   *
   * @throws {OAuthError} If they are invalid.
   */
  readSigned?(server: Server, client: Client, received: Params): Promise<[name: string, value: string][]>;
  /** The requests that the source has stored. Default: none. */
  readonly stored?: StoredRequests<Server>;
}

/** Requests that are stored before a user logs in; the destination of their response has their id. */
export interface StoredRequests<Server> {
  /**
   * Keeps a request while its user logs in.
   *
   * @param address The network address of the user; absent if unknown.
   */
  keep(server: Server, client: Client, id: string, address: string | undefined): Promise<void>;
  /**
   * Consumes a request, just before the response to it is sent. Of concurrent calls one succeeds.
   *
   * @throws {OAuthError} For every other call. The user sees the error, because the client already has a response.
   */
  consume(server: Server, id: string): Promise<void>;
  /**
   * The access besides scope of a stored request, which the browser does not carry; `undefined` if the request has
   * expired.
   */
  findAccess(server: Server, id: string): Promise<FurtherAccess | undefined>;
}

interface WithSources<Server> {
  readonly requestParts: { readonly sources: readonly RequestSource<Server>[] };
}

/**
 * The stored requests of a server, for a destination that names one.
 *
 * @throws {OAuthError} If the server no longer stores requests.
 */
export function storedRequests<Server>({ requestParts }: WithSources<Server>): StoredRequests<Server> {
  const { stored } = requestParts.sources.find((source) => source.stored !== undefined) ?? {};
  if (stored === undefined) throw reject("JR-01", { parameter: "request_uri", problem: "gone" }, { forUser: true });
  return stored;
}

/**
 * Finds the parameters of a request. It changes nothing, so that a user may reload the page. No `request_uri` is ever
 * fetched (SSRF).
 *
 * @param received The parameters that the authorization endpoint received.
 * @param unrepeatable See `paramsFromFields`.
 * @throws {OAuthError} An error of the source for the user.
 */
export function resolveRequest<Server extends WithSources<Server>>(
  server: Server,
  received: Params,
  unrepeatable: ReadonlySet<string>,
): MaybePromise<ResolvedRequest> {
  const [parameter, ...others] = (["request", "request_uri"] as const).filter((name) =>
    received.get(name) !== undefined
  );
  if (parameter === undefined) return { params: received, origin: {} };
  const source = server.requestParts.sources.find((source) => source.parameter === parameter);
  const isKnown = source !== undefined && received.get(parameter)!.startsWith(source.prefix ?? "");
  if (isKnown && others.length === 0) return source.read(server, received, unrepeatable);
  const rejection = others.length > 0
    ? reject("JR-01", { parameter, problem: "both" })
    : unsupportedSource(server, parameter);
  return { params: received, origin: { rejection } };
}

/** The error of a request whose parameters are in a source that the server does not have. */
export function unsupportedSource(
  { requestParts }: WithSources<unknown>,
  parameter: SourceParameter,
): OAuthError {
  const { prefix } = requestParts.sources.find((source) => source.parameter === parameter) ?? {};
  return reject("JR-01", { parameter, problem: "unsupported", prefix });
}
