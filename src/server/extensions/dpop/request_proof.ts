/**
 * Verifies the proofs of requests, including the nonce (`nonce.ts`), and accepts each proof once. Loaded with the first
 * proof; `proof.ts` verifies a proof by itself.
 */

import { rejectBeyondBound } from "../../stored/bounded_records.ts";
import { policyOf } from "../../../core/clients/clients.ts";
import { byProfile } from "../../config/server_policy.ts";
import { storageKey } from "../../../core/keys/secrets.ts";
import type { AuthenticatedRequest } from "../../../core/token/grants/authenticated_request.ts";
import { type ProofRequirements, verifyProof } from "./proof.ts";
import { type Nonces, noncesExpireAt, serverNonces } from "./nonce.ts";
import { dpopSettings } from "./settings.ts";
import { reject } from "./rules.ts";
import { nonceHeader } from "./scheme.ts";
import type { HostedServer } from "../../hosted_server.ts";

/** The part of a request that a proof of possession covers; at a protected resource, it has no client. */
export type ProvenRequest =
  & Pick<AuthenticatedRequest, "method" | "url" | "header">
  & Partial<Pick<AuthenticatedRequest, "client" | "connection">>;

/** The access token of a request to a protected resource. */
export interface ProvenToken {
  readonly accessToken: string;
  /** The thumbprint that it is bound to; empty if it is bound to none. */
  readonly boundKey: string;
  /** The client that it was issued to, for which the server counts the record of the proof; absent if unknown. */
  readonly clientId?: string;
}

/** How proofs are checked, besides their signature. */
export interface ProofPolicy
  extends Pick<ProofRequirements, "algorithms" | "algorithmsBy" | "requiredBy" | "now" | "otherOrigin"> {
  /** Seconds for which a proof without nonce is accepted after its `iat`. */
  readonly maxAge: number;
  /** The nonces that proofs must have; absent if proofs need no nonce. */
  readonly nonces?: Nonces;
  /**
   * Marks a proof as used; false if it was used before.
   *
   * @param expiresAt Milliseconds since the epoch.
   * @param key The thumbprint of its key.
   */
  markUsed(id: string, expiresAt: number, key: string): boolean | Promise<boolean>;
}

/** The holder of a token whose client is not known. */
const anyClient = { confidential: false, standing: "unknown" } as const;

/**
 * Verifies the proof of a request to this server, and marks it as used.
 *
 * @param token The access token of the request, at a protected resource.
 * @returns The thumbprint of its key.
 * @throws {OAuthError} `invalid_dpop_proof` or `use_dpop_nonce`.
 */
export async function verifyRequestProof(
  server: HostedServer,
  request: ProvenRequest,
  token?: ProvenToken,
): Promise<string> {
  const { client, connection } = request;
  const policy = client === undefined ? server.policy : policyOf(server, client);
  const { dpop } = dpopSettings.of(policy);
  const thumbprint = await verifyUnusedProof(
    {
      maxAge: dpop.maxAge,
      algorithms: dpop.algorithms,
      algorithmsBy: byProfile(policy, "dpop.algorithms"),
      requiredBy: byProfile(policy, "requireSenderConstrainedTokens"),
      now: server.now(),
      otherOrigin: server.certificateListener?.origin,
      nonces: dpop.nonce === "off" ? undefined : serverNonces(server, token === undefined ? "client" : "resource"),
      async markUsed(name, expiresAt) {
        const id = await storageKey(server, name);
        // An unknown client can get tokens for users that it invents, and send proofs without end.
        const holder = token?.clientId === undefined ? undefined : await server.clients.findHolder(token.clientId);
        const writer = client ?? holder ?? anyClient;
        const address = (client && connection?.address) ?? server.sender?.address;
        rejectBeyondBound(server, writer, { kind: "used_identifier", id, value: {}, expiresAt, address });
        return await server.store.add("used_identifier", id, {}, { expiresAt });
      },
    },
    request,
    token,
  );
  server.passed("DO-01", thumbprint);
  server.passed("DO-02", `${request.method} ${request.url}`);
  server.passed("DO-03");
  server.passed("DO-04");
  return thumbprint;
}

/**
 * Verifies a proof by a policy, and marks it as used, unless the caller rejects it because the token is bound to
 * another key.
 */
export async function verifyUnusedProof(
  { algorithms, algorithmsBy, requiredBy, maxAge, nonces, now, otherOrigin, markUsed }: ProofPolicy,
  request: ProvenRequest,
  token?: ProvenToken,
): Promise<string> {
  const { method, url } = request;
  const { thumbprint, jti, target, iat, nonce } = await verifyProof(request.header("dpop"), {
    ...{ method, url, otherOrigin, now, algorithms, algorithmsBy, requiredBy, accessToken: token?.accessToken },
    // A nonce bounds the age of a proof, even if the clock of the client is wrong.
    maxAgeSeconds: nonces === undefined ? maxAge : Infinity,
  });
  if (token !== undefined && token.boundKey !== thumbprint) return thumbprint;
  if (nonces !== undefined && !await nonces.accepts(nonce ?? "", now)) {
    const headers = nonceHeader(await nonces.current(now));
    throw reject("DO-05", { hasNonce: nonce !== undefined }, { headers });
  }
  // The record is kept as long as the proof is accepted, so the rate of requests bounds the number of records.
  const expiresAt = nonces === undefined ? Math.ceil((iat + maxAge + 1) * 1000) : noncesExpireAt(now);
  if (await markUsed(JSON.stringify(["dpop", target, thumbprint, jti]), expiresAt, thumbprint)) return thumbprint;
  throw reject("DO-04");
}
