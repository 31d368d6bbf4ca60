/** What a flow issued, as a tree of what was issued for what, and what of it is still good. */

import { shelfId } from "../oauth/secrets.ts";
import type { Server } from "../oauth/server.ts";
import { readAccessToken } from "../oauth/tokens/access_token.ts";
import type { Exchange, Flow } from "../recorder/exchange.ts";
import { membersOf } from "../recorder/read_response.ts";
import type { Issued, Standing } from "../ui/flows/props.ts";
import { readJwt } from "./jwt.ts";
import { clock, fromNow, valueOf } from "./labels.ts";

type Kind = "code" | "access_token" | "refresh_token" | "id_token";

const names: Readonly<Record<Kind, string>> = {
  code: "Authorization code",
  access_token: "Access token",
  refresh_token: "Refresh token",
  id_token: "ID token",
};

/** Something of value, and what was given for it. */
interface Find {
  readonly kind: Kind;
  readonly value: string;
  readonly step: number;
  /** When it expires by what was said when it was issued, in milliseconds since the epoch. */
  readonly expiresAt?: number;
  readonly for?: string;
}

/** The roots of the tree; below a code or a refresh token stands what it was exchanged for. */
export async function issuedIn(server: Server, flow: Flow): Promise<Issued[]> {
  const finds: Find[] = [];
  for (const [i, exchange] of flow.exchanges.entries()) {
    for (const find of findsIn(exchange, i + 1)) {
      // A refresh that does not rotate answers with the same refresh token again.
      if (!finds.some(({ value }) => value === find.value)) finds.push(find);
    }
  }
  const grow = (roots: readonly Find[]): Promise<Issued[]> =>
    Promise.all(roots.map(async (find) => ({
      name: names[find.kind],
      step: find.step,
      standing: await standingOf(server, flow, find),
      then: await grow(finds.filter((other) => other.for === find.value)),
    })));
  return await grow(finds.filter((find) => !finds.some(({ value }) => value === find.for)));
}

function* findsIn({ endpoint, request, answer, at }: Exchange, step: number): Generator<Find> {
  const code = answer?.handover && valueOf(answer.handover.params, "code");
  if (code !== undefined) yield { kind: "code", value: code, step };
  if (endpoint !== "token" || answer?.status !== 200) return;
  const tokens = membersOf(answer);
  const paid = valueOf(request.form, "code") ?? valueOf(request.form, "refresh_token");
  for (const kind of ["access_token", "refresh_token", "id_token"] as const) {
    const value = tokens[kind];
    if (typeof value !== "string") continue;
    const exp = readJwt(value)?.claims.exp;
    const life = kind === "access_token" ? tokens.expires_in : undefined;
    const expiresAt = typeof exp === "number" ? exp * 1000 : typeof life === "number" ? at + life * 1000 : undefined;
    yield { kind, value, step, expiresAt, for: paid };
  }
}

async function standingOf(server: Server, { family }: Flow, find: Find): Promise<Standing> {
  const now = server.now();
  const { kind, value, expiresAt } = find;
  if (kind === "id_token") return untilThen(expiresAt, now, "can be verified");
  if (kind === "access_token") {
    if (await readAccessToken(server, value) !== undefined) return untilThen(expiresAt, now, "good");
    if (expiresAt !== undefined && now >= expiresAt) return expired(expiresAt, now);
    return await hasEnded(server, family) ? endedWithGrant : { mark: "bad", words: "revoked, or not good here" };
  }
  const entry = await server.store.get(kind, await shelfId(server, value));
  if (entry === undefined) return { mark: "open", words: "no longer kept" };
  if (entry.spentAt !== undefined) return { mark: "open", words: `used at ${clock(entry.spentAt, now)}` };
  if (await hasEnded(server, entry.family)) return endedWithGrant;
  const { sid, scope, validUntil } = entry.value;
  if (!scope.includes("offline_access") && await hasEnded(server, sid)) {
    return { mark: "bad", words: "ended with its session" };
  }
  return untilThen(validUntil, now, kind === "code" ? "waits to be redeemed" : "good");
}

const endedWithGrant: Standing = { mark: "bad", words: "ended with its grant" };

/** Whether a grant or a session has ended, and what belongs to it. */
async function hasEnded(server: Server, family: string | undefined): Promise<boolean> {
  return family !== undefined && await server.store.get("ended_family", family) !== undefined;
}

function untilThen(expiresAt: number | undefined, now: number, words: string): Standing {
  if (expiresAt === undefined) return { mark: "good", words };
  if (now >= expiresAt) return expired(expiresAt, now);
  return { mark: "good", words: `${words} until ${clock(expiresAt, now)}, ${fromNow(expiresAt, now)}` };
}

function expired(at: number, now: number): Standing {
  return { mark: "open", words: `expired at ${clock(at, now)}` };
}
