/** The metadata, and the endpoints by which clients manage their streams (SSF §7.2, §8.1). */

import { readJsonObject } from "../../../platform/http/json_body.ts";
import { type HttpResponse, json } from "../../../core/http/message.ts";
import type { Client } from "../../../core/clients/clients.ts";
import type { Context } from "../../../core/http/context.ts";
import { endpointUrl } from "../../../core/http/endpoint.ts";
import type { Handlers } from "../../../core/route.ts";
import { validateClientUri } from "../../config/uri_issues.ts";
import { quote } from "../../config/config_issue.ts";
import { describeKind } from "../../../core/http/quote_value.ts";
import type { OAuthError } from "../../../core/rules/errors.ts";
import { warn } from "../../trace.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { pollMethod, pushMethod, supportedEvents, verificationEvent } from "./event_types.ts";
import { learnCredentials, startPush } from "./push.ts";
import type { EventStreamRecord } from "./records.ts";
import { asReceiver } from "./receiver.ts";
import { manageScope, readScope, sharedSignalsOf } from "./settings.ts";
import {
  changeStream,
  changeSubject,
  createStream,
  deleteStream,
  deliveredEvents,
  findStream,
  type StreamChanges,
  streamsOf,
} from "./streams.ts";
import { sendVerification } from "./transmit.ts";
import { reject } from "./rules.ts";

export { poll } from "./poll.ts";
export { repeatPushes } from "./push.ts";
export { sendAccessEnded, sendSessionsRevoked } from "./sources.ts";

/** Maximum length of a text that a client sends, in characters; and of its list of event types, in entries. */
const maxTextLength = 2048;
const maxRequestedEvents = 100;

type Body = Readonly<Record<string, unknown>>;

/** The handlers of the configuration endpoint: create, read, update, replace and delete a stream. */
export const configuration: Handlers<HostedServer> = {
  POST: (context) =>
    asReceiver(context, [manageScope], async (client) => {
      const changes = readChanges(context, client, await readBody(context));
      return json(201, describe(context, await createStream(context.server, client, changes)));
    }),
  GET: (context) =>
    asReceiver(context, [readScope, manageScope], async (client) => {
      const id = streamIdOf(context);
      if (id === null) {
        return json(200, (await streamsOf(context.server, client)).map((stream) => describe(context, stream)));
      }
      return json(200, describe(context, await findStream(context.server, client, id)));
    }),
  PATCH: (context) => change(context, (stream, changes) => ({ ...stream, ...changes })),
  PUT: (context) =>
    change(context, ({ clientId, clientGeneration, streamId, status, reason }, changes) => ({
      ...{ clientId, clientGeneration, streamId, status, reason },
      ...changes,
    })),
  DELETE: (context) =>
    asReceiver(context, [manageScope], async (client) => {
      await deleteStream(context.server, await findStream(context.server, client, streamIdOf(context)));
      return empty(204);
    }),
};

export const streamStatus: Handlers<HostedServer> = {
  GET: (context) =>
    asReceiver(
      context,
      [readScope, manageScope],
      async (client) => json(200, describeStatus(await findStream(context.server, client, streamIdOf(context)))),
    ),
  POST: (context) =>
    asReceiver(context, [manageScope], async (client) => {
      const { server } = context;
      const body = await readBody(context);
      const { status } = body;
      // An unknown stream is 404 whatever its new status.
      await findStream(server, client, body.stream_id);
      if (status !== "enabled" && status !== "paused" && status !== "disabled") {
        throw invalid("status", "enabled, paused or disabled", quote(status));
      }
      const reason = readText(body, "reason");
      const changed = await changeStream(server, client, body.stream_id, (stream) => ({ ...stream, status, reason }));
      startPush(server, changed);
      return json(200, describeStatus(changed));
    }),
};

/** The handlers of the endpoints that add and remove a subject. */
export const addSubject: Handlers<HostedServer> = { POST: (context) => subject(context, true) };
export const removeSubject: Handlers<HostedServer> = { POST: (context) => subject(context, false) };

function subject(context: Context<HostedServer>, isAdded: boolean): Promise<HttpResponse | Response> {
  return asReceiver(context, [manageScope], async (client) => {
    const body = await readBody(context);
    const stream = await findStream(context.server, client, body.stream_id);
    const { verified } = body;
    if (verified !== undefined && typeof verified !== "boolean") {
      throw invalid("verified", "true or false", quote(verified));
    }
    await changeSubject(context.server, stream, body.subject, isAdded);
    return empty(isAdded ? 200 : 204);
  });
}

export const verification: Handlers<HostedServer> = {
  POST: (context) =>
    asReceiver(context, [manageScope], async (client) => {
      const body = await readBody(context);
      const stream = await findStream(context.server, client, body.stream_id);
      await sendVerification(context.server, client, stream, readText(body, "state"));
      return empty(204);
    }),
};

async function readBody({ request }: Context<HostedServer>): Promise<Body> {
  return await readJsonObject(request, "SS-03");
}

function streamIdOf({ target }: Context<HostedServer>): string | null {
  return new URLSearchParams(target.query).get("stream_id");
}

function change(
  context: Context<HostedServer>,
  changed: (stream: EventStreamRecord, changes: StreamChanges) => EventStreamRecord,
): Promise<HttpResponse | Response> {
  return asReceiver(context, [manageScope], async (client) => {
    const { server } = context;
    const body = await readBody(context);
    const result = await changeStream(server, client, body.stream_id, (stream) => {
      assertSupplied(describe(context, stream), body);
      return changed(stream, readChanges(context, client, body));
    });
    return json(200, describe(context, result));
  });
}

/** The members of a stream that the server supplies. A request may repeat them (§8.1.1.3). */
const supplied = ["iss", "aud", "events_supported", "events_delivered"] as const;

function assertSupplied(current: Body, body: Body): void {
  for (const name of supplied) {
    if (body[name] === undefined || canonical(body[name]) === canonical(current[name])) continue;
    throw reject("SS-05", { name, expected: canonical(current[name]), sent: body[name] });
  }
}

/** A value to compare: lists of event types are sets. */
function canonical(value: unknown): string {
  const isList = Array.isArray(value) && value.every((type) => typeof type === "string");
  return JSON.stringify(isList ? value.toSorted() : value);
}

/** The members of a stream that its client supplies. */
function readChanges({ server }: Context<HostedServer>, client: Client, body: Body): StreamChanges {
  const { events_requested: events, delivery } = body;
  const isList = (value: unknown): value is readonly string[] =>
    Array.isArray(value) && value.length <= maxRequestedEvents &&
    value.every((type) => typeof type === "string" && type.length <= maxTextLength);
  if (events !== undefined && !isList(events)) {
    throw invalid("events_requested", `at most ${maxRequestedEvents} strings`, describeList(events));
  }
  if (events !== undefined) warnUnsupported(server, client, events);
  return {
    ...events !== undefined && { eventsRequested: events },
    ...delivery !== undefined && readDelivery(server, delivery),
    ...body.description !== undefined && { description: readText(body, "description") },
  };
}

/** Maximum number of unsupported event types that a warning names. */
const maxNamedEvents = 5;

/** Warns of requested types that the stream does not deliver. A verification is delivered without being requested. */
function warnUnsupported(server: HostedServer, client: Client, events: readonly string[]): void {
  const unsupported = events.filter((type) => !supportedEvents(server).includes(type) && type !== verificationEvent);
  if (unsupported.length === 0) return;
  const others = unsupported.length - maxNamedEvents;
  const named = unsupported.slice(0, maxNamedEvents).map((type) => quote(type)).join(", ");
  warn(server, client.id, {
    rule: "SS-03",
    reason: "events_requested has types that this server does not support, so the stream does not deliver them",
    expected: "types of events_supported",
    received: others > 0 ? `${named} and ${others} more` : named,
    fix: "Compare events_delivered of the response with what the client needs.",
  });
}

function readDelivery(server: HostedServer, delivery: unknown): Pick<StreamChanges, "pushUrl" | "authorization"> {
  const { method, endpoint_url: url, authorization_header: authorization } = Object(delivery);
  if (typeof authorization === "string") learnCredentials(server, authorization);
  if (method === pollMethod) return { pushUrl: undefined, authorization: undefined };
  if (method !== pushMethod) throw invalid("delivery.method", `${pushMethod} or ${pollMethod}`, quote(method));
  const { insecure, allows } = server.policy;
  const allowHttp = insecure.includes("http-redirect-uris");
  const issue = typeof url !== "string" || url.length > maxTextLength || !/^https?:/i.test(url)
    ? { expected: "an https URL" }
    : validateClientUri(url, allowHttp, allows.localUrls);
  if (issue !== undefined) throw invalid("delivery.endpoint_url", issue.expected, quote(url));
  // Other characters could begin another header.
  if (
    authorization !== undefined && !(typeof authorization === "string" && /^[\x20-\x7E]{1,2048}$/.test(authorization))
  ) {
    // The value is a secret.
    const received = typeof authorization === "string"
      ? `${authorization.length} characters`
      : describeKind(authorization);
    throw invalid("delivery.authorization_header", "1 to 2048 printable ASCII characters", received);
  }
  return { pushUrl: url, authorization };
}

function readText(body: Body, name: string): string | undefined {
  const { [name]: value } = body;
  if (value === undefined || typeof value === "string" && value.length <= maxTextLength) return value;
  throw invalid(name, `a string of at most ${maxTextLength} characters`, quote(value));
}

function invalid(name: string, expected: string, received: string): OAuthError {
  return reject("SS-03", { name, expected, received });
}

function describeList(value: unknown): string {
  if (!Array.isArray(value)) return quote(value);
  const other = value.find((item) => typeof item !== "string");
  return `${value.length} values${other === undefined ? "" : `, one of them ${quote(other)}`}`;
}

/** The configuration of a stream (§8.1.1). The value of the `Authorization` header is a secret of the client. */
function describe(context: Context<HostedServer>, stream: EventStreamRecord): Body {
  const { streamId, clientId, eventsRequested, pushUrl, description } = stream;
  return {
    stream_id: streamId,
    iss: context.server.issuer,
    aud: clientId,
    events_supported: supportedEvents(context.server),
    events_requested: eventsRequested,
    events_delivered: deliveredEvents(context.server, stream),
    delivery: pushUrl === undefined
      ? { method: pollMethod, endpoint_url: endpointUrl(context, "ssf_poll").replace("*", streamId) }
      : { method: pushMethod, endpoint_url: pushUrl },
    description,
  };
}

function describeStatus({ streamId, status, reason }: EventStreamRecord): Body {
  return { stream_id: streamId, status, reason };
}

function empty(status: number): HttpResponse {
  return { status, headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" }, body: null };
}

/** The handlers of the metadata document. */
export const metadata: Handlers = {
  GET: (context) =>
    json(200, {
      spec_version: "1_0",
      issuer: context.server.issuer,
      jwks_uri: endpointUrl(context, "jwks"),
      delivery_methods_supported: [pushMethod, pollMethod],
      configuration_endpoint: endpointUrl(context, "ssf_stream"),
      status_endpoint: endpointUrl(context, "ssf_status"),
      add_subject_endpoint: endpointUrl(context, "ssf_add_subject"),
      remove_subject_endpoint: endpointUrl(context, "ssf_remove_subject"),
      verification_endpoint: endpointUrl(context, "ssf_verification"),
      authorization_schemes: [{ spec_urn: "urn:ietf:rfc:6749" }],
      default_subjects: sharedSignalsOf(context.server).sharedSignalsSubjects,
    }, { "cache-control": "public, max-age=60" }),
};
