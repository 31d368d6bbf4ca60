/**
 * Faults: failures and changed responses that a test of a client injects. {@link faultDefinitions} lists them.
 *
 * A fault gets into an exchange in these steps:
 *
 * 1. `faults.status(503)`, or `createFault("status", { code: 503 })`, makes a {@link Fault} from its definition.
 * 2. `as.on("token", match).once(fault)` adds a rule to the fault injector of the server.
 * 3. The plugin of the injector matches each request with the rules and nests the faults of those that match.
 * 4. The fault wraps the request handler, or the server that the protocol rules receive, and uses up one firing.
 * 5. `reset()` and `close()` reject if a rule fired less often than expected.
 *
 * For any other failure, write a custom {@link Fault}.
 *
 * @example
 * ```ts ignore
 * as.on("token").once(faults.error("invalid_grant"));
 * as.on("token").times(2, faults.status(503, { retryAfter: 1 }));
 * as.on("authorize", { client }).once(faults.authorizationResponse.edited({ state: "other" }));
 * as.on("token").once(faults.idToken.edited({ nonce: "other" }));
 * as.on("jwks").always(faults.drop());
 * ```
 *
 * @module
 */

import { suggest } from "../../core/policy/suggest.ts";
/** Access tokens with changed claims, a changed header, or an arbitrary text in their place. */
import * as accessToken from "./access_token.ts";
/** Authorization responses with changed parameters. */
import * as authorizationResponse from "./authorization_response.ts";
/** Responses with other members. */
import * as body from "./body.ts";
/** A wrong clock of the server. */
import * as clock from "./clock.ts";
import type { FaultDefinition } from "./definition.ts";
import { delay } from "./delay.ts";
import { drop } from "./drop.ts";
import { error } from "./error.ts";
import type { Fault } from "./fault.ts";
import { hang } from "./hang.ts";
import { hold } from "./hold.ts";
/** ID tokens with other claims or another header. */
import * as idToken from "./id_token.ts";
/** Missing and outdated keys. */
import * as keys from "./keys.ts";
import { status } from "./status.ts";
/** A store that fails or forgets. */
import * as store from "./store.ts";
/** Userinfo responses that a client must reject. */
import * as userinfo from "./userinfo.ts";

export type { DropMoment } from "./drop.ts";
export type { ErrorOptions } from "./error.ts";
export type { Hold } from "./hold.ts";
export type { StatusOptions } from "./status.ts";

// The functions: those of the exchange as a whole, and one group for each part of the protocol or the server.
export { delay, drop, error, hang, hold, status };
export { accessToken, authorizationResponse, body, clock, idToken, keys, store, userinfo };

/** The rows of the catalogue that no attack of the check has, by group. */
export const faultDefinitions: readonly FaultDefinition[] = [
  { error, status, delay, hang, hold, drop },
  body,
  authorizationResponse,
  idToken,
  accessToken,
  userinfo,
  keys,
  store,
  clock,
].flatMap((group) => Object.values(group).map(({ definition }) => definition));

/**
 * Creates a fault by the id of its definition and parameters as JSON carries them.
 *
 * @param definitions Where the id is searched. Default: the functions in `faults`.
 * @throws {TypeError} If no fault has the id, a parameter is unknown or its value has another type.
 * @throws {RangeError} If a value is out of range.
 *
 * @example
 * ```ts ignore
 * as.on("token").once(faults.createFault("error", { code: "invalid_grant" }));
 * ```
 */
export function createFault(
  id: string,
  parameters: Readonly<Record<string, unknown>> = {},
  definitions: readonly (Pick<FaultDefinition, "id" | "also" | "create">)[] = faultDefinitions,
): Fault {
  const definition = definitions.find((candidate) => candidate.id === id) ??
    definitions.find(({ also }) => also?.includes(id));
  if (definition !== undefined) return definition.create(parameters);
  const closest = suggest(String(id), definitions.flatMap(({ id, also = [] }) => [id, ...also]));
  const meant = definitions.find((one) => one.id === closest || one.also?.includes(closest!))?.id;
  const ofGroup = definitions.map((one) => one.id).filter((known) =>
    known.startsWith(`${String(id).split("/", 1)[0]}/`)
  );
  const hint = meant !== undefined
    ? `Did you mean "${meant}"?`
    : ofGroup.length > 0
    ? `The ids of this group: ${ofGroup.join(", ")}.`
    : "latchkey explain faults lists the ids.";
  throw new TypeError(`fault: expected the id of a fault, received ${JSON.stringify(id)}. ${hint}`);
}
