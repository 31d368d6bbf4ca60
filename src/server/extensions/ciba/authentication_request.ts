/** Backchannel authentication requests (CIBA §7.1): their user, their parameters, and their records. */

import { subjectFor } from "../../token/subjects.ts";
import { metadataOf } from "../../config/client_metadata.ts";
import { type Params, splitScope } from "../../../core/http/params.ts";
import type { User } from "../../../core/clients/client.ts";
import type { Client } from "../../../core/clients/clients.ts";
import { isReadable } from "../../config/untrusted_text.ts";
import { randomId, storageKey } from "../../../core/keys/secrets.ts";
import type { Server } from "../../../core/server.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { userForClientHint } from "../../clients/login_hint.ts";
import type { ListedRecord } from "../../../core/store/store.ts";
import { type PolledRequestRecord, polledStore } from "../polled/records.ts";
import { addPolledRequest, readPolledRequest } from "../polled/polled_request.ts";
import { reject as rejectUnsigned } from "../signed_requests/rules.ts";
import { mustSign } from "../signed_requests/settings.ts";
import { reject } from "./rules.ts";
import { cibaGrant, cibaSettings } from "./settings.ts";

interface StartedAuthentication {
  /** The key of its record. */
  readonly id: string;
  /** For the polls of the client. */
  readonly authReqId: string;
  /** The lifetime, in seconds. */
  readonly expiresIn: number;
}

/**
 * Length of the prefix of an id that all requests of one client for one user share; the other characters are random.
 */
const prefixLength = 21;

/** Maximum number of requests of one client for one user that are kept, so that no client floods a user. */
const maxKeptRequests = 100;

/** Seconds after which a client with too many requests for a user may try again. */
const retryAfterSeconds = 60;

/**
 * Validates and stores a request.
 *
 * @param address The network address of the client, which the user sees; absent if unknown.
 * @throws {OAuthError} If the client may not use the grant type, a parameter is invalid, or the hint names no user.
 */
export async function startAuthentication(
  server: HostedServer,
  client: Client,
  params: Params,
  address: string | undefined,
): Promise<StartedAuthentication> {
  if (!client.confidential) throw reject("CB-05", { problem: "public", clientId: client.id });
  assertUnsigned(server, client, params);
  const hint = findHint(params);
  assertScope(params);
  const message = readMessage(params);
  const expiresIn = readLifetime(server, params);
  const notificationToken = readNotificationToken(client, params);
  const request = await readPolledRequest(server, cibaGrant, client, params);
  const { loginRequirements } = request;
  const user = await findUser(server, client, hint, params, loginRequirements.demandedSubs ?? []);
  const prefix = await prefixFor(server, client, user.sub);
  const id = prefix + randomId(server.randomBytes);
  const demandedSubs = [[await subjectFor(server, client, user.sub)]];
  const authReqId = await addPolledRequest(server, cibaGrant, client, {
    ...{ id, message, address, lifetimeSeconds: expiresIn, notificationToken },
    request: { ...request, loginRequirements: { ...loginRequirements, loginHint: user.sub, demandedSubs } },
  });
  const store = polledStore(server);
  // Counted after the request was stored, so that concurrent requests count each other.
  if (await store.count("polled_request", prefix) > maxKeptRequests) {
    await store.delete("polled_request", id);
    const handling = { status: 429, retryAfter: retryAfterSeconds };
    throw reject("CB-10", { problem: "busy", maxRequests: maxKeptRequests }, handling);
  }
  server.passed("CB-02", hint);
  return { id, authReqId: authReqId!, expiresIn };
}

/** The undecided and decided requests of a client for a user. */
export async function listRequests(
  server: Server,
  client: Client,
  sub: string,
): Promise<readonly ListedRecord<PolledRequestRecord>[]> {
  const prefix = await prefixFor(server, client, sub);
  return await polledStore(server).list("polled_request", { prefix, limit: maxKeptRequests });
}

async function prefixFor(server: Server, client: Client, sub: string): Promise<string> {
  // The prefix depends on the client: the ids must not reveal to two clients that they have the same user (pairwise
  // subjects).
  return (await storageKey(server, `ciba ${JSON.stringify([client.id, sub])}`)).slice(0, prefixLength);
}

const hintNames = ["login_hint", "id_token_hint", "login_hint_token"] as const;

/** The only hint of a request. */
function findHint(params: Params): typeof hintNames[number] {
  // An empty hint counts as absent (OAuth 2.1 §3.2).
  const sent = hintNames.filter((name) => params.get(name) !== undefined);
  const [hint] = sent;
  if (hint === undefined || sent.length > 1 || hint === "login_hint_token") throw reject("CB-02", { sent });
  return hint;
}

/** Rejects signed requests, which are not supported, and clients all of whose requests must be signed. */
function assertUnsigned(server: Server, client: Client, params: Params): void {
  if (params.has("request")) throw reject("CB-01", { problem: "signed" });
  if (mustSign(server, client)) throw rejectUnsigned("JR-05", { unsupportedFor: client.id });
}

function assertScope(params: Params): void {
  const scope = params.get("scope");
  if (splitScope(scope ?? "").includes("openid")) return;
  throw reject("CB-01", { problem: "no openid", scope });
}

/** Printable characters: no line breaks, and no characters that change the direction of a text. */
const messageSyntax = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,64}$/u;

function readMessage(params: Params): string | undefined {
  const message = params.get("binding_message");
  if (message === undefined || messageSyntax.test(message) && isReadable(message)) return message;
  throw reject("CB-08", { length: message.length });
}

/** A bearer token (RFC 6750 §2.1). Fewer characters cannot have the 128 random bits of CIBA §7.1. */
const notificationTokenSyntax = /^(?=.{22,1024}$)[A-Za-z0-9._~+/-]+=*$/;

function readNotificationToken(client: Client, params: Params): string | undefined {
  const { id } = client;
  if (metadataOf(client).backchannel_token_delivery_mode !== "ping") return undefined;
  const token = params.get("client_notification_token");
  if (token !== undefined && notificationTokenSyntax.test(token)) return token;
  throw reject("CB-12", { clientId: id, length: token?.length });
}

function readLifetime(server: Server, params: Params): number {
  const requested = params.get("requested_expiry");
  const { backchannelRequestLifetime } = cibaSettings.of(server.policy);
  if (requested === undefined) return backchannelRequestLifetime;
  if (/^[1-9]\d{0,9}$/.test(requested)) return Math.min(Number(requested), backchannelRequestLifetime);
  throw reject("CB-09", { requested });
}

/** The user of the hint. `readPolledRequest` has verified an `id_token_hint`. */
async function findUser(
  server: HostedServer,
  client: Client,
  hint: typeof hintNames[number],
  params: Params,
  demandedSubs: readonly (readonly string[])[],
): Promise<User> {
  const named = hint === "login_hint"
    ? await userForClientHint(server, params.get("login_hint")!, client.id)
    : undefined;
  const demanded = demandedSubs.length === 0 ? undefined : await server.identifiers.find(server, client, demandedSubs);
  const sub = named?.sub ?? demanded?.[0];
  const user = sub === undefined || demanded?.includes(sub) === false ? undefined : await server.users.find(sub);
  if (user !== undefined) return user;
  throw reject("CB-10", { problem: "unknown", hint, loginHint: params.get("login_hint") ?? "" });
}
