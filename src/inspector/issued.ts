/** The codes and tokens that a flow issued, as a tree, with their current status. */

import { storageKey } from "../oauth/secrets.ts";
import type { Server } from "../oauth/server.ts";
import { readAccessToken } from "../oauth/tokens/read_access_token.ts";
import type { Exchange, Flow } from "../recorder/exchange.ts";
import { parseJsonMembers } from "../recorder/record_response.ts";
import type { Issued } from "../ui/flows/props.ts";
import type { Status } from "../ui/status_badge.tsx";
import { fieldValue, formatTime, relativeTime } from "./labels.ts";
import { decodeJwt } from "./message.ts";

type Kind = "code" | "access_token" | "refresh_token" | "id_token";

const kindLabels: Readonly<Record<Kind, string>> = {
  code: "Authorization code",
  access_token: "Access token",
  refresh_token: "Refresh token",
  id_token: "ID token",
};

interface IssuedItem {
  readonly kind: Kind;
  readonly value: string;
  readonly step: number;
  /** When it expires according to the response, in milliseconds since the epoch. */
  readonly expiresAt?: number;
  readonly exchangedFor?: string;
}

/** The roots of the tree; the tokens of a code or refresh token are its children. */
export async function issuedItems(server: Server, flow: Flow): Promise<Issued[]> {
  const items: IssuedItem[] = [];
  for (const [i, exchange] of flow.exchanges.entries()) {
    for (const item of findIssued(exchange, i + 1)) {
      // Without rotation, a refresh returns the same refresh token again.
      if (!items.some(({ value }) => value === item.value)) items.push(item);
    }
  }
  const toTree = (roots: readonly IssuedItem[]): Promise<Issued[]> =>
    Promise.all(roots.map(async (item) => ({
      name: kindLabels[item.kind],
      step: item.step,
      status: await itemStatus(server, flow, item),
      children: await toTree(items.filter((other) => other.exchangedFor === item.value)),
    })));
  return await toTree(items.filter((item) => !items.some(({ value }) => value === item.exchangedFor)));
}

/** The ID token that was issued last; `undefined` if no recorded response has one. */
export function findLastIdToken(exchanges: readonly Exchange[]): string | undefined {
  for (const exchange of exchanges.toReversed()) {
    for (const { kind, value } of findIssued(exchange, 0)) if (kind === "id_token") return value;
  }
  return undefined;
}

function* findIssued({ caller, request, response, at }: Exchange, step: number): Generator<IssuedItem> {
  const code = response?.authorizationResponse && fieldValue(response.authorizationResponse.params, "code");
  if (code !== undefined) yield { kind: "code", value: code, step };
  if (caller !== "client" || response?.status !== 200) return;
  const tokens = parseJsonMembers(response);
  const exchanged = fieldValue(request.form, "code") ?? fieldValue(request.form, "refresh_token");
  for (const kind of ["access_token", "refresh_token", "id_token"] as const) {
    const value = tokens[kind];
    if (typeof value !== "string") continue;
    const exp = decodeJwt(value)?.claims.exp;
    const expiresIn = kind === "access_token" ? tokens.expires_in : undefined;
    const expiresAt = typeof exp === "number"
      ? exp * 1000
      : typeof expiresIn === "number"
      ? at + expiresIn * 1000
      : undefined;
    yield { kind, value, step, expiresAt, exchangedFor: exchanged };
  }
}

async function itemStatus(server: Server, { grantId }: Flow, item: IssuedItem): Promise<Status> {
  const now = server.now();
  const { kind, value, expiresAt } = item;
  if (kind === "id_token") return statusUntil(expiresAt, now, "valid");
  if (kind === "access_token") {
    if (await readAccessToken(server, value) !== undefined) return statusUntil(expiresAt, now, "valid");
    if (expiresAt !== undefined && now >= expiresAt) return expiredStatus(expiresAt, now);
    return await isRevoked(server, grantId) ? revokedWithGrant : { tone: "bad", label: "revoked or not valid here" };
  }
  const record = await server.store.get(kind, await storageKey(server, value));
  if (record === undefined) return { tone: "open", label: "no longer stored" };
  if (record.consumedAt !== undefined) return { tone: "open", label: `used at ${formatTime(record.consumedAt, now)}` };
  if (await isRevoked(server, record.grantId)) return revokedWithGrant;
  const { grant: { subject, scope }, validUntil } = record.value;
  if (!scope.includes("offline_access") && await isRevoked(server, subject.sid)) {
    return { tone: "bad", label: "revoked with its session" };
  }
  return statusUntil(validUntil, now, kind === "code" ? "not exchanged, valid" : "valid");
}

const revokedWithGrant: Status = { tone: "bad", label: "revoked with its grant" };

/** Whether a grant or a session is revoked. */
async function isRevoked(server: Server, grantId: string | undefined): Promise<boolean> {
  return grantId !== undefined && await server.store.get("revocation", grantId) !== undefined;
}

function statusUntil(expiresAt: number | undefined, now: number, label: string): Status {
  if (expiresAt === undefined) return { tone: "good", label };
  if (now >= expiresAt) return expiredStatus(expiresAt, now);
  return { tone: "good", label: `${label} until ${formatTime(expiresAt, now)}, ${relativeTime(expiresAt, now)}` };
}

function expiredStatus(at: number, now: number): Status {
  return { tone: "open", label: `expired at ${formatTime(at, now)}` };
}
