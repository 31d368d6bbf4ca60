/** The scheme of access tokens that are bound to a key (RFC 9449 §7): its challenges, and the proof of the key. */

import { OAuthError } from "../../../core/rules/errors.ts";
import { challenge } from "../../../core/http/message.ts";
import { readAuthorization, type SentToken } from "../../../core/token/tokens/sent_token.ts";
import { reject } from "./rules.ts";

/** `Authorization: DPoP TOKEN`. The header with the proof has the same name. */
export const dpopScheme = "DPoP";

/** The proofs of keys that a resource accepts with access tokens. */
export interface AcceptedProofs {
  readonly required: boolean;
  /** The schemes of access tokens that it accepts. */
  readonly schemes: readonly string[];
  /** Reads a header of either scheme. @throws {OAuthError} If it has a token of each. */
  readonly read: (authorization: string | null) => SentToken;
  /** The challenges of the response to a request with this header. */
  challenges(
    authorization: string | null,
    status: number,
    parameters: Readonly<Record<string, string | undefined>>,
  ): string;
}

/** The proofs that a resource accepts. @param required Whether it accepts no bearer token. */
export function acceptedProofs(
  { algorithms, required }: { readonly algorithms: readonly string[]; readonly required: boolean },
): AcceptedProofs {
  return {
    required,
    schemes: required ? [dpopScheme] : ["Bearer", dpopScheme],
    read: readEitherScheme,
    // The challenge of the scheme that the request used contains the error (RFC 9449 §7.2). With 401, a bearer request
    // also learns that the resource accepts bound tokens. Bearer is not offered if tokens must be bound.
    challenges(authorization, status, parameters) {
      const algs = algorithms.join(" ");
      if (required || /^dpop\b/i.test(authorization ?? "")) return challenge(dpopScheme, { ...parameters, algs });
      const bearer = challenge("Bearer", parameters);
      if (status !== 401) return bearer;
      return `${bearer}, ${challenge(dpopScheme, { resource_metadata: parameters.resource_metadata, algs })}`;
    },
  };
}

function readEitherScheme(authorization: string | null): SentToken {
  const bearer = readAuthorization(authorization);
  const sent = bearer.scheme === undefined ? readAuthorization(authorization, dpopScheme) : bearer;
  const other = sent === bearer ? dpopScheme : "Bearer";
  if (sent.scheme !== undefined && sent.token === undefined && new RegExp(`, *${other} `, "i").test(authorization!)) {
    throw reject("DO-09", { problem: "two schemes" });
  }
  return sent;
}

/** The header with the nonce for the next proof (RFC 9449 §8.2). */
export function nonceHeader(nonce: string): Readonly<Record<string, string>> {
  return { "dpop-nonce": nonce };
}

/**
 * Requires the proof of the key that a valid access token is bound to, and a bound token if the resource demands one.
 *
 * @param scheme The scheme of the request.
 * @param cnf The claim `cnf` of the token.
 * @param isRequired Whether the resource demands a bound token.
 * @param verify Verifies the proof of the request, and returns the thumbprint of its key. It marks a proof as used only
 *   if this key signed it, so that the holder of one token cannot fill the memory of used proofs with proofs of many
 *   keys.
 * @throws {OAuthError} `invalid_token` if the token is bound but was sent as a bearer token, or is not bound to the key
 *   of the proof; the error of an invalid proof.
 */
export async function assertKeyProven(
  scheme: string,
  cnf: unknown,
  isRequired: boolean,
  verify: (boundKey: string) => Promise<string>,
): Promise<void> {
  if (cnf === undefined && isRequired) throw reject("DO-09", { problem: "unbound token" });
  if (scheme === "Bearer") {
    if (cnf === undefined) return;
    throw reject("DO-09", { problem: "no proof" });
  }
  const jkt = (cnf as { readonly jkt?: unknown } | undefined)?.jkt;
  let thumbprint: string;
  try {
    thumbprint = await verify(typeof jkt === "string" ? jkt : "");
  } catch (error) {
    if (!(error instanceof OAuthError) || error.code === "temporarily_unavailable") throw error;
    throw new OAuthError(error.code, error.message, { ...error.details, status: 401 });
  }
  if (jkt === thumbprint) return;
  throw reject("DO-09", { problem: "another key", provenKey: thumbprint, isBound: cnf !== undefined });
}
