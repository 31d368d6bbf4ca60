/** Sessions: who is logged in, sealed into a value that the browser keeps and only this server can make. */

import { decodeBase64url, encodeBase64url } from "../../runtime/base64url.ts";
import { hmacSha256 } from "../../runtime/crypto.ts";
import type { User } from "../clients/client.ts";
import { formatPasswordDigest, getPasswordDigest } from "../users/password.ts";
import { chain } from "../maybe_promise.ts";
import type { MaybePromise } from "../maybe_promise.ts";
import { constantTimeEqual, randomId } from "../secrets.ts";
import type { Server } from "../server.ts";
import { serverSecret } from "../keys/server_secret.ts";

/** One login of one person in one browser. */
export interface Session {
  /** Names the session; ending it ends what is bound to it. */
  readonly sid: string;
  /** Who is logged in. */
  readonly sub: string;
  /** When the person was authenticated, in milliseconds since the epoch. */
  readonly authTime: number;
  /**
   * Its latest earlier names, from earlier logins of the same user in this browser; grants bound to them end with it.
   */
  readonly earlier?: readonly string[];
}

/** Names of a session that its cookie has room for. */
const maxEarlierSessions = 8;

/** Begins a session with a name of its own, in the place of a former one if that was the same person's. */
export function createSession(server: Server, sub: string, authTime: number, formerSession?: Session): Session {
  const sid = randomId(server.randomBytes);
  if (formerSession?.sub !== sub) return { sid, sub, authTime };
  return {
    sid,
    sub,
    authTime,
    earlier: [formerSession.sid, ...formerSession.earlier ?? []].slice(0, maxEarlierSessions),
  };
}

/** Seals a session. Nothing is shelved: a login costs no write, and a browser that forgets costs no memory. */
export function encodeSession(server: Server, { sid, sub, authTime, earlier = [] }: Session): MaybePromise<string> {
  return chain(
    chain(server.users.find(sub), (user) => user && passwordFingerprint(server, user)),
    (password = "") => encodeWithMac(server, "session", [sid, sub, authTime, password, ...earlier]),
  );
}

/** Verifies and decodes a session; `undefined` if it is forged, expired, ended, or begun before a password change. */
export async function decodeSession(server: Server, encoded: string): Promise<Session | undefined> {
  const decoded = await decodeWithMac(server, "session", encoded);
  if (decoded === undefined) return undefined;
  const [sid, sub, authTime, password, ...earlier] = decoded as [string, string, number, string, ...string[]];
  if (server.now() >= authTime + server.lifetimes.session * 1000) return undefined;
  const user = await server.users.find(sub);
  if (user === undefined || password !== (await passwordFingerprint(server, user) ?? "")) return undefined;
  if (await server.store.get("ended_family", sid) !== undefined) return undefined;
  return { sid, sub, authTime, ...earlier.length > 0 && { earlier } };
}

/**
 * A mark that changes when the user's password is set, changed or removed; `undefined` without a password. It is keyed,
 * so it reveals nothing about the password.
 */
export function passwordFingerprint(server: Server, user: User): MaybePromise<string | undefined> {
  const digest = getPasswordDigest(user);
  // If passwords are required, a user without one cannot log in: no session has this mark.
  if (digest === undefined) return server.openLogin === false ? "none" : undefined;
  return chain(computeMac(server, "password", formatPasswordDigest(digest)), (mac) => mac.slice(0, 22));
}

/** Ends a session and the refresh tokens that are bound to it. */
export async function endSession(
  server: Server,
  { sid, earlier = [] }: Pick<Session, "sid" | "earlier">,
): Promise<void> {
  const now = server.now();
  const { session, refresh_token } = server.lifetimes;
  for (const id of [sid, ...earlier]) {
    await server.store.revoke(id, now + Math.max(session, refresh_token) * 1000);
  }
  server.trace({ type: "session_ended", at: now, sid });
}

/**
 * Ends sessions that the browser's cookie no longer names after a new login, because logout could not end them later:
 * the session of another user, and earlier names that exceed the cookie's limit.
 */
export async function endForgottenSessions(server: Server, formerSession: Session, session: Session): Promise<void> {
  const remaining = [session.sid, ...session.earlier ?? []];
  const [sid, ...earlier] = [formerSession.sid, ...formerSession.earlier ?? []].filter((name) =>
    !remaining.includes(name)
  );
  if (sid !== undefined) await endSession(server, { sid, earlier });
}

/** Seals the secret that identifies a browser, so that only this server can create one. */
export function encodeBrowserSecret(server: Server, secret: string): MaybePromise<string> {
  return chain(computeMac(server, "browser", secret), (mac) => `${secret}.${mac}`);
}

/** Verifies and decodes a browser's secret; `undefined` if this server did not create it. */
export async function decodeBrowserSecret(server: Server, encoded: string): Promise<string | undefined> {
  const secret = encoded.slice(0, encoded.indexOf("."));
  return constantTimeEqual(await encodeBrowserSecret(server, secret), encoded) ? secret : undefined;
}

/** A proof that a form came from a page that was shown to whoever holds a secret, such as a session, for one purpose. */
export function csrfToken(server: Server, holder: string, purpose: string): MaybePromise<string> {
  return computeMac(server, `form ${purpose}`, holder);
}

/** Encodes a value as JSON with a MAC for one purpose: readable by anybody, forgeable by nobody but this server. */
export function encodeWithMac(server: Server, purpose: string, value: unknown): MaybePromise<string> {
  const content = encodeBase64url(JSON.stringify(value));
  return chain(computeMac(server, purpose, content), (mac) => `${content}.${mac}`);
}

/** The value sealed for this purpose; `undefined` if the MAC is wrong. */
export function decodeWithMac(server: Server, purpose: string, encoded: string): MaybePromise<unknown> {
  const [content, mac, ...rest] = encoded.split(".");
  if (content === undefined || mac === undefined || rest.length > 0) return undefined;
  return chain(
    computeMac(server, purpose, content),
    (expectedMac) =>
      constantTimeEqual(expectedMac, mac) ? JSON.parse(decoder.decode(decodeBase64url(content))) : undefined,
  );
}

const decoder = new TextDecoder();

/** By the promise of the secret that each seals with. */
const macBySecret = new WeakMap<Promise<string>, MaybePromise<ReturnType<typeof hmacSha256>>>();

/** What is sealed for one purpose counts for no other. */
function computeMac(server: Server, purpose: string, text: string): MaybePromise<string> {
  const secret = serverSecret(server, "session");
  let hmac = macBySecret.get(secret);
  if (hmac === undefined) {
    macBySecret.set(secret, hmac = secret.then(hmacSha256));
    hmac.then((ready) => macBySecret.set(secret, ready), () => {});
  }
  return chain(hmac, (hmac) => hmac(`${server.issuer} ${purpose} ${text}`));
}
