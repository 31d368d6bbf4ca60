/** The security events that streams deliver (CAEP 1.0 §3, RISC Profile 1.0 §2). */

import type { HostedServer } from "../../hosted_server.ts";

const caep = "https://schemas.openid.net/secevent/caep/event-type/";
const risc = "https://schemas.openid.net/secevent/risc/event-type/";
const oauth = "https://schemas.openid.net/secevent/oauth/event-type/";

/** The types by the name that a mock gives them. */
export const eventTypes = {
  sessionRevoked: `${caep}session-revoked`,
  tokenClaimsChange: `${caep}token-claims-change`,
  credentialChange: `${caep}credential-change`,
  assuranceLevelChange: `${caep}assurance-level-change`,
  deviceComplianceChange: `${caep}device-compliance-change`,
  sessionEstablished: `${caep}session-established`,
  sessionPresented: `${caep}session-presented`,
  riskLevelChange: `${caep}risk-level-change`,
  accountCredentialChangeRequired: `${risc}account-credential-change-required`,
  accountPurged: `${risc}account-purged`,
  accountDisabled: `${risc}account-disabled`,
  accountEnabled: `${risc}account-enabled`,
  identifierChanged: `${risc}identifier-changed`,
  identifierRecycled: `${risc}identifier-recycled`,
  credentialCompromise: `${risc}credential-compromise`,
  recoveryActivated: `${risc}recovery-activated`,
  recoveryInformationChanged: `${risc}recovery-information-changed`,
  sessionsRevoked: `${risc}sessions-revoked`,
  // Google sends these two (Cross-Account Protection); neither CAEP nor RISC has them.
  tokensRevoked: `${oauth}tokens-revoked`,
  tokenRevoked: `${oauth}token-revoked`,
} as const;

/** @internal The name of an event type. */
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
