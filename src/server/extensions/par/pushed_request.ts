/**
 * Pushed authorization requests (RFC 9126). The parameters are validated when they are pushed, and again at the
 * authorization endpoint, because the client or the settings may have changed. Loaded only if a request is pushed.
 */

import { type AuthorizationDetails, detailsName } from "../../token/authorization_details.ts";
import { findDestination } from "../../../core/authorize/destination.ts";
import { parametersOf, readRequest } from "../../../core/authorize/checks.ts";
import type { RequestOrigin, ResolvedRequest } from "../../../core/authorize/request_source.ts";
import { reject as rejectByCore } from "../../../core/rules/reject.ts";
import { generationOfClient, generationOfClientId } from "../../clients/generations.ts";
import { evictBeyondBound } from "../../stored/bounded_records.ts";
import type { Client } from "../../../core/clients/clients.ts";
import type { OAuthError } from "../../../core/rules/errors.ts";
import type { AuthenticatedRequest } from "../../../core/token/grants/authenticated_request.ts";
import { type Params, paramsFromFields } from "../../../core/http/params.ts";
import { randomToken, storageKey } from "../../../core/keys/secrets.ts";
import type { Server } from "../../../core/server.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { storeOf } from "../../stored/records.ts";
import { reject, type UnusableRequestUri } from "./rules.ts";
import { storedRequest } from "../../stored/stored_requests.ts";
import { requestSignature } from "../signed_requests/settings.ts";
import { requestUriPrefix } from "./settings.ts";
import { reject as rejectProof } from "../dpop/rules.ts";
import { json } from "../../../core/http/message.ts";
import { proofKey } from "../bound_tokens/mod.ts";
import { respondWithKey } from "../dpop/respond.ts";
import { canProve } from "../dpop/settings.ts";
import { clientEndpoint } from "../../../core/token/client_endpoint.ts";
import type { Handlers } from "../../../core/route.ts";

/** Lifetime of a `request_uri`, in seconds. FAPI 2.0 demands less than 600. */
const requestUriLifetimeSeconds = 60;

/** Seconds for which a record outlives its `request_uri` while a user logs in. */
const maxLoginSeconds = 60 * 60;

/** Maximum size of the stored parameters, in characters of JSON. */
const maxStoredLength = 16 * 1024;

/** A pushed authorization request, stored under the digest of its `request_uri` (RFC 9126 §2.2). */
interface PushedRequestRecord {
  readonly clientId: string;
  /** The generation of the client; absent if it has none. */
  readonly clientGeneration?: string;
  /** The parameters of the request, without the parameters of client authentication. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** When the `request_uri` expires, in milliseconds since the epoch; the record is kept while the user logs in. */
  readonly validUntil: number;
  /** Whether the client signed it (RFC 9101); absent: no. */
  readonly isSigned?: boolean;
}

const pushedStore = storeOf<{
  /** Pushed requests, by the digest of the `request_uri`. Consumed: a response was sent. */
  pushed_request: PushedRequestRecord;
}>;

/** The response to a pushed request (RFC 9126 §2.2). */
export interface PushedRequestResponse {
  /** The reference: a URN with 256 random bits. */
  readonly request_uri: string;
  /** Its lifetime, in seconds. */
  readonly expires_in: number;
}

/**
 * Validates and stores the authorization request of an authenticated client (RFC 9126 §2.1).
 *
 * @throws {OAuthError} If the authorization endpoint would reject the parameters, or they are too large.
 */
async function pushRequest(
  server: HostedServer,
  request: AuthenticatedRequest,
): Promise<PushedRequestResponse> {
  const { client, params, connection: { address } } = request;
  const isSigned = params.get("request") !== undefined;
  // Outside a request object, only the parameters of client authentication are needed (RFC 9126 §3).
  if (params.get("client_id") === undefined && !isSigned) throw reject("PA-01", { problem: "no client_id" });
  if (params.get("request_uri") !== undefined) throw reject("PA-04");
  const received = isSigned
    ? await readSigned(server, client, params)
    : parametersOf(server.requestChecks).flatMap(({ name }) =>
      params.getAll(name).map((value) => [name, value] as const)
    );
  const provenKey = proofKey.of(request);
  const parameters = provenKey === undefined ? received : bindToKey(received, provenKey);
  const { length } = JSON.stringify(parameters);
  if (length > maxStoredLength) {
    throw reject("PA-01", { problem: "size", length, limit: maxStoredLength }, { status: 413 });
  }
  const request_uri = requestUriPrefix + randomToken(server.randomBytes);
  const id = await storageKey(server, request_uri);
  const pushed = isSigned ? paramsFromFields(parameters) : params;
  const origin = originOf(id, isSigned);
  const { destination: { mode } } = await findDestination(server, pushed, origin);
  await readRequest({ server, client, params: pushed, mode, ...origin });
  const validUntil = server.now() + requestUriLifetimeSeconds * 1000;
  const record = {
    clientId: client.id,
    clientGeneration: generationOfClient(client),
    parameters,
    validUntil,
    isSigned,
  };
  await pushedStore(server).put("pushed_request", id, record, { expiresAt: validUntil });
  await evictBeyondBound(server, client, { kind: "pushed_request", id, value: record, expiresAt: validUntil, address });
  return { request_uri, expires_in: requestUriLifetimeSeconds };
}

/** The parameters that the client has signed. */
function readSigned(server: HostedServer, client: Client, params: Params): Promise<PushedRequestRecord["parameters"]> {
  if (server.readSigned !== undefined) return server.readSigned(server, client, params);
  throw rejectByCore("JR-01", { parameter: "request", problem: "unsupported" });
}

/** Binds the code of a request to the key of the proof, as `dpop_jkt` does (RFC 9449 §10.1). */
function bindToKey(parameters: PushedRequestRecord["parameters"], provenKey: string): typeof parameters {
  const received = parameters.find(([name]) => name === "dpop_jkt")?.[1];
  if (received === undefined) return [...parameters, ["dpop_jkt", provenKey]];
  if (received === provenKey) return parameters;
  throw rejectProof("DO-08", { thumbprint: received, provenKey });
}

/**
 * Reads the pushed request that an authorization request refers to; all other parameters are ignored (RFC 9126 §4). It
 * changes nothing, so that a user may reload the page.
 *
 * @param unrepeatable See {@link paramsFromFields}.
 * @throws {OAuthError} `invalid_request_uri` if it is unknown, expired, used or of another client.
 */
export async function readPushedRequest(
  server: Server,
  params: Params,
  unrepeatable: ReadonlySet<string>,
): Promise<ResolvedRequest> {
  const repeated = ["client_id", "request_uri"].find((name) => params.isRepeated(name));
  if (repeated !== undefined) throw reject("PA-05", { problem: "repeated", repeated });
  const clientId = params.get("client_id");
  if (clientId === undefined) throw reject("PA-05", { problem: "no client_id" });
  const id = await storageKey(server, params.get("request_uri")!);
  const record = await pushedStore(server).get("pushed_request", id);
  if (record === undefined) throw unusable({ problem: "unknown" });
  const { value, consumedAt } = record;
  await assertOwnRequest(server, value, clientId);
  if (consumedAt !== undefined) throw unusable({ problem: "used", at: consumedAt });
  if (server.now() >= value.validUntil) throw unusable({ problem: "expired", at: value.validUntil });
  server.passed("PA-05", clientId);
  const { parameters, isSigned } = value;
  return { params: paramsFromFields(parameters, unrepeatable), origin: originOf(id, isSigned) };
}

/** What is known of the source of a pushed request. */
function originOf(id: string, isSigned: boolean | undefined): RequestOrigin {
  return storedRequest.put(requestSignature.put({}, isSigned || undefined), id);
}

/** The authorization details of a pushed request, which were valid when it was pushed; `undefined` if it expired. */
export async function findPushedDetails(server: HostedServer, id: string): Promise<AuthorizationDetails | undefined> {
  const record = await pushedStore(server).get("pushed_request", id);
  const text = record?.value.parameters.find(([name]) => name === detailsName)?.[1];
  return record && (text === undefined || server.details === undefined ? [] : JSON.parse(text));
}

/**
 * Keeps a pushed request while the user logs in.
 *
 * @param address The network address of the user; absent if unknown.
 */
export async function keepPushedRequest(
  server: Server,
  client: Client,
  id: string,
  address: string | undefined,
): Promise<void> {
  const record = await pushedStore(server).get("pushed_request", id);
  if (record === undefined) return;
  const { value } = record;
  const expiresAt = value.validUntil + maxLoginSeconds * 1000;
  if (record.expiresAt >= expiresAt) return;
  await pushedStore(server).extend("pushed_request", id, expiresAt);
  await evictBeyondBound(server, client, { kind: "pushed_request", id, value, expiresAt, address });
}

/**
 * Consumes a pushed request, just before the response to it is sent. One of several concurrent calls succeeds.
 *
 * @throws {OAuthError} For every other call. The user sees the error, because the client already has a response.
 */
export async function consumePushedRequest(server: Server, id: string): Promise<void> {
  if (await pushedStore(server).consume("pushed_request", id, server.now())) return;
  throw unusable({ problem: "too late" });
}

async function assertOwnRequest(server: Server, record: PushedRequestRecord, clientId: string): Promise<void> {
  if (record.clientId !== clientId) throw reject("PA-05", { problem: "other client", clientId });
  if (await generationOfClientId(server, clientId) !== record.clientGeneration) {
    throw reject("PA-05", { problem: "removed client", clientId });
  }
}

function unusable(facts: UnusableRequestUri): OAuthError {
  return reject("PA-06", { ...facts, lifetimeSeconds: requestUriLifetimeSeconds }, { forUser: true });
}

export const pushedRequestHandlers: Handlers = clientEndpoint(
  (server: HostedServer, request) => {
    const push = async (server: HostedServer, request: AuthenticatedRequest) =>
      json(201, await pushRequest(server, request));
    const hasProof = canProve(server) && request.header("dpop") !== null;
    return hasProof ? respondWithKey(server, request, push) : push(server, request);
  },
  {
    isAudience: true,
    identifyClient: () => Promise.reject(reject("PA-01", { problem: "no client_id" })),
  },
);
