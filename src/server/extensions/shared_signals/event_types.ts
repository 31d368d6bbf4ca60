/** The security events that streams deliver (CAEP 1.0 §3, RISC Profile 1.0 §2). */

import type { HostedServer } from "../../hosted_server.ts";

const caep = "https://schemas.openid.net/secevent/caep/event-type/";
const risc = "https://schemas.openid.net/secevent/risc/event-type/";
const oauth = "https://schemas.openid.net/secevent/oauth/event-type/";

/** The types by the last part of their URIs, as a mock names them. */
export const eventTypes = {
  "session-revoked": `${caep}session-revoked`,
  "token-claims-change": `${caep}token-claims-change`,
  "credential-change": `${caep}credential-change`,
  "assurance-level-change": `${caep}assurance-level-change`,
  "device-compliance-change": `${caep}device-compliance-change`,
  "session-established": `${caep}session-established`,
  "session-presented": `${caep}session-presented`,
  "risk-level-change": `${caep}risk-level-change`,
  "account-credential-change-required": `${risc}account-credential-change-required`,
  "account-purged": `${risc}account-purged`,
  "account-disabled": `${risc}account-disabled`,
  "account-enabled": `${risc}account-enabled`,
  "identifier-changed": `${risc}identifier-changed`,
  "identifier-recycled": `${risc}identifier-recycled`,
  "credential-compromise": `${risc}credential-compromise`,
  "recovery-activated": `${risc}recovery-activated`,
  "recovery-information-changed": `${risc}recovery-information-changed`,
  "sessions-revoked": `${risc}sessions-revoked`,
  // Google sends these two (Cross-Account Protection); neither CAEP nor RISC has them.
  "tokens-revoked": `${oauth}tokens-revoked`,
  "token-revoked": `${oauth}token-revoked`,
} as const;

/** @internal A type of event, such as `session-revoked`. */
export type EventName = keyof typeof eventTypes;

/** The types that streams of a server can deliver: `events_supported`. */
export function supportedEvents({ policy: { providers } }: Pick<HostedServer, "policy">): readonly string[] {
  const types = Object.values(eventTypes);
  return providers.includes("google") ? types : types.filter((type) => !type.startsWith(oauth));
}

/** The event that a client requests to test a stream (SSF §8.1.4.1). */
export const verificationEvent = "https://schemas.openid.net/secevent/ssf/event-type/verification";

/** Whether an event is one of CAEP, whose members have a time (CAEP §2). */
export function isCaepEvent(type: string): boolean {
  return type.startsWith(caep);
}

/** Delivery by requests of the server to the client (RFC 8935), and of the client to the server (RFC 8936). */
export const pushMethod = "urn:ietf:rfc:8935";
export const pollMethod = "urn:ietf:rfc:8936";
