/**
 * The faults there are, one line per file. Anything else that goes wrong is a function: a {@link Fault} of one's own.
 *
 * @example
 * ```ts ignore
 * as.on("token").once(faults.error("invalid_grant"));
 * as.on("token").times(2, faults.status(503, { retryAfter: 1 }));
 * as.on("authorize", { client }).once(faults.response.wrongState());
 * as.on("token").once(faults.idToken.expired());
 * as.on("jwks").always(faults.drop());
 * ```
 */

// The exchange as a whole.
export { error, type ErrorOptions } from "./error.ts";
export { status, type StatusOptions } from "./status.ts";
export { delay } from "./delay.ts";
export { hang } from "./hang.ts";
export { type Hold, hold } from "./hold.ts";
export { drop, type DropMoment } from "./drop.ts";
/** What is wrong with the body of an answer. */
export * as body from "./body.ts";

// What the protocol says.
/** What is wrong with the authorization response. */
export * as authorizationResponse from "./authorization_response.ts";
/** Token responses that say something else than what was issued. */
export * as tokens from "./tokens.ts";
/** What is wrong with the id token. */
export * as idToken from "./id_token.ts";
/** What is wrong with the published keys. */
export * as keys from "./keys.ts";
/** What is wrong with the metadata. */
export * as metadata from "./metadata.ts";

// What the server stands on.
/** What the store does wrong. */
export * as store from "./store.ts";
/** What the clock does wrong. */
export * as clock from "./clock.ts";
