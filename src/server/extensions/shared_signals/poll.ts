/** POST /ssf/poll/{stream_id} (RFC 8936 §2): a client acknowledges events, and receives the next ones. */

import { isObject } from "../../../core/http/json_value.ts";
import { readJsonObject } from "../../../platform/http/json_body.ts";
import { json } from "../../../core/http/message.ts";
import type { Handlers } from "../../../core/route.ts";
import type { Client } from "../../../core/clients/clients.ts";
import { warn } from "../../trace.ts";
import { redactText } from "../../redaction/redact.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { type EventStreamRecord, streamStore } from "./records.ts";
import { asReceiver } from "./receiver.ts";
import { manageScope, readScope } from "./settings.ts";
import { findStream, listEvents, signEvent } from "./streams.ts";
import { waitForEvent } from "./transmit.ts";
import { reject } from "./rules.ts";
import { sharedSignalTexts } from "./explain.ts";

/** Maximum number of events in one response. */
const maxSets = 100;

/** Characters of the error of a client that the trace shows. */
const shownChars = 200;

interface PollRequest {
  readonly maxEvents: number;
  readonly returnImmediately: boolean;
  /** The `jti` of each event that the client has processed or rejected. */
  readonly finished: readonly string[];
  readonly errors: Readonly<Record<string, unknown>>;
}

export const poll: Handlers<HostedServer> = {
  POST: (context) =>
    asReceiver(context, [manageScope, readScope], async (client) => {
      const { server, request, target } = context;
      const stream = await findStream(server, client, target.path.slice(target.path.lastIndexOf("/") + 1));
      const { maxEvents, returnImmediately, finished, errors } = readPoll(await readJsonObject(request, "SS-03"));
      for (const [jti, error] of Object.entries(errors)) warnRejected(server, client, jti, error);
      await acknowledge(server, stream, finished);
      let response = await collect(server, client, stream, maxEvents);
      if (maxEvents > 0 && !returnImmediately && Object.keys(response.sets).length === 0) {
        await waitForEvent(server, stream.streamId);
        // The client may have changed the stream in the meantime.
        response = await collect(server, client, await findStream(server, client, stream.streamId), maxEvents);
      }
      return json(200, response);
    }),
};

function readPoll(input: Readonly<Record<string, unknown>>): PollRequest {
  const { maxEvents = maxSets, returnImmediately = false, ack = [], setErrs = {} } = input;
  const isValid = typeof maxEvents === "number" && Number.isInteger(maxEvents) && maxEvents >= 0 &&
    typeof returnImmediately === "boolean" &&
    Array.isArray(ack) && ack.every((jti) => typeof jti === "string") && isObject(setErrs);
  if (!isValid) {
    throw reject("SS-03", { poll: { maxEvents, returnImmediately, ack, setErrs } });
  }
  const errors = setErrs as Readonly<Record<string, unknown>>;
  return {
    ...{ maxEvents: Math.min(maxEvents, maxSets), returnImmediately, errors },
    finished: [...ack, ...Object.keys(errors)],
  };
}

/** Deletes finished events; of a duplicate, one at a time. */
async function acknowledge(
  server: HostedServer,
  stream: EventStreamRecord,
  finished: readonly string[],
): Promise<void> {
  if (finished.length === 0) return;
  const remaining = new Set(finished);
  for (const { id, value: { claims } } of await listEvents(server, stream)) {
    if (remaining.delete(claims.jti as string)) await streamStore(server).delete("stream_event", id);
  }
}

/** The next events: until they are acknowledged, each poll returns them again. A paused stream has none. */
async function collect(server: HostedServer, client: Client, stream: EventStreamRecord, maxEvents: number) {
  const sets: Record<string, string> = {};
  if (stream.status !== "enabled" || stream.pushUrl !== undefined) return { sets };
  const events = new Map((await listEvents(server, stream)).toReversed().map(({ value }) => [value.claims.jti, value]));
  const next = [...events.values()].reverse();
  for (const event of next.slice(0, maxEvents)) {
    sets[event.claims.jti as string] = await signEvent(server, client, event);
  }
  return { sets, ...next.length > maxEvents && { moreAvailable: true } };
}

/** Warns that a client rejected an event (RFC 8936 §2.4). */
function warnRejected(server: HostedServer, client: Client, jti: string, error: unknown): void {
  const shown = (value: unknown) =>
    typeof value === "string" ? redactText(value, server.registeredSecrets).slice(0, shownChars) : "no text";
  const { err, description } = Object(error);
  warn(server, client.id, {
    rule: "SS-11",
    reason: "the client rejected a security event, which is not sent again",
    expected: "the jti in ack",
    received: `${shown(jti)} in setErrs: ${shown(err)} (${shown(description)})`,
    fix: sharedSignalTexts["SS-11"].fix,
  });
}
