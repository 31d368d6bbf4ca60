/** The streams of clients, their subjects and undelivered events: records that outlive the process. */

import { type ClientRecord, clientRecord } from "../../clients/generations.ts";
import { subjectFor } from "../../token/subjects.ts";
import { again, changeRecord } from "../../../core/store/change.ts";
import type { ListedRecord } from "../../../core/store/store.ts";
import { type BoundedCache, boundedCache } from "../../../platform/bounded_cache.ts";
import type { User } from "../../../core/clients/client.ts";
import type { Client } from "../../../core/clients/clients.ts";
import { isPermitted } from "../../config/standing.ts";
import type { OAuthError } from "../../../core/rules/errors.ts";
import { randomId, storageKey } from "../../../core/keys/secrets.ts";
import type { Server } from "../../../core/server.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { supportedEvents } from "./event_types.ts";
import { manageScope, readScope, sharedSignalsOf } from "./settings.ts";
import { type EventStreamRecord, type StreamEventRecord, streamStore } from "./records.ts";
import { reject } from "./rules.ts";
import { registeredScopeOf } from "../../config/client_metadata.ts";

/** Maximum number of streams: of one client, and of all. */
const maxClientStreams = 10;
const maxStreams = 1000;

/** Maximum number of subjects that a client adds to a stream or removes from it. */
const maxSubjects = 10_000;

/** Maximum number of undelivered events of a stream: beyond it, the oldest is dropped. */
const maxEvents = 1000;

/** How long an undelivered event is kept, in milliseconds. */
const eventLifetimeMs = 7 * 24 * 3600 * 1000;

/** A subject identifier (RFC 9493 §3). */
export type SubjectIdentifier = Readonly<Record<string, unknown>>;

/** The members of a stream that its client decides on. */
export type StreamChanges = Partial<Omit<EventStreamRecord, keyof ClientRecord | "streamId">>;

export function streamsPrefix(server: Server): string {
  return `${server.names.storage} `;
}

/** The prefix of the ids of a client's streams: another one for a client that was removed and added again. */
async function clientPrefix(
  server: Server,
  { clientId, clientGeneration }: ClientRecord,
): Promise<string> {
  const key = await storageKey(server, `streams ${JSON.stringify([clientId, clientGeneration])}`);
  return `${streamsPrefix(server)}${key} `;
}

function streamPrefix(server: Server, streamId: string): string {
  return `${server.names.storage} ${streamId} `;
}

/** Creates a stream. @throws {OAuthError} 403 if the client, or the server, has too many. */
export async function createStream(server: Server, client: Client, changes: StreamChanges): Promise<EventStreamRecord> {
  const store = streamStore(server);
  const owner = clientRecord(client);
  const prefix = await clientPrefix(server, owner);
  const counts = [[prefix, maxClientStreams, "streams of a client"], [streamsPrefix(server), maxStreams, "streams"]];
  const assertBelowLimits = async (added: number) => {
    for (const [ids, max, of] of counts as [string, number, string][]) {
      if (await store.count("event_stream", ids) + added > max) throw tooMany(max, of);
    }
  };
  await assertBelowLimits(1);
  const streamId = randomId(server.randomBytes);
  const stream: EventStreamRecord = { status: "enabled", ...changes, ...owner, streamId };
  await store.put("event_stream", prefix + streamId, stream, { expiresAt: Infinity });
  // Other requests may have created streams in the meantime.
  await assertBelowLimits(0).catch(async (error) => {
    await store.delete("event_stream", prefix + streamId);
    throw error;
  });
  return stream;
}

function tooMany(max: number, of: string): OAuthError {
  return reject("SS-06", { max, of }, { status: 403 });
}

export async function streamsOf(server: Server, client: Client): Promise<readonly EventStreamRecord[]> {
  const prefix = await clientPrefix(server, clientRecord(client));
  return (await streamStore(server).list("event_stream", { prefix, limit: maxClientStreams })).map(({ value }) =>
    value
  );
}

/**
 * A stream of a client.
 *
 * @throws {OAuthError} 404 if the client has no such stream, whether or not another client has it.
 */
export async function findStream(server: Server, client: Client, streamId: unknown): Promise<EventStreamRecord> {
  const isId = typeof streamId === "string" && /^[\w-]{1,64}$/.test(streamId);
  const record = isId &&
    await streamStore(server).get("event_stream", await clientPrefix(server, clientRecord(client)) + streamId);
  if (record) return record.value;
  throw reject("SS-04", { streamId }, { status: 404 });
}

/**
 * Replaces a stream of a client by what `change` makes of it. Its pending events are dropped if it is disabled.
 *
 * @throws {OAuthError} 404 as {@link findStream}.
 */
export async function changeStream(
  server: Server,
  client: Client,
  streamId: unknown,
  change: (stream: EventStreamRecord) => EventStreamRecord,
): Promise<EventStreamRecord> {
  const stream = await changeRecord("stream", async () => {
    const current = await findStream(server, client, streamId);
    const changed = change(current);
    const id = await clientPrefix(server, current) + current.streamId;
    const isChanged = await streamStore(server).replace("event_stream", id, current, changed, { expiresAt: Infinity });
    return isChanged ? changed : again;
  });
  if (stream.status === "disabled") await deleteEvents(server, stream);
  return stream;
}

/** Deletes a stream with its subjects and events. */
export async function deleteStream(server: Server, stream: EventStreamRecord): Promise<void> {
  const { streamId } = stream;
  await streamStore(server).delete("event_stream", await clientPrefix(server, stream) + streamId);
  await deleteEvents(server, stream);
  const subjects = await streamStore(server).list("stream_subject", {
    prefix: streamPrefix(server, streamId),
    limit: maxSubjects,
  });
  await Promise.all(subjects.map(({ id }) => streamStore(server).delete("stream_subject", id)));
}

async function deleteEvents(server: Server, stream: EventStreamRecord): Promise<void> {
  const events = await listEvents(server, stream);
  await Promise.all(events.map(({ id }) => streamStore(server).delete("stream_event", id)));
}

export async function allStreams(server: Server): Promise<readonly EventStreamRecord[]> {
  const records = await streamStore(server).list("event_stream", { prefix: streamsPrefix(server), limit: maxStreams });
  return records.map(({ value }) => value);
}

/** The undelivered events of a stream, the oldest first. */
export async function listEvents(
  server: Server,
  { streamId }: EventStreamRecord,
): Promise<readonly ListedRecord<StreamEventRecord>[]> {
  const { now } = server;
  const events = await streamStore(server).list("stream_event", {
    prefix: streamPrefix(server, streamId),
    limit: maxEvents + 1,
  });
  return events.filter(({ expiresAt }) => expiresAt > now());
}

/** Adds an event to a stream. Beyond the limit, the oldest events are dropped. */
export async function addEvent(server: Server, stream: EventStreamRecord, event: StreamEventRecord): Promise<void> {
  const { now, randomBytes } = server;
  const store = streamStore(server);
  const prefix = streamPrefix(server, stream.streamId);
  // Sorts the ids by time.
  const id = `${prefix}${String(now()).padStart(15, "0")} ${randomId(randomBytes)}`;
  await store.put("stream_event", id, event, { expiresAt: now() + eventLifetimeMs });
  const count = await store.count("stream_event", prefix);
  if (count <= maxEvents) return;
  // Others may add and drop events at the same time: one list says which are too many, the count alone does not.
  const events = await store.list("stream_event", { prefix, limit: count });
  const oldest = events.slice(0, Math.max(0, events.length - maxEvents));
  await Promise.all(oldest.map(({ id }) => store.delete("stream_event", id)));
}

/** The identifier of a user for a client, as in its ID tokens. */
export async function userSubject(server: Server, client: Client, sub: string): Promise<SubjectIdentifier> {
  return { format: "iss_sub", iss: server.issuer, sub: await subjectFor(server, client, sub) };
}

/**
 * Adds a subject to a stream, or removes it. The response does not depend on whether a user has the identifier, so that
 * no client can find out who has an account (SSF §9.1).
 *
 * @throws {OAuthError} If the identifier has another format, or there are too many.
 */
export async function changeSubject(
  server: Server,
  stream: EventStreamRecord,
  subject: unknown,
  isAdded: boolean,
): Promise<void> {
  const key = subjectKey(subject);
  if (key === undefined) throw reject("SS-03", { subject });
  const store = streamStore(server);
  const prefix = streamPrefix(server, stream.streamId);
  const id = prefix + await storageKey(server, key);
  const metadata = { expiresAt: Infinity };
  if (!await store.add("stream_subject", id, { isAdded }, metadata)) {
    return await store.put("stream_subject", id, { isAdded }, metadata);
  }
  // Counted with the added one: other requests may add subjects at the same time.
  if (await store.count("stream_subject", prefix) <= maxSubjects) return;
  await store.delete("stream_subject", id);
  throw tooMany(maxSubjects, "subjects of a stream");
}

/** The key of a subject; `undefined` for a format that the server does not know. */
function subjectKey(subject: unknown): string | undefined {
  if (typeof subject !== "object" || subject === null) return undefined;
  const { format, iss, sub, email } = subject as SubjectIdentifier;
  if (format === "email") return typeof email === "string" ? `email ${email.toLowerCase()}` : undefined;
  return format === "iss_sub" && typeof iss === "string" && typeof sub === "string"
    ? `iss_sub ${JSON.stringify([iss, sub])}`
    : undefined;
}

export async function includesUser(
  server: Server,
  { stream, client, user }: { readonly stream: EventStreamRecord; readonly client: Client; readonly user: User },
): Promise<boolean> {
  const { sub, email } = user;
  const prefix = streamPrefix(server, stream.streamId);
  const subjects = [await userSubject(server, client, sub), { format: "email", email }];
  const records = await Promise.all(subjects.flatMap((subject) => {
    const key = subjectKey(subject);
    return key === undefined
      ? []
      : [(async () => await streamStore(server).get("stream_subject", prefix + await storageKey(server, key)))()];
  }));
  const changes = records.flatMap((record) => record === undefined ? [] : [record.value.isAdded]);
  return sharedSignalsOf(server).sharedSignalsSubjects === "ALL" ? !changes.includes(false) : changes.includes(true);
}

/** The event types that a stream delivers: those that its client requested and the server supports. */
export function deliveredEvents(
  server: HostedServer,
  { eventsRequested = [] }: EventStreamRecord,
): readonly string[] {
  return supportedEvents(server).filter((type) => eventsRequested.includes(type));
}

/** Whether a client may have streams: its standing allows it, and it is registered for one of their scope values. */
export function mayReceive(server: Server, client: Client): boolean {
  const holdsScope = [manageScope, readScope].some((scope) => registeredScopeOf(client).includes(scope));
  return holdsScope && isPermitted(server, client, "receiveEvents");
}

/** Maximum number of signed tokens of one server that are kept. */
const maxSignedTokens = 2000;

const signedTokens = new WeakMap<Server["clients"], BoundedCache<Promise<string>>>();

/** The token of an event, signed once by each key: a client may poll it many times. */
export async function signEvent(server: Server, client: Client, { token, claims }: StreamEventRecord): Promise<string> {
  if (token !== undefined) return token;
  const { clients, keys } = server;
  const { idTokenAlg } = client;
  let cache = signedTokens.get(clients);
  if (cache === undefined) signedTokens.set(clients, cache = boundedCache(maxSignedTokens));
  const { kid } = await keys.signer(idTokenAlg);
  const key = `${kid} ${JSON.stringify(claims)}`;
  const known = cache.get(key);
  if (known !== undefined) return await known;
  const signed = Promise.resolve(keys.sign("security_event", idTokenAlg, claims));
  cache.set(key, signed);
  signed.catch(() => cache.delete(key));
  return await signed;
}
