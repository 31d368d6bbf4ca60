/** Security events in tests (OpenID Shared Signals Framework): correct ones, and ones that a receiver must survive. */

import { userForHint } from "../server/clients/login_hint.ts";
import { anyValue, choice, object, type ObjectField, record, text } from "../core/policy/field.ts";
import type { User } from "../core/clients/client.ts";
import { jwtSigner, signJwt } from "../core/keys/jwt.ts";
import type { HostedServer } from "../server/hosted_server.ts";
import { type EventName, eventTypes } from "../server/extensions/shared_signals/event_types.ts";
import { isOn, sharedSignalsOf } from "../server/extensions/shared_signals/settings.ts";
import { type SecurityEvent, transmit } from "../server/extensions/shared_signals/transmit.ts";
import { encodeBase64url } from "../core/keys/crypto.ts";
import { foreignKeys } from "./keys.ts";
import { assertOptions } from "./options.ts";
import { unknownUserError } from "./user_decisions.ts";

type Alter = NonNullable<SecurityEvent["alter"]>;
type Claims = Parameters<Alter>[1];
type AlterOfServer = (server: HostedServer, ...args: Parameters<Alter>) => ReturnType<Alter>;

/** By how much a late event is late, in seconds. */
const lateSeconds = 3600;

/** @internal What is wrong with an event. */
export type EventFault =
  /** The stream delivers it twice, with the same `jti`. */
  | "duplicate"
  /** It happened and was issued an hour ago. */
  | "late"
  | "wrong audience"
  | "wrong issuer"
  /** `alg` is `none`, and the signature is empty. */
  | "unsigned"
  /** By a foreign key, under the `kid` of the server. */
  | "wrong signature"
  /** `typ` is `JWT`. */
  | "wrong type";

/** The tokens of a fault, instead of the correct one. */
const eventFaults: Readonly<Record<EventFault, AlterOfServer>> = {
  "duplicate": (_, __, claims) => Promise.resolve([{ claims }, { claims }]),
  "late": (_, __, claims) => Promise.resolve([{ claims: anHourEarlier(claims) }]),
  "wrong audience": (_, __, claims) => Promise.resolve([{ claims: { ...claims, aud: "another-client" } }]),
  "wrong issuer": (_, __, claims) => Promise.resolve([{ claims: { ...claims, iss: "https://another.example" } }]),
  "unsigned": (_, __, claims) => {
    const parts = [{ alg: "none", typ: "secevent+jwt" }, claims].map((part) => encodeBase64url(JSON.stringify(part)));
    return Promise.resolve([{ claims, token: `${parts.join(".")}.` }]);
  },
  "wrong signature": async ({ keys }, { idTokenAlg }, claims) => {
    const { kid } = await keys.signer(idTokenAlg);
    return [{
      claims,
      token: await jwtSigner(foreignKeys(kid, kid), keys.types)("security_event", idTokenAlg, claims),
    }];
  },
  "wrong type": async ({ keys }, { idTokenAlg }, claims) => [
    { claims, token: await signJwt(await keys.signer(idTokenAlg), "JWT", claims) },
  ],
};

/** @internal Options of a security event. */
export interface SecurityEventOptions {
  /** Members of the event, such as `{ reason: "hijacking" }`; they replace its defaults. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** What is wrong with the event. Default: nothing. */
  readonly fault?: EventFault;
}

/** Describes {@link SecurityEventOptions}. */
export const securityEventField: ObjectField<SecurityEventOptions> = object<SecurityEventOptions>(
  "SecurityEventOptions",
  {
    members: record(anyValue, { reason: "hijacking" }, "an object with the members of the event"),
    fault: choice(Object.keys(eventFaults) as EventFault[]),
  },
  { fault: "duplicate" },
);

/** A security event about a user. */
interface SentEvent {
  /** The type of the event, such as `session-revoked`. */
  readonly type: EventName;
  /** The user. */
  readonly sub: string;
  /** The members of the event, and what is wrong with it. */
  readonly options?: SecurityEventOptions;
}

/** Describes {@link SentEvent}. */
export const sentEventField: ObjectField<SentEvent> = object<SentEvent>(
  "SentEvent",
  { type: choice(Object.keys(eventTypes) as EventName[]), sub: text(["bob"]), options: securityEventField },
  { type: "session-revoked", sub: "bob" },
  { required: ["type", "sub"] },
);

/** The members of events that require some. */
const defaultMembers: Readonly<Partial<Record<EventName, Readonly<Record<string, unknown>>>>> = {
  "credential-change": { credential_type: "password", change_type: "update" },
  "assurance-level-change": {
    ...{ namespace: "NIST-AAL", current_level: "nist-aal1", previous_level: "nist-aal2" },
    change_direction: "decrease",
  },
  "device-compliance-change": { current_status: "not-compliant", previous_status: "compliant" },
  "risk-level-change": { principal: "USER", current_level: "HIGH", previous_level: "LOW" },
  "credential-compromise": { credential_type: "password" },
};

/** The members whose values only the test knows. */
const requiredMembers: Readonly<Partial<Record<EventName, string>>> = {
  "token-claims-change": "claims",
  "token-revoked": "token",
};

/**
 * Sends an event about a user, by `sub`, to the streams that deliver it.
 *
 * @returns The number of streams that have it.
 */
export async function sendSecurityEvent(
  server: HostedServer,
  type: EventName,
  sub: string,
  options: SecurityEventOptions = {},
): Promise<number> {
  assertOptions("sendEvent", sentEventField, { type, sub, options });
  const isSupported = server.policy.extensions.some((extension) =>
    extension.name === "shared_signals" && !extension.isAbsent
  );
  if (!isSupported || !isOn(sharedSignalsOf(server))) {
    throw new TypeError(
      "sendEvent: expected a server with security events, received one without them. Set sharedSignals: true.",
    );
  }
  const { members, fault } = options;
  const user = await findUser(server, sub);
  const alter: AlterOfServer | undefined = fault && eventFaults[fault];
  const event: SecurityEvent = {
    ...{ type: eventTypes[type], user, members: { ...defaultMembers[type], ...members } },
    ...["identifier-changed", "identifier-recycled"].includes(type) && { subject: identifierOf(user) },
    ...alter !== undefined && { alter: (client, claims) => alter(server, client, claims) },
  };
  const { [type]: required } = requiredMembers;
  if (required !== undefined && members?.[required] === undefined) {
    throw new TypeError(
      `sendEvent: expected members.${required} of ${type}, received none. Pass { members: { ${required}: … } }.`,
    );
  }
  const streams = await transmit(server, event);
  // A test finds what was posted.
  await server.background.finished();
  return streams;
}

/** A user, or one that was removed. @throws {TypeError} If the server never had such a user. */
async function findUser({ users }: HostedServer, sub: string): Promise<User> {
  const user = await userForHint({ users }, sub);
  if (user !== undefined) return user;
  if (users.removedBy(sub) === undefined) throw unknownUserError(users, sub);
  return { sub };
}

/** The subject of an event about an e-mail address or telephone number (RISC Profile §2.5, §2.6). */
function identifierOf({ sub, email, phone_number }: User): () => Readonly<Record<string, unknown>> {
  if (email !== undefined) return () => ({ format: "email", email });
  if (phone_number !== undefined) return () => ({ format: "phone_number", phone_number });
  throw new TypeError(`sendEvent: expected a user with email or phone_number, received ${sub} with neither.`);
}

function anHourEarlier(claims: Claims): Claims {
  const { iat, events } = claims as { readonly iat: number; readonly events: Readonly<Record<string, object>> };
  const earlier = Object.entries(events).map(([type, members]) => {
    const { event_timestamp: at } = members as { readonly event_timestamp?: number };
    return [type, { ...members, ...at !== undefined && { event_timestamp: at - lateSeconds } }];
  });
  return { ...claims, iat: iat - lateSeconds, events: Object.fromEntries(earlier) };
}
