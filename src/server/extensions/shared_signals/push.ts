/** Posts security events to clients (RFC 8935). */

import type { EventStreamRecord, StreamEventRecord } from "../../../platform/store/store.ts";
import type { Client } from "../../oauth/clients/repository.ts";
import { type PostResult, postToClient } from "../../oauth/clients/post_to_client.ts";
import { warn } from "../../oauth/notes.ts";
import type { Server } from "../../oauth/server.ts";
import { addEvent, allStreams, listEvents, mayReceive, signEvent, streamsPrefix } from "./streams.ts";

/** How long all deliveries of one stream may take together, in milliseconds. */
const timeoutMs = 5000;

/** The delays before the repetitions of a delivery, in seconds. */
const repetitionDelaysSeconds = [60, 300, 1800];

/** Maximum number of events that are posted to a stream at a time. */
const maxPosts = 100;

/** Repeats the deliveries that are due. */
export async function repeatPushes(server: Server): Promise<void> {
  if (await server.store.count("stream_event", streamsPrefix(server)) === 0) return;
  await Promise.all((await allStreams(server)).map((stream) => pushEvents(server, stream)));
}

/**
 * Posts the due events of a stream, the oldest first. After a temporary failure, the event is repeated later, and the
 * others wait for the next maintenance or event. Of several instances, one posts each event.
 */
export async function pushEvents(server: Server, stream: EventStreamRecord): Promise<void> {
  const { status, pushUrl, clientId } = stream;
  if (status !== "enabled" || pushUrl === undefined) return;
  const client = await server.clients.findHolder(clientId);
  if (client === undefined || !mayReceive(client)) return;
  const signal = AbortSignal.timeout(timeoutMs);
  const due = (await listEvents(server, stream)).filter(({ value }) => value.dueAt <= server.now());
  for (const { id, value } of due.slice(0, maxPosts)) {
    if (!await server.store.consume("stream_event", id, server.now())) continue;
    const result = await post(server, client, stream, value, signal);
    await server.store.delete("stream_event", id);
    const isTemporary = result.isTemporary || result.status === 429;
    const delay = isTemporary ? repetitionDelaysSeconds[value.attempts] : undefined;
    const dueAt = server.now() + (delay ?? 0) * 1000;
    server.trace({
      ...{ type: "security_event_delivery", at: server.now(), client: clientId, jti: String(value.claims.jti) },
      attempt: value.attempts + 1,
      ...result.status !== undefined && { status: result.status },
      ...delay !== undefined && { retryAt: dueAt },
    });
    if (result.status === 202) continue;
    if (delay !== undefined) await addEvent(server, stream, { ...value, attempts: value.attempts + 1, dueAt });
    warn(server, clientId, {
      rule: "SS-10",
      reason: `the delivery of a security event failed, ${
        delay === undefined ? "and is not repeated" : `the next attempt is at ${new Date(dueAt).toISOString()}`
      }`,
      expected: "status 202 from the endpoint_url of the stream",
      received: result.received,
    });
    if (delay !== undefined) return;
  }
}

/** Posts one token (RFC 8935 §2.1). */
async function post(
  server: Server,
  client: Client,
  { pushUrl, authorization }: EventStreamRecord,
  event: StreamEventRecord,
  signal: AbortSignal,
): Promise<PostResult> {
  const headers = {
    "content-type": "application/secevent+jwt",
    accept: "application/json",
    ...authorization !== undefined && { authorization },
  };
  const body = () => signEvent(server, client, event);
  const request = { url: pushUrl!, headers, body, signal, timeoutSeconds: timeoutMs / 1000 };
  // RFC 8935 §2.3.
  return await postToClient(server, client, { ...request, errorMembers: ["err", "description"] });
}
