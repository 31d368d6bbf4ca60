/** Requests whose client polls: their records, from the request of the client to the decision of the user. */

import { type PolledDestination, type PolledFacts, pollMode } from "../../stored/delivery.ts";
import type { AuthorizationRequest, PendingAuthorization } from "../../../core/authorize/authorization_request.ts";
import { readRequest, warnAcceptedRequest } from "../../../core/authorize/checks.ts";
import { generationOfClient, type KeptRequest, keptRequest } from "../../clients/generations.ts";
import { evictBeyondBound } from "../../stored/bounded_records.ts";
import type { Client } from "../../../core/clients/clients.ts";
import type { OAuthError } from "../../../core/rules/errors.ts";
import type { Params } from "../../../core/http/params.ts";
import { reject as rejectRequest } from "../../../core/rules/reject.ts";
import { digest, randomId, randomToken } from "../../../core/keys/secrets.ts";
import type { Server } from "../../../core/server.ts";
import { isLoopback } from "../../../core/http/test_hosts.ts";
import { networkFromAddress } from "../../../platform/http/ip_address.ts";
import type { Grant } from "../../../core/store/store.ts";
import { type AuthorizationDetails, detailsSlot } from "../../token/authorization_details.ts";
import type { PolledGrant } from "./polled_grant.ts";
import { type PolledDecisionRecord, type PolledRequestRecord, polledStore } from "./records.ts";
import { reject } from "./rules.ts";

/**
 * Milliseconds for which records outlive their codes, so that the response to a late poll states that the code has
 * expired.
 */
const keptAfterExpiryMs = 10 * 60_000;

/** A request to store. */
interface NewRequest extends Pick<PolledRequestRecord, "message" | "address"> {
  /** 43 characters of base64url, which the response sends to the client. */
  readonly id: string;
  readonly request: KeptRequest;
  readonly lifetimeSeconds: number;
  /** The bearer token of the notification of the client. Default: it is not notified. */
  readonly notificationToken?: string;
}

/**
 * Reads and validates the request of a client.
 *
 * @throws {OAuthError} If the client may not use the grant type, or a parameter is invalid.
 */
export async function readPolledRequest(
  server: Server,
  { type, requestName, rules }: PolledGrant,
  client: Client,
  params: Params,
): Promise<KeptRequest> {
  if (!client.grantTypes.includes(type)) {
    const { id: clientId, grantTypes } = client;
    throw reject(rules.client, { problem: "grant type", requestName, clientId, type, grantTypes });
  }
  const from = { server, client, params };
  const { loginRequirements, ...others } = await readRequest(from);
  // The user always decides on a page, so `prompt` is ignored.
  const request = keptRequest({ ...others, loginRequirements: { ...loginRequirements, prompt: [] } }, client);
  rejectLongRequest(request);
  warnAcceptedRequest(from, request);
  return request;
}

/** Stores a request. @returns The code that the client polls with; `undefined` if the id is in use. */
export async function addPolledRequest(
  server: Server,
  { name }: PolledGrant,
  client: Client,
  { id, request, message, address, lifetimeSeconds, notificationToken: token }: NewRequest,
): Promise<string | undefined> {
  const secret = randomToken(server.randomBytes);
  const code = `${id}.${secret}`;
  const issuedAt = server.now();
  const validUntil = issuedAt + lifetimeSeconds * 1000;
  const expiresAt = validUntil + keptAfterExpiryMs;
  const record: PolledRequestRecord = {
    ...{ delivery: name, secretDigest: await digest(secret), request: { ...request }, issuedAt, validUntil },
    ...message !== undefined && { message },
    ...address !== undefined && { address },
    ...token !== undefined && { notification: { token, code } },
  };
  if (!await polledStore(server).add("polled_request", id, record, { expiresAt })) return undefined;
  await evictBeyondBound(server, client, { kind: "polled_request", id, value: record, expiresAt, address });
  return code;
}

/** Maximum bytes of a request without its authorization details: the browser carries it during the login. */
const maxRequestBytes = 5 * 1024;

function rejectLongRequest(request: AuthorizationRequest): void {
  const carried = detailsSlot.put(request, undefined);
  const { length: bytes } = new TextEncoder().encode(JSON.stringify(carried));
  if (bytes > maxRequestBytes) throw rejectRequest("AZ-13", { bytes, limit: maxRequestBytes });
}

/** A request that the user has not decided on. */
export interface PendingRequest {
  readonly record: PolledRequestRecord;
  /** The request, as it continues in the browser. */
  readonly pending: PendingAuthorization & { readonly destination: PolledDestination };
}

/**
 * Finds an undecided request; `undefined` if it is unknown, decided or expired, or the client may no longer use the
 * grant type.
 *
 * @param shown The page that shows the result, and the code that the user typed.
 */
export async function findPending(
  server: Server,
  grant: PolledGrant,
  id: string,
  shown: Pick<PolledDestination, "uri" | "userCode">,
): Promise<PendingRequest | undefined> {
  const record = await findUndecided(server, grant, id);
  if (record === undefined) return undefined;
  const { clientGeneration, ...request } = record.request as unknown as KeptRequest;
  const client = await server.clients.find(request.clientId);
  if (client?.grantTypes.includes(grant.type) !== true) return undefined;
  if (generationOfClient(client) !== clientGeneration) return undefined;
  const scope = request.scope.filter((token) => client.allowsScope(token));
  const destination: PolledDestination = { mode: pollMode, delivery: grant.name, id, ...shown };
  return { record, pending: { request: { ...request, scope }, destination, client } };
}

export async function findRecords(server: Server, { name }: PolledGrant, id: string): Promise<{
  readonly request?: PolledRequestRecord;
  readonly decision?: PolledDecisionRecord;
}> {
  const [request, decision] = await Promise.all([
    polledStore(server).get("polled_request", id),
    polledStore(server).get("polled_decision", id),
  ]);
  return request?.value.delivery === name ? { request: request.value, decision: decision?.value } : {};
}

/** The record of a request that is neither decided nor expired. */
async function findUndecided(
  server: Server,
  grant: PolledGrant,
  id: string,
): Promise<PolledRequestRecord | undefined> {
  const { request, decision } = await findRecords(server, grant, id);
  return request === undefined || decision !== undefined || server.now() >= request.validUntil ? undefined : request;
}

/**
 * The record of a destination that waits for a decision. @throws {OAuthError} If the request already has a decision or
 * has expired.
 */
export async function getUndecided(
  server: Server,
  grant: PolledGrant,
  { id }: PolledDestination,
): Promise<PolledRequestRecord> {
  const record = await findUndecided(server, grant, id);
  if (record === undefined) throw decidedRequest(grant);
  return record;
}

/** The authorization details of a request; `undefined` for none. @throws {OAuthError} As {@link getUndecided}. */
export async function findDetails(
  server: Server,
  grant: PolledGrant,
  destination: PolledDestination,
): Promise<AuthorizationDetails | undefined> {
  const { request } = await getUndecided(server, grant, destination);
  return detailsSlot.of(request as unknown as AuthorizationRequest);
}

/** Stores an approval. @throws {OAuthError} If the request already has a decision or has expired. */
export async function approve(
  server: Server,
  grant: PolledGrant,
  destination: PolledDestination,
  approved: Grant,
): Promise<void> {
  await decide(server, grant, destination, { grant: approved });
  server.passed(grant.rules.approval, destination.userCode);
}

/** Stores a decision. @throws {OAuthError} As {@link approve}. */
export async function decide(
  server: Server,
  grant: PolledGrant,
  destination: PolledDestination,
  decision: PolledDecisionRecord,
): Promise<void> {
  const request = await getUndecided(server, grant, destination);
  const metadata = { grantId: randomId(server.randomBytes), expiresAt: request.validUntil + keptAfterExpiryMs };
  // Atomic: only the first of several concurrent decisions counts.
  if (!await polledStore(server).add("polled_decision", destination.id, decision, metadata)) {
    throw decidedRequest(grant);
  }
  grant.decided?.(server, request);
}

/** The error of a request that was decided or has expired while the user was deciding. */
function decidedRequest({ requestName, rules }: PolledGrant): OAuthError {
  return reject(rules.decided, { requestName }, { forUser: true });
}

/** The network of an address; this machine has several addresses. */
function network(address: string): string {
  return address === "::1" || isLoopback(address) ? "this machine" : networkFromAddress(address);
}

export function describePolledRequest(
  { userCode }: PolledDestination,
  { issuedAt, address, message }: PolledRequestRecord,
  userAddress = "",
): PolledFacts {
  return {
    ...{ userCode, message, startedAt: issuedAt, address },
    isSameAddress: address !== undefined && network(address) === network(userAddress),
  };
}
