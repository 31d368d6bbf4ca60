/** Rules of mutual TLS (RFC 8705). */

import type { Certificate } from "../../../platform/runtime/certificate.ts";
import { rejectBy } from "../../../core/rules/reject.ts";
import { grantRule, type Rule, rule } from "../../../core/rules/rule.ts";

/** A certificate that cannot be read, or whose version does not allow a proof of its private key. */
export type UnusableCertificate = { readonly problem: "header" | "bytes" } | { readonly version: number };

/** A token request without a valid certificate, or with a certificate and another proof. */
export type UnboundRequest =
  | { readonly problem: "no valid certificate"; readonly received: string }
  | { readonly problem: "two proofs" };

/** A request without the certificate that its access token is bound to. */
export type OtherCertificate =
  // At this server: `received` is what the request has instead.
  | { readonly expected: unknown; readonly received: string }
  // At a protected resource.
  | {
    readonly expected: unknown;
    /** Whether the resource passed a certificate. */
    readonly isPassed: boolean;
    /** The certificate; absent if it cannot be read. */
    readonly certificate?: Pick<Certificate, "isProvable" | "thumbprint" | "version">;
  };

/** By ID, in the order of `tests/rules.md`. */
export const mutualTlsRules = {
  "MT-04": rule<UnusableCertificate>(
    "invalid_request",
    "the certificate of the client cannot be read",
    "RFC 9440 §2.2, §4",
  ),
  "MT-05": rule<UnboundRequest>(
    "invalid_request",
    "the access tokens of this client are bound to its certificate",
    "RFC 8705 §3, §3.1, §3.2, §3.3",
  ),
  "MT-06": rule<OtherCertificate>("invalid_token", "the access token is bound to another certificate", "RFC 8705 §3"),
  "MT-07": grantRule<{ readonly name: string; readonly expected: string; readonly received: string }>("RFC 8705 §4"),
} as const satisfies Readonly<Record<string, Rule>>;

/** Creates the error of a rule of mutual TLS. */
export const reject = rejectBy(mutualTlsRules);
