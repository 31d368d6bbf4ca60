/**
 * Sessions: the login of a user in a browser, encoded with a MAC in a cookie.
 *
 * 1. `sessionFor` starts a session at login; `encodeSession` makes the value of its cookie. Nothing is stored.
 * 2. `decodeSession` verifies the cookie of a later request: MAC, expiry, user, password, revocation.
 * 3. `endSession` revokes it, at logout; refresh tokens without `offline_access` end with it.
 *
 * Cookies are in `cookies.ts`. CSRF tokens and pending authorizations use the same MACs.
 */

import type { Approval } from "../authorize/approval.ts";
import { cryptography, decodeBase64url, encodeBase64url } from "../keys/crypto.ts";
import { OAuthError } from "../rules/errors.ts";
import { describeKind } from "../http/quote_value.ts";
import type { Subject } from "../store/store.ts";
import type { User } from "../clients/client.ts";
import type { Session } from "./session_type.ts";
import type { Allowances } from "../http/test_hosts.ts";
import { constantTimeEqual, randomId, randomToken } from "../keys/secrets.ts";
import type { EndingSession, Server } from "../server.ts";
import { clockToleranceMs } from "../http/timers.ts";

export type { Session };

/** Maximum number of earlier session ids in the cookie. */
const maxEarlierSessions = 8;

/**
 * The session of an approval with the user and the time of the current session is that session; any other approval
 * starts a new one.
 */
export function sessionFor(
  server: Server,
  { user, authTime }: Approval,
  session: Session | undefined,
  previousSession: Session | undefined,
): Session {
  if (session?.sub === user.sub && session.authTime === authTime) return session;
  return createSession(server, user, authTime, previousSession);
}

/**
 * Creates a session. If the previous session was of the same user, the new session takes over its ids.
 *
 * @param authTime When the user logged in, in milliseconds since the epoch.
 * @throws {OAuthError} `server_error` if the time is not a number, or in the future: such a session would never end.
 */
function createSession(
  server: Server,
  user: User,
  authTime: number,
  previousSession?: Session,
): Session {
  const now = server.now();
  if (!(Number.isFinite(authTime) && authTime <= now + clockToleranceMs)) {
    throw new OAuthError("server_error", "the time of the login is invalid", {
      expected: `the authTime of a login: milliseconds since the epoch, at most ${now}, the time of this server`,
      received: typeof authTime === "number" ? String(authTime) : describeKind(authTime),
      fix: "Return the time of the login as a number, such as now().",
    });
  }
  const session = { user, sid: randomId(server.randomBytes), sub: user.sub, authTime };
  if (previousSession?.sub !== user.sub) return session;
  const earlier = [previousSession.sid, ...previousSession.earlier ?? []].slice(0, maxEarlierSessions);
  return { ...session, earlier };
}

/** Encodes a session with a MAC. */
export async function encodeSession(
  server: Server,
  { user, sid, sub, authTime, earlier = [], extensions }: Session,
): Promise<string> {
  const fingerprint = await server.grants.loginFingerprint(server, user);
  return await encodeWithMac(server, "session", [
    sid,
    sub,
    authTime,
    fingerprint,
    ...earlier,
    ...extensions === undefined ? [] : [extensions],
  ]);
}

/**
 * Verifies and decodes a session; `undefined` if it is forged, expired, ended, or older than the user or their
 * password.
 */
export async function decodeSession(server: Server, encoded: string): Promise<Session | undefined> {
  const decoded = await decodeWithMac(server, "session", encoded);
  if (decoded === undefined) return undefined;
  const [sid, sub, authTime, fingerprint, ...rest] = decoded as [string, string, number, string, ...EncodedRest[]];
  if (server.now() >= authTime + server.policy.lifetimes.session * 1000) return undefined;
  const user = await server.users.find(sub);
  if (user === undefined || fingerprint !== await server.grants.loginFingerprint(server, user)) return undefined;
  if (await server.store.get("revocation", sid) !== undefined) return undefined;
  const earlier = rest.filter((item) => typeof item === "string");
  const extensions = rest.find((item) => typeof item === "object");
  return { user, sid, sub, authTime, ...extensions && { extensions }, ...earlier.length > 0 && { earlier } };
}

/** The items after the first four of an encoded session: earlier ids, and values of extensions if it has some. */
type EncodedRest = string | NonNullable<Subject["extensions"]>;

/** Encodes a value as JSON with a MAC for one purpose. The value is signed, not encrypted. */
export async function encodeWithMac(server: Server, purpose: string, value: unknown): Promise<string> {
  const content = encodeBase64url(JSON.stringify(value));
  return `${content}.${await computeMac(server, purpose, content)}`;
}

/** Decodes a value that was encoded for this purpose; `undefined` if the MAC is wrong. */
export async function decodeWithMac(server: Server, purpose: string, encoded: string): Promise<unknown> {
  const [content, mac, ...rest] = encoded.split(".");
  if (content === undefined || mac === undefined || rest.length > 0) return undefined;
  if (!constantTimeEqual(await computeMac(server, purpose, content), mac)) return undefined;
  return JSON.parse(decoder.decode(decodeBase64url(content)));
}

const decoder = new TextDecoder();

/** The MAC of a text by the secret of this server, valid for one purpose only. */
export async function computeMac(server: Server, purpose: string, text: string): Promise<string> {
  const secret = await serverSecret(server, "session");
  return encodeBase64url(await cryptography().hmac(secret, `${server.names.storage} ${purpose} ${text}`));
}

/** Ends a session and revokes the grants that are bound to it. */
export async function endSession(server: Server, { sid, earlier = [] }: EndingSession): Promise<void> {
  const now = server.now();
  const { store, policy: { lifetimes: { session, refresh_token } } } = server;
  for (const id of [sid, ...earlier]) await store.revoke(id, now + Math.max(session, refresh_token) * 1000);
  server.trace({ type: "session_ended", at: now, sid });
}

/**
 * Ends sessions that the cookie no longer contains after a new login, because logout could not end them later: the
 * session of another user, and the oldest ids beyond the limit of the cookie.
 */
export async function endForgottenSessions(server: Server, previousSession: Session, session: Session): Promise<void> {
  const remaining = [session.sid, ...session.earlier ?? []];
  const previous = [previousSession.sid, ...previousSession.earlier ?? []];
  const [sid, ...earlier] = previous.filter((id) => !remaining.includes(id));
  if (sid !== undefined) await server.endSession(server, { sid, sub: previousSession.sub, earlier });
}

export interface SecretOwner extends Pick<Server, "store" | "randomBytes"> {
  readonly policy: { readonly allows: Allowances };
}

const secretsByStore = new WeakMap<Server["store"], Map<string, Promise<string>>>();

/**
 * The secret for one purpose. Test hosts have separate secrets: a seeded test may have generated them, so a production
 * host with the same store must not use them.
 */
export function serverSecret(owner: SecretOwner, purpose: string): Promise<string> {
  let secrets = secretsByStore.get(owner.store);
  if (secrets === undefined) secretsByStore.set(owner.store, secrets = new Map());
  // Not by issuer: a server can have many names, which senders choose.
  const name = owner.policy.allows.testKeys ? `test ${purpose}` : purpose;
  let secret = secrets.get(name);
  if (secret === undefined) {
    secret = loadSecret(owner, name);
    secrets.set(name, secret);
    secret.catch(() => secrets.delete(name));
  }
  return secret;
}

/** Forgets the secrets that were read from a store, because its records were deleted. */
export function forgetSecrets(store: Server["store"]): void {
  secretsByStore.delete(store);
}

async function loadSecret({ store, randomBytes }: SecretOwner, purpose: string): Promise<string> {
  const record = await store.get("server_secret", purpose);
  if (record !== undefined) return record.value.secret;
  const secret = randomToken(randomBytes);
  if (await store.add("server_secret", purpose, { secret }, { expiresAt: Infinity })) return secret;
  return (await store.get("server_secret", purpose))!.value.secret;
}
