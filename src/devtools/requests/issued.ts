/** The codes and tokens that a flow issued, as a tree, with their current status. */

import { storageKey } from "../../core/keys/secrets.ts";
import type { Server } from "../../core/server.ts";
import { readAccessToken } from "../../core/token/tokens/read_access_token.ts";
import type { Flow } from "../../recorder/exchange.ts";
import { type IssuedToken, issuedTokens } from "../../recorder/issued_tokens.ts";
import type { Issued, IssuedStatus } from "./pages/props.ts";
import { relativeTime, timeOfDay } from "./labels.ts";

const kindLabels: Readonly<Record<IssuedToken["kind"], string>> = {
  code: "Authorization code",
  access_token: "Access token",
  refresh_token: "Refresh token",
  id_token: "ID token",
};

/**
 * The roots of the tree; the tokens of a code or refresh token are its children.
 *
 * @param canCheck Whether the visitor may check tokens of this server.
 */
export async function issuedItems(server: Server, flow: Flow, canCheck: boolean): Promise<Issued[]> {
  const tokens = issuedTokens(flow);
  const isCheckable = async ({ kind, client }: IssuedToken) =>
    canCheck && (kind === "access_token" || kind === "id_token") && client !== undefined &&
    (await server.clients.find(client))?.standing === "configured";
  const toTree = (roots: readonly IssuedToken[]): Promise<Issued[]> =>
    Promise.all(roots.map(async (token) => {
      return {
        name: kindLabels[token.kind],
        step: token.step,
        status: await tokenStatus(server, flow, token),
        reference: await isCheckable(token) ? token.reference : undefined,
        children: await toTree(tokens.filter((other) => other.exchangedFor === token.value)),
      };
    }));
  return await toTree(tokens.filter((token) => !tokens.some(({ value }) => value === token.exchangedFor)));
}

async function tokenStatus(server: Server, { grantId }: Flow, token: IssuedToken): Promise<IssuedStatus> {
  const now = server.now();
  const { kind, value, expiresAt } = token;
  if (kind === "id_token") return statusUntil(expiresAt, now, "valid");
  if (kind === "access_token") {
    if (await readAccessToken(server, value) !== undefined) return statusUntil(expiresAt, now, "valid");
    if (expiresAt !== undefined && now >= expiresAt) return expiredStatus(expiresAt, now);
    return await isRevoked(server, grantId) ? revokedWithGrant : { tone: "bad", label: "revoked or not valid here" };
  }
  const record = await server.store.get(kind, await storageKey(server, value));
  if (record === undefined) return { tone: "open", label: "no longer stored" };
  if (record.consumedAt !== undefined) return { tone: "open", label: "used" };
  if (await isRevoked(server, record.grantId)) return revokedWithGrant;
  const { grant: { subject, scope }, validUntil } = record.value;
  if (!scope.includes("offline_access") && await isRevoked(server, subject.sid)) {
    return { tone: "bad", label: "revoked with its session" };
  }
  return statusUntil(validUntil, now, kind === "code" ? "not exchanged, valid" : "valid");
}

const revokedWithGrant: IssuedStatus = { tone: "bad", label: "revoked with its grant" };

/** Whether a grant or a session is revoked. */
async function isRevoked(server: Server, grantId: string | undefined): Promise<boolean> {
  return grantId !== undefined && await server.store.get("revocation", grantId) !== undefined;
}

function statusUntil(expiresAt: number | undefined, now: number, label: string): IssuedStatus {
  if (expiresAt === undefined) return { tone: "good", label };
  if (now >= expiresAt) return expiredStatus(expiresAt, now);
  return withTime("good", `${label} until`, expiresAt, now, `, ${relativeTime(expiresAt, now)}`);
}

function expiredStatus(at: number, now: number): IssuedStatus {
  return withTime("open", "expired at", at, now);
}

/** The end of the last year with four digits, in milliseconds since the epoch. */
const maxShownTime = Date.UTC(10_000, 0);

/** A status that names a time. A token may contain one that no calendar has: it is a text. */
function withTime(tone: IssuedStatus["tone"], label: string, at: number, now: number, rest = ""): IssuedStatus {
  const text = timeOfDay(at, now);
  if (at < 0 || at >= maxShownTime) return { tone, label: `${label} ${text}${rest}` };
  return { tone, label, at, isOtherDay: text.length > 8, rest };
}
