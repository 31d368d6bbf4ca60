/** Sessions: who is logged in, sealed into a value that the browser keeps and only this server can make. */

import { decodeBase64url, encodeBase64url } from "../../runtime/base64url.ts";
import { hmacSha256 } from "../../runtime/hash.ts";
import type { User } from "../clients/client.ts";
import { digestOf, writePasswordDigest } from "../users/password.ts";
import { soon } from "../maybe_promise.ts";
import type { Soon } from "../maybe_promise.ts";
import { findUser } from "../users/guest_user.ts";
import { drawName, equalInConstantTime } from "../secrets.ts";
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
const rememberedNames = 8;

/** Begins a session with a name of its own, in the place of a former one if that was the same person's. */
export function beginSession(server: Server, sub: string, authTime: number, former?: Session): Session {
  const sid = drawName(server.random);
  if (former?.sub !== sub) return { sid, sub, authTime };
  return { sid, sub, authTime, earlier: [former.sid, ...former.earlier ?? []].slice(0, rememberedNames) };
}

/** Seals a session. Nothing is shelved: a login costs no write, and a browser that forgets costs no memory. */
export function sealSession(server: Server, { sid, sub, authTime, earlier = [] }: Session): Soon<string> {
  const user = server.users.find(sub);
  return soon(
    user && passwordMark(server, user),
    (password = "") => seal(server, "session", [sid, sub, authTime, password, ...earlier]),
  );
}

/** Verifies and decodes a session; `undefined` if it is forged, expired, ended, or begun before a password change. */
export async function openSession(server: Server, sealed: string): Promise<Session | undefined> {
  const opened = await unseal(server, "session", sealed);
  if (opened === undefined) return undefined;
  const [sid, sub, authTime, password, ...earlier] = opened as [string, string, number, string, ...string[]];
  if (server.now() >= authTime + server.lifetimes.session * 1000) return undefined;
  const user = await findUser(server, sub);
  if (user === undefined || password !== (await passwordMark(server, user) ?? "")) return undefined;
  if (await server.store.get("ended_family", sid) !== undefined) return undefined;
  return { sid, sub, authTime, ...earlier.length > 0 && { earlier } };
}

/**
 * A mark that changes when the user's password is set, changed or removed; `undefined` without a password. It is keyed,
 * so it reveals nothing about the password.
 */
export function passwordMark(server: Server, user: User): Soon<string | undefined> {
  const digest = digestOf(user);
  // If passwords are required, a user without one cannot log in: no session has this mark.
  if (digest === undefined) return server.openLogin === false ? "none" : undefined;
  return soon(macOf(server, "password", writePasswordDigest(digest)), (mac) => mac.slice(0, 22));
}

/** Ends a session and the refresh tokens that are bound to it. */
export async function endSession(
  server: Server,
  { sid, earlier = [] }: Pick<Session, "sid" | "earlier">,
): Promise<void> {
  const now = server.now();
  const { session, refresh_token } = server.lifetimes;
  for (const name of [sid, ...earlier]) {
    await server.store.revoke(name, now + Math.max(session, refresh_token) * 1000);
  }
  server.trace({ type: "session_ended", at: now, sid });
}

/**
 * Ends sessions that the browser's cookie no longer names after a new login, because logout could not end them later:
 * the session of another user, and earlier names that exceed the cookie's limit.
 */
export async function endForgotten(server: Server, former: Session, session: Session): Promise<void> {
  const kept = [session.sid, ...session.earlier ?? []];
  const [sid, ...earlier] = [former.sid, ...former.earlier ?? []].filter((name) => !kept.includes(name));
  if (sid !== undefined) await endSession(server, { sid, earlier });
}

/** Seals the secret that identifies a browser, so that only this server can create one. */
export function sealBrowserSecret(server: Server, secret: string): Soon<string> {
  return soon(macOf(server, "browser", secret), (mac) => `${secret}.${mac}`);
}

/** Verifies and decodes a browser's secret; `undefined` if this server did not create it. */
export async function openBrowserSecret(server: Server, sealed: string): Promise<string | undefined> {
  const secret = sealed.slice(0, sealed.indexOf("."));
  return equalInConstantTime(await sealBrowserSecret(server, secret), sealed) ? secret : undefined;
}

/** A proof that a form came from a page that was shown to whoever holds a secret, such as a session, for one purpose. */
export function formToken(server: Server, holder: string, purpose: string): Soon<string> {
  return macOf(server, `form ${purpose}`, holder);
}

/** Encodes a value as JSON with a MAC for one purpose: readable by anybody, forgeable by nobody but this server. */
export function seal(server: Server, purpose: string, value: unknown): Soon<string> {
  const content = encodeBase64url(JSON.stringify(value));
  return soon(macOf(server, purpose, content), (mac) => `${content}.${mac}`);
}

/** The value sealed for this purpose; `undefined` if the MAC is wrong. */
export function unseal(server: Server, purpose: string, sealed: string): Soon<unknown> {
  const [content, mac, ...rest] = sealed.split(".");
  if (content === undefined || mac === undefined || rest.length > 0) return undefined;
  return soon(
    macOf(server, purpose, content),
    (right) => equalInConstantTime(right, mac) ? JSON.parse(decoder.decode(decodeBase64url(content))) : undefined,
  );
}

const decoder = new TextDecoder();

/** By the promise of the secret that each seals with. */
const seals = new WeakMap<Promise<string>, Soon<ReturnType<typeof hmacSha256>>>();

/** What is sealed for one purpose counts for no other. */
function macOf(server: Server, purpose: string, text: string): Soon<string> {
  const secret = serverSecret(server, "session");
  let seal = seals.get(secret);
  if (seal === undefined) {
    seals.set(secret, seal = secret.then(hmacSha256));
    seal.then((ready) => seals.set(secret, ready), () => {});
  }
  return soon(seal, (seal) => seal(`${server.issuer} ${purpose} ${text}`));
}
