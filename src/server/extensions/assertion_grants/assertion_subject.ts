/** The user or client that an assertion is about (RFC 7523 §3). */

import type { User } from "../../../core/clients/client.ts";
import type { Client } from "../../../core/clients/clients.ts";
import type { TrustedIssuer } from "./settings.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { invalidAssertion, type VerifiedAssertion } from "./verify_assertion.ts";

/** Maximum number of users whose e-mail addresses are compared, besides the users in memory. */
const maxEmailCandidates = 1000;

/** The mapping of a subject in the issuer's entry; `undefined` if the entry has none. */
export function mappedSubject({ subjects = {} }: TrustedIssuer, sub: string) {
  return Object.hasOwn(subjects, sub) ? subjects[sub] : undefined;
}

/** The user of an assertion; `undefined` if the client acts on its own behalf. */
export async function findSubject(
  server: HostedServer,
  client: Client,
  { trusted, claims }: VerifiedAssertion,
): Promise<User | undefined> {
  const mapped = mappedSubject(trusted, claims.sub);
  if (mapped?.client !== undefined && mapped.client !== client.id) {
    throw invalidAssertion("JB-09", { problem: "other client", mapped: mapped.client, clientId: client.id });
  }
  if (mapped !== undefined && mapped.user === undefined) return undefined;
  const user = mapped?.user !== undefined
    ? await server.users.find(mapped.user)
    : trusted.users === "sub"
    ? await server.users.find(claims.sub) ?? await provision(server, trusted, claims)
    : trusted.users === "email"
    ? await findByEmail(server, trusted, claims)
    : trusted.users === "aud_sub" && typeof claims.aud_sub === "string"
    ? await server.users.find(claims.aud_sub)
    : undefined;
  if (user?.sub === client.id && claims.auth_time === undefined) {
    throw invalidAssertion("JB-09", { problem: "like a client" });
  }
  if (user !== undefined) return user;
  const claimed = trusted.users === "aud_sub" ? String(claims.aud_sub ?? "no aud_sub") : claims.sub;
  const subject = mapped?.user ?? claimed;
  throw invalidAssertion("JB-09", { problem: "unknown", users: trusted.users, subject });
}

/** Creates the user if the issuer's entry allows it and the subject is a valid subject of this server. */
async function provision(
  server: HostedServer,
  trusted: TrustedIssuer,
  { sub, name, email, email_verified }: VerifiedAssertion["claims"],
): Promise<User | undefined> {
  if (trusted.provision !== true) return undefined;
  // A user whose `sub` equals a client id could be mistaken for the client, because only `sub` distinguishes them (RFC
  // 9700 §4.15).
  if (await server.clients.registered.find(sub) !== undefined) return undefined;
  const user = {
    sub,
    ...typeof name === "string" && { name },
    ...typeof email === "string" && { email, email_verified: email_verified === true },
  };
  try {
    return await server.users.set(user);
  } catch (error) {
    if ((error as Error).name !== "ConfigurationError") throw error;
    return undefined;
  }
}

/** The only user with the e-mail address of an assertion; none if it is not verified. */
async function findByEmail(
  server: HostedServer,
  { assumeEmailVerified = server.policy.allows.openLogin }: TrustedIssuer,
  { email, email_verified = assumeEmailVerified }: VerifiedAssertion["claims"],
): Promise<User | undefined> {
  if (typeof email !== "string" || email_verified !== true) return undefined;
  const candidates = new Map<string, User>();
  for (const user of [...server.users.known().values(), ...await server.users.list({ limit: maxEmailCandidates })]) {
    if (user.email === email && user.email_verified !== false) candidates.set(user.sub, user);
  }
  return candidates.size === 1 ? [...candidates.values()][0] : undefined;
}
