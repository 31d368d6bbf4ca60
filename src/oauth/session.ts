/** Sessions: who is logged in, sealed into a value that the browser keeps and only this server can make. */

import { base64url } from "jose";
import { hmacSha256 } from "../runtime/hash.ts";
import { drawName, equalInConstantTime } from "./secrets.ts";
import type { Server } from "./server.ts";
import { serverSecret } from "./server_secret.ts";

/** One login of one person in one browser. */
export interface Session {
  /** Names the session; ending it ends what is bound to it. */
  readonly sid: string;
  /** Who is logged in. */
  readonly sub: string;
  /** When the person was authenticated, in milliseconds since the epoch. */
  readonly authTime: number;
}

/** Begins a session with a name of its own. */
export function beginSession(server: Server, sub: string, authTime: number): Session {
  return { sid: drawName(server.random), sub, authTime };
}

/** Seals a session. Nothing is shelved: a login costs no write, and a browser that forgets costs no memory. */
export async function sealSession(server: Server, session: Session): Promise<string> {
  const content = base64url.encode(JSON.stringify([session.sid, session.sub, session.authTime]));
  return `${content}.${await macOf(server, "session", content)}`;
}

/** Opens a sealed session; `undefined` when it is not ours, too old, or ended. */
export async function openSession(server: Server, sealed: string): Promise<Session | undefined> {
  const [content, mac, ...rest] = sealed.split(".");
  if (content === undefined || mac === undefined || rest.length > 0) return undefined;
  if (!equalInConstantTime(await macOf(server, "session", content), mac)) return undefined;
  const [sid, sub, authTime] = JSON.parse(new TextDecoder().decode(base64url.decode(content)));
  if (server.now() >= authTime + server.lifetimes.session * 1000) return undefined;
  if (server.users.find(sub) === undefined) return undefined;
  return await server.store.get("ended_family", sid) === undefined ? { sid, sub, authTime } : undefined;
}

/** Ends a session and the refresh tokens that are bound to it. */
export async function endSession(server: Server, { sid }: Pick<Session, "sid">): Promise<void> {
  const now = server.now();
  const { session, refresh_token } = server.lifetimes;
  await server.store.revoke(sid, now + Math.max(session, refresh_token) * 1000);
  server.trace({ type: "session_ended", at: now, sid });
}

/** A proof that a form came from a page of this session, for one purpose. */
export function formToken(server: Server, { sid }: Session, purpose: string): Promise<string> {
  return macOf(server, `form ${purpose}`, sid);
}

const seals = new WeakMap<Server["store"], ReturnType<typeof hmacSha256>>();

/** What is sealed for one purpose counts for no other. */
async function macOf(server: Server, purpose: string, text: string): Promise<string> {
  let seal = seals.get(server.store);
  if (seal === undefined) {
    seal = serverSecret(server, "session").then(hmacSha256);
    seals.set(server.store, seal);
    seal.catch(() => seals.delete(server.store));
  }
  return base64url.encode(await (await seal)(`${server.issuer} ${purpose} ${text}`));
}
