/** Puts security events into the streams that deliver them, as tokens (RFC 8417), and wakes what delivers them. */

import type { User } from "../../../core/clients/client.ts";
import type { Client } from "../../../core/clients/clients.ts";
import { secondsNow } from "../../../core/keys/jwt.ts";
import { randomId } from "../../../core/keys/secrets.ts";
import { findClientOf } from "../../clients/generations.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { isCaepEvent, verificationEvent } from "./event_types.ts";
import {
  addEvent,
  allStreams,
  deleteStream,
  deliveredEvents,
  includesUser,
  mayReceive,
  streamsPrefix,
  type SubjectIdentifier,
  userSubject,
} from "./streams.ts";
import { type EventStreamRecord, type StreamEventRecord, streamStore } from "./records.ts";
import { startPush } from "./push.ts";
import { timers } from "../../../core/http/timers.ts";

export interface SecurityEvent {
  readonly type: string;
  readonly user: User;
  readonly members?: Readonly<Record<string, unknown>>;
  /** The subject for a client. Default: `iss` and `sub` of the user. */
  subject?(client: Client): SubjectIdentifier | Promise<SubjectIdentifier>;
  /** The tokens that a client receives instead of a correct one; only in tests. */
  alter?(client: Client, claims: StreamEventRecord["claims"]): Promise<readonly TestToken[]>;
}

/** The claims of a token, and the token if it is signed in another way. */
export type TestToken = Pick<StreamEventRecord, "claims" | "token">;

/**
 * Sends an event to every stream that delivers it. It waits until the event is stored, not for pushed deliveries.
 *
 * @returns The number of streams.
 */
export async function transmit(server: HostedServer, event: SecurityEvent): Promise<number> {
  if (await streamStore(server).count("event_stream", streamsPrefix(server)) === 0) return 0;
  const streams = (await allStreams(server)).filter((stream) =>
    stream.status !== "disabled" && deliveredEvents(server, stream).includes(event.type)
  );
  return (await Promise.all(streams.map((stream) => send(server, stream, event)))).filter((sent) => sent).length;
}

/** Sends an event to one stream; returns whether the stream has events of this user. */
async function send(server: HostedServer, stream: EventStreamRecord, event: SecurityEvent): Promise<boolean> {
  const { user, type, members = {}, alter } = event;
  const client = await findClientOf(server, stream);
  if (client === undefined) {
    await deleteStream(server, stream);
    return false;
  }
  if (!mayReceive(server, client) || !await includesUser(server, { stream, client, user })) return false;
  const subject = await event.subject?.(client) ?? await userSubject(server, client, user.sub);
  const time = isCaepEvent(type) ? { event_timestamp: secondsNow(server) } : {};
  const claims = createClaims(server, client, subject, type, { ...time, ...members });
  await deliver(server, stream, await alter?.(client, claims) ?? [{ claims }]);
  return true;
}

/** Sends the event by which a client tests a stream. A disabled stream sends nothing. */
export async function sendVerification(
  server: HostedServer,
  client: Client,
  stream: EventStreamRecord,
  state: string | undefined,
): Promise<void> {
  if (stream.status === "disabled") return;
  const subject = { format: "opaque", id: stream.streamId };
  const claims = createClaims(server, client, subject, verificationEvent, { state });
  await deliver(server, stream, [{ claims }]);
}

/** The claims of a token: without `sub` and `exp`, so that it is never taken for an ID token (SSF §4.1). */
function createClaims(
  server: HostedServer,
  client: Client,
  subject: SubjectIdentifier,
  type: string,
  members: Readonly<Record<string, unknown>>,
): StreamEventRecord["claims"] {
  return {
    iss: server.issuer,
    jti: randomId(server.randomBytes),
    iat: secondsNow(server),
    aud: client.id,
    sub_id: subject,
    events: { [type]: members },
  };
}

async function deliver(server: HostedServer, stream: EventStreamRecord, tokens: readonly TestToken[]): Promise<void> {
  for (const token of tokens) await addEvent(server, stream, { ...token, attempts: 0, dueAt: server.now() });
  if (stream.pushUrl !== undefined) startPush(server, stream);
  else wakePolls(server, stream.streamId);
}

/** The polls that wait for an event, by stream. */
const waitingByServer = new WeakMap<HostedServer["clients"], Map<string, () => void>>();

/** How long a poll waits for an event, in milliseconds. */
const maxPollWaitMs = 10_000;

/** Waits for an event of a stream on this instance. A later poll of the stream ends the wait of an earlier one. */
export async function waitForEvent({ clients }: HostedServer, streamId: string): Promise<void> {
  let waiting = waitingByServer.get(clients);
  if (waiting === undefined) waitingByServer.set(clients, waiting = new Map());
  waiting.get(streamId)?.();
  await new Promise<void>((resolve) => {
    const timer = timers.setTimeout(wake, maxPollWaitMs);
    function wake() {
      timers.clearTimeout(timer);
      if (waiting!.get(streamId) === wake) waiting!.delete(streamId);
      resolve();
    }
    waiting.set(streamId, wake);
  });
}

function wakePolls({ clients }: HostedServer, streamId: string): void {
  waitingByServer.get(clients)?.get(streamId)?.();
}
