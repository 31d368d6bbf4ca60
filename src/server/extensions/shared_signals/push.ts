/** Posts security events to clients (RFC 8935). */

import type { Client } from "../../../core/clients/clients.ts";
import { type PostResult, postToClient } from "../../fetching/post_to_client.ts";
import { findClientOf } from "../../clients/generations.ts";
import { warn } from "../../trace.ts";
import { dueRecords, leaseRecord } from "../../stored/records.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { type EventStreamRecord, type StreamEventRecord, streamStore } from "./records.ts";
import { allStreams, listEvents, mayReceive, signEvent, streamsPrefix } from "./streams.ts";
import { sharedSignalTexts } from "./explain.ts";

/** How long all deliveries of one stream may take together, in milliseconds. */
const timeoutMs = 5000;

/** The delays before the repetitions of a delivery, in seconds. */
const repetitionDelaysSeconds = [60, 300, 1800];

/** Maximum number of events that are posted to a stream at a time. */
const maxPosts = 100;

/** Repeats the deliveries that are due. */
export async function repeatPushes(server: HostedServer): Promise<void> {
  if (await streamStore(server).count("stream_event", streamsPrefix(server)) === 0) return;
  await Promise.all((await allStreams(server)).map((stream) => pushEvents(server, stream)));
}

/** Posts the due events of a stream in the background: no user waits for a client. */
export function startPush(server: HostedServer, stream: EventStreamRecord): void {
  server.background.start("ssf_stream", () => pushEvents(server, stream));
}

/**
 * Posts the due events of a stream, the oldest first. After a temporary failure, the event is repeated later, and the
 * others wait for the next maintenance or event. Of several instances, one posts each event. An event is deleted only
 * after the response: if the process ends before, the event is posted again.
 */
async function pushEvents(server: HostedServer, stream: EventStreamRecord): Promise<void> {
  const { status, pushUrl, clientId } = stream;
  if (status !== "enabled" || pushUrl === undefined) return;
  const client = await findClientOf(server, stream);
  if (client === undefined || !mayReceive(server, client)) return;
  const signal = AbortSignal.timeout(timeoutMs);
  const due = dueRecords(server, await listEvents(server, stream));
  for (const event of due.slice(0, maxPosts)) {
    const leased = await leaseRecord(server, streamStore(server), "stream_event", event);
    if (leased === undefined) continue;
    const { id, value, expiresAt } = leased;
    const result = await post(server, client, stream, value, signal);
    const isTemporary = result.isTemporary || result.status === 429;
    const delay = isTemporary ? repetitionDelaysSeconds[value.attempts] : undefined;
    const dueAt = server.now() + (delay ?? 0) * 1000;
    server.trace({
      ...{ type: "security_event_delivery", at: server.now(), client: clientId, jti: String(value.claims.jti) },
      attempt: value.attempts + 1,
      ...result.status !== undefined && { status: result.status },
      ...delay !== undefined && { retryAt: dueAt },
    });
    if (delay === undefined) await streamStore(server).delete("stream_event", id);
    else {
      const postponed = { ...value, attempts: value.attempts + 1, dueAt };
      // Unless its stream was disabled or deleted in the meantime.
      await streamStore(server).replace("stream_event", id, value, postponed, { expiresAt });
    }
    if (result.status === 202) continue;
    warn(server, clientId, {
      rule: "SS-10",
      reason: `the delivery of a security event failed, ${
        delay === undefined ? "and is not repeated" : `the next attempt is at ${new Date(dueAt).toISOString()}`
      }`,
      expected: "status 202 from the endpoint_url of the stream",
      received: result.received,
      fix: sharedSignalTexts["SS-10"].fix,
    });
    if (delay !== undefined) return;
  }
}

/** Hides the value of an `Authorization` header, and its part after the scheme, in all that is logged from now on. */
export function learnCredentials({ registeredSecrets }: HostedServer, authorization: string): void {
  registeredSecrets.learn(authorization);
  registeredSecrets.learn(authorization.replace(/^\S+ +/, ""));
}

/** Posts one token (RFC 8935 §2.1). */
async function post(
  server: HostedServer,
  client: Client,
  { pushUrl, authorization }: EventStreamRecord,
  event: StreamEventRecord,
  signal: AbortSignal,
): Promise<PostResult> {
  if (authorization !== undefined) learnCredentials(server, authorization);
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
