/**
 * What ends when a client or a user is removed and added again, or when a password is changed: grants, access tokens
 * and sessions contain the generation of their client and user, so that a removal needs no list of tokens.
 */

import type { User } from "../../core/clients/client.ts";
import type { Client } from "../../core/clients/clients.ts";
import { findKnownClient } from "./clients.ts";
import { createGrant } from "../../core/store/grant.ts";
import type { Authorization } from "../../core/token/grants/authenticated_request.ts";
import type { GrantFunctions, InvalidReason, Removed } from "../../core/token/grants/grant_functions.ts";
import { findInvalidReason } from "../../core/token/grants/narrow_grant.ts";
import type { AuthorizationRequest } from "../../core/authorize/authorization_request.ts";
import type { Server } from "../../core/server.ts";
import { computeMac } from "../../core/sessions/session.ts";
import type { Grant } from "../../core/store/store.ts";
import { newTokenId } from "../../core/token/tokens/access_token.ts";
import type { HostedClient } from "../config/client_metadata.ts";
import type { HostedServer } from "../hosted_server.ts";
import { rejectLogin } from "../rules/login.ts";
import { exchangedTokenId } from "../token/exchanged_token.ts";
import { generationOf } from "./users.ts";

/** A grant of the whole server. */
interface HostedGrant extends Grant {
  /**
   * The generation of the client. If it differs now, the client was removed, and another one with the same id was
   * added. Absent for a configured client that was never removed, and for one with a metadata document.
   */
  readonly clientGeneration?: string;
  /**
   * A fingerprint of the user's password at login; if it differs now, the session has ended. Absent if the user had no
   * password.
   */
  readonly password?: string;
  /**
   * The generation of the user. If it differs now, the user was removed, and another one with the same subject was
   * added. Absent for a configured user who was never removed.
   */
  readonly generation?: string;
}

/** `undefined` for a configured client that was never removed, and for one with a metadata document. */
export function generationOfClient({ generation }: HostedClient): string | undefined {
  return generation;
}

/** The generation of a client by its id. It fetches no metadata document: such a client has no generation. */
export async function generationOfClientId({ clients }: Server, id: string): Promise<string | undefined> {
  const client = await findKnownClient(clients, id);
  return client && generationOfClient(client);
}

export interface ClientRecord {
  readonly clientId: string;
  /** The generation of the client; absent if it has none. */
  readonly clientGeneration?: string;
}

/** The members of a record that belongs to a client. */
export function clientRecord(client: Client): ClientRecord {
  return { clientId: client.id, clientGeneration: generationOfClient(client) };
}

/** The client of a record; `undefined` if it was removed, even if another one has its id now. */
export async function findClientOf(
  { clients }: Server,
  { clientId, clientGeneration }: ClientRecord,
): Promise<Client | undefined> {
  const client = await clients.findHolder(clientId);
  return client !== undefined && generationOfClient(client) === clientGeneration ? client : undefined;
}

/** A request that is kept while the user decides. */
export interface KeptRequest extends AuthorizationRequest {
  /** The generation of the client; absent if it has none. */
  readonly clientGeneration?: string;
}

/** Adds the generation of the client. */
export function keptRequest({ clientId, ...others }: AuthorizationRequest, client: Client): KeptRequest {
  const clientGeneration = generationOfClient(client);
  return { clientId, ...clientGeneration !== undefined && { clientGeneration }, ...others };
}

/**
 * The user for whom a code or token was issued.
 *
 * @param generation The generation of the user at that time.
 * @returns `undefined` if the user was removed, even if another user with the same subject was added since.
 */
async function findUser(
  { users }: HostedServer,
  sub: string,
  generation: string | undefined,
): Promise<User | undefined> {
  const user = await users.find(sub);
  return user && generationOf(user) === generation ? user : undefined;
}

/**
 * A mark that changes when the user's password is set, changed or removed; `undefined` without a password. It is keyed,
 * so it reveals nothing about the password.
 */
async function passwordFingerprint(server: HostedServer, user: User): Promise<string | undefined> {
  const password = server.users.passwordOf(user);
  return password === undefined ? undefined : (await computeMac(server, "password", password)).slice(0, 22);
}

/** The functions about grants that look at generations and passwords. */
export const generationFunctions = {
  async create(server: HostedServer, client: Client, granted, knownUser): Promise<HostedGrant> {
    const clientGeneration = generationOfClient(client);
    const user = knownUser ?? await server.users.find(granted.subject.sub);
    const generation = user && generationOf(user);
    const currentUser = knownUser && await findUser(server, knownUser.sub, generation);
    // The password may have changed since the login.
    if (currentUser !== undefined && server.users.passwordOf(currentUser) !== server.users.passwordOf(knownUser!)) {
      throw rejectLogin("AZ-21", { denied: "password" });
    }
    const password = user && await passwordFingerprint(server, user);
    return { ...createGrant(server, client, granted), clientGeneration, password, generation };
  },
  async findRemoved(server: HostedServer, client: Client, grant: HostedGrant): Promise<Removed | undefined> {
    const { sub } = grant.subject;
    if (generationOfClient(client) !== grant.clientGeneration) return { rule: "CI-11", lost: "client", id: client.id };
    return await findUser(server, sub, grant.generation) === undefined
      ? { rule: "CI-11", lost: "user", id: sub }
      : undefined;
  },
  async findInvalidReason(server: HostedServer, client: Client, stored, scope): Promise<InvalidReason | undefined> {
    const reason = await findInvalidReason(server, client, stored, scope);
    // With offline_access, a grant survives a change of the password.
    if (reason !== undefined || scope.includes("offline_access")) return reason;
    const { subject: { sub }, password }: HostedGrant = stored.value.grant;
    const user = await server.users.find(sub);
    if (user === undefined || await passwordFingerprint(server, user) !== password) return { rule: "LO-06" };
    server.passed("LO-06");
    return undefined;
  },
  async loginFingerprint(server: HostedServer, user) {
    const generation = generationOf(user);
    const prefix = generation === undefined ? "" : `${generation} `;
    return prefix + (await passwordFingerprint(server, user) ?? "");
  },
  async tokenId(server: HostedServer, authorization) {
    const id = newTokenId(server, { grantId: exchangedTokenId.of(authorization) ?? authorization.grantId });
    return id + formatGenerations(await generationsAtApproval(server, authorization));
  },
  async findTokenProblem(server: HostedServer, { claims: { jti, client_id }, user }) {
    const generations = generationsOfAccessToken(jti);
    const client = await server.clients.findHolder(client_id);
    if (client === undefined || generationOfClient(client) !== generations.client) return "the client was removed";
    if (user === undefined || await findUser(server, user, generations.user) !== undefined) return undefined;
    return "the user was removed";
  },
} satisfies Partial<GrantFunctions<Server>>;

/** The generations when the grant was approved, or when the exchanged token was issued. */
async function generationsAtApproval(
  { users }: HostedServer,
  authorization: Authorization & { readonly grant?: HostedGrant },
): Promise<Generations> {
  const { client, subject, grant } = authorization;
  const exchanged = exchangedTokenId.of(authorization);
  if (exchanged !== undefined) {
    return { user: subject && generationsOfAccessToken(exchanged).user, client: generationOfClient(client) };
  }
  if (grant !== undefined) return { user: subject && grant.generation, client: grant.clientGeneration };
  const user = subject && await users.find(subject.sub);
  return { user: user && generationOf(user), client: generationOfClient(client) };
}

/** The generations of the user and the client of an access token; `undefined` without one. */
interface Generations {
  readonly user?: string;
  readonly client?: string;
}

/** The end of a `jti` with these generations. */
function formatGenerations({ user, client }: Generations): string {
  if (client !== undefined) return `~${user ?? ""}~${client}`;
  return user === undefined ? "" : `~${user}`;
}

/** The generations in the `jti` of an access token, after its last dot. */
function generationsOfAccessToken(jti: string): Generations {
  const [, user, client] = jti.slice(jti.lastIndexOf(".") + 1).split("~");
  return { user: user || undefined, client };
}
