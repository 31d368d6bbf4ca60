/** The settings of DPoP. */

import { metadataOf } from "../../config/client_metadata.ts";
import { describeSettings } from "../../config/extension_settings.ts";
import { type Client, policyOf } from "../../../core/clients/clients.ts";
import { choice, type FieldsOf, flag, list, object, whole, withDefaults } from "../../../core/policy/field.ts";
import { verificationAlgorithms } from "../../config/verification_algorithms.ts";
import { validateAvailable } from "../../config/key_issues.ts";
import type { Server } from "../../../core/server.ts";
import { open } from "../../config/client_fields.ts";

/**
 * @internal How DPoP proofs are checked (RFC 9449). Each client may send proofs; its tokens are then bound to its key.
 */
export interface DpopSettings {
  /** Seconds for which a proof is accepted after its `iat`. Default: 60. Maximum: 300. */
  readonly maxAge?: number;
  /**
   * Whether proofs need a nonce of the server, which expires after minutes (RFC 9449 §8, §9). `required`: clients
   * receive it with `use_dpop_nonce`, and repeat the request. It replaces `maxAge`. Default: `off`.
   */
  readonly nonce?: "off" | "required";
  /** The accepted signature algorithms of proofs. Default: `signatureAlgorithms`. */
  readonly algorithms?: readonly string[];
}

/** @internal */
export interface DpopMembers {
  /** How DPoP proofs are checked. */
  readonly dpop?: DpopSettings;
  /**
   * Whether every access token must be bound to a key of its client (RFC 9449): a token request without a DPoP proof is
   * rejected with `invalid_dpop_proof`. Default: false; a client may require it for its own tokens with
   * `dpop_bound_access_tokens`.
   */
  readonly requireSenderConstrainedTokens?: boolean;
}

export interface DpopPolicy {
  readonly dpop: Required<DpopSettings>;
  readonly requireSenderConstrainedTokens: boolean;
}

const dpop = object<DpopSettings>("DpopSettings", {
  maxAge: whole(60, { min: 1, max: 300, default: 60, expected: "a whole number of seconds from 1 to 300" }),
  nonce: choice(["off", "required"], { default: "off" }),
  algorithms: list(choice(verificationAlgorithms), [["ES256", "EdDSA"]], {
    expected: "an array of signature algorithms",
  }),
}, { maxAge: 60 });

export const dpopFields: FieldsOf<DpopMembers> = { dpop, requireSenderConstrainedTokens: flag(false) };

/** Fills in the defaults of {@link DpopSettings}. */
export function resolveDpop(
  settings: DpopSettings | undefined,
  signatureAlgorithms: readonly string[] = verificationAlgorithms,
): Required<DpopSettings> {
  const { maxAge, nonce, algorithms = signatureAlgorithms } = withDefaults(dpop.members, settings);
  return { maxAge: maxAge!, nonce: nonce!, algorithms };
}

export const dpopSettings = describeSettings<DpopPolicy>({
  fields: dpopFields,
  resolve: (given: DpopMembers & { readonly signatureAlgorithms?: readonly string[] }) => ({
    dpop: resolveDpop(given.dpop, given.signatureAlgorithms),
  }),
  validate: (policy) =>
    // The algorithms of signatureAlgorithms have their issues there.
    policy.dpop.algorithms.flatMap((alg, i) =>
      policy.signatureAlgorithms.includes(alg) ? [] : validateAvailable(`dpop.algorithms[${i}]`, alg)
    ),
});

/** Whether clients of a server can send proofs. */
export function canProve(server: Server): boolean {
  return server.extensionNames.has("dpop");
}

/** Whether the token requests of a client, or of an unknown one, need a proof, at a server with this extension. */
export function isProofRequired(server: Pick<Server, "policy">, client: Client | undefined): boolean {
  const { requireSenderConstrainedTokens } = dpopSettings.of(client ? policyOf(server, client) : server.policy);
  return requireSenderConstrainedTokens ||
    client !== undefined && metadataOf(client).dpop_bound_access_tokens === true;
}

/** Whether the token requests of a client, or of an unknown one, need a proof. */
export function mustProve(server: Server, client: Client | undefined): boolean {
  return canProve(server) && isProofRequired(server, client);
}

export interface DpopClientMembers {
  /**
   * Reject token requests without a DPoP proof: each access token is bound to a key (RFC 9449 §5.2). Default: false.
   */
  readonly dpop_bound_access_tokens?: boolean;
}

export const dpopClientFields: FieldsOf<DpopClientMembers> = {
  dpop_bound_access_tokens: { ...open(flag(false)), isDemand: true },
};
