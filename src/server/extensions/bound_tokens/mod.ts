/**
 * What `dpop` and `mutual_tls` share: tokens that are bound to a key (RFC 7800). A token request proves a key, its
 * access token gets the claim `cnf`, and each use of a refresh token must prove the same key again.
 */

import { policyOf } from "../../../core/clients/clients.ts";
import { mustAuthenticate } from "../../config/client_metadata.ts";
import { asServerPolicy } from "../../config/server_policy.ts";
import type { OAuthError } from "../../../core/rules/errors.ts";
import type { Server } from "../../../core/server.ts";
import type { TokenSteps } from "../../../core/token/steps.ts";
import { type Slot, slot, type WithExtensions } from "../../../core/slot.ts";
import type { RefreshTokenRecord } from "../../../core/store/store.ts";

/**
 * The thumbprint of the key of DPoP proofs: in a token request the key that it proves, in a grant the key that its code
 * is bound to (RFC 9449 §10), in a refresh token the key that this token is bound to.
 */
export const proofKey: Slot<string> = slot("dpop");

/** The thumbprint of a certificate: in a token request that of the client, in a refresh token that of the first one. */
export const certificateKey: Slot<string> = slot("mutual_tls");

/** The claim `cnf`: thumbprints of keys by their kind. */
export type KeyConfirmation = Readonly<Record<string, string>>;

export interface KeyKind {
  readonly key: Slot<string>;
  /** Its member of the claim `cnf`. */
  readonly member: "jkt" | "x5t#S256";
  /** The error of a request that does not prove the key of a refresh token. */
  unproven(expected: string, proven: string | undefined): OAuthError;
}

/** The claim `cnf` for the keys that a request proves; `undefined` if it proves none. */
export function confirmationOf(holder: WithExtensions): KeyConfirmation | undefined {
  const jkt = proofKey.of(holder);
  const thumbprint = certificateKey.of(holder);
  if (jkt === undefined && thumbprint === undefined) return undefined;
  return { ...jkt !== undefined && { jkt }, ...thumbprint !== undefined && { "x5t#S256": thumbprint } };
}

/** Whether the claims of an access token bind it to a key of a kind. */
export function hasKey({ cnf }: { readonly cnf?: unknown }, member: KeyKind["member"]): boolean {
  return (Object(cnf) as Partial<KeyConfirmation>)[member] !== undefined;
}

function cnfOf({ key, member }: KeyKind, holder: WithExtensions): KeyConfirmation | undefined {
  const thumbprint = key.of(holder);
  return thumbprint === undefined ? undefined : { [member]: thumbprint };
}

/** The claim `cnf` of access tokens for the key that a token request proves. */
export function confirmationStep(kind: KeyKind): TokenSteps<Server>["accessTokenClaims"][number] {
  return {
    name: `cnf.${kind.member}`,
    changes: ["cnf"],
    run(_server, { cnf }, _authorization, _now, request) {
      const proven = cnfOf(kind, request);
      return proven === undefined ? {} : { cnf: { ...cnf as KeyConfirmation | undefined, ...proven } };
    },
  };
}

/** Binds the refresh tokens of a server to the keys of one kind that token requests prove. */
export function withBoundTokens<Extended extends Server>(server: Extended, kind: KeyKind): Extended {
  const { key, unproven } = kind;
  const { grants } = server;
  return {
    ...server,
    grants: {
      ...grants,
      async storeRefreshToken(server, request, token, grantId, record) {
        // A confidential client authenticates with each refresh, and may change its key (RFC 9449 §5).
        const bound = key.of(record) ?? (mustAuthenticate(request.client) ? undefined : key.of(request));
        await grants.storeRefreshToken(server, request, token, grantId, key.put(record, bound));
      },
      async checkRefreshToken(server, request, record) {
        await grants.checkRefreshToken(server, request, record);
        const [expected, proven] = [key.of(record), key.of(request)];
        if (expected !== undefined && expected !== proven) throw unproven(expected, proven);
      },
      // A refresh token that is bound to a key needs no rotation (OAuth 2.1 §4.3.1).
      rotates: (server, client, record) => {
        const { rotateBound, rotateConfidential } = asServerPolicy(policyOf(server, client)).refresh;
        return (key.of(record) === undefined || rotateBound || rotateConfidential) &&
          grants.rotates(server, client, record);
      },
      async refreshTokenClaims(server, client, record: RefreshTokenRecord) {
        const claims = await grants.refreshTokenClaims(server, client, record);
        const cnf = cnfOf(kind, record);
        return cnf === undefined ? claims : { ...claims, cnf };
      },
    },
  };
}
