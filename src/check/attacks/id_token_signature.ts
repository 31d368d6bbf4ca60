/** ID tokens with a wrong signature, header or form (RFC 7515, RFC 8725). */

import { everyLogin } from "../attack.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import { foreignlySigned, forgeryAttack, hmacs, keysInHeader, unsignedForgeries, wrongForms } from "./forgeries.ts";
import { forgeJwt, signWithOwnKey } from "./forged_jwt.ts";

/** Every ID token that the server did not sign. */
const forged = { needs: ["readsIdToken", "checksSignature"] } as const;

/** The attacks of the category `id-token` on signature and header. */
export const idTokenSignatureAttacks: readonly Attack[] = [
  forgeryAttack({
    ...forged,
    id: "id-token/alg-none",
    title: "The ID token is not signed: it has alg none, an alg that does not exist, or no signature.",
    requirement: "OpenID Connect Core §2",
    sources: ["RFC 8725 §3.1", "RFC 8725 §3.3", "CVE-2021-44878", "CVE-2022-21449", "CVE-2026-28498"],
  }, unsignedForgeries),
  forgeryAttack({
    id: "id-token/signed-by-stranger",
    accepts: "signature",
    title: "The ID token is signed with a key of an attacker, or changed after it was signed.",
    alsoIn: everyLogin,
    requirement: { source: "OpenID Connect Core §3.1.3.7", binds: ["checksSignature"] },
    sources: ["RFC 7515 §5.2", "RFC 8725 §3.10", "CVE-2021-22573", "CVE-2020-15240", "openfga/openfga#3100"],
  }, foreignlySigned),
  forgeryAttack({
    ...forged,
    id: "id-token/alg-hmac-public-key",
    title:
      "The ID token is signed with HMAC (HS256), with the public key of the server or an empty text as the secret.",
    requirement: "RFC 8725 §3.1",
    sources: ["RFC 8725 §2.1", "CVE-2022-29217", "CVE-2024-33663", "CVE-2024-37568"],
  }, hmacs),
  forgeryAttack({
    ...forged,
    id: "id-token/header-jwk",
    title: "The header of the ID token has the key of an attacker that verifies the signature, or its URL.",
    correctClient: "The client discards the token response, and fetches no URL of the header.",
    requirement: "RFC 8725 §3.8",
    sources: ["RFC 7515 §4.1.6", "RFC 8725 §3.10", "CVE-2018-0114", "CVE-2026-27962"],
  }, keysInHeader),
  forgeryAttack({
    ...forged,
    id: "id-token/parts",
    accepts: "form",
    title: "The ID token does not have three parts, is encrypted, or has an unknown extension in crit.",
    requirement: "RFC 7515 §5.2",
    sources: [
      ...["RFC 7515 §4.1.11", "RFC 7797 §6", "RFC 8725 §3.2", "CVE-2025-22868", "CVE-2025-59420", "CVE-2026-32597"],
      ...["CVE-2026-29000", "CVE-2024-28176", "CVE-2023-52428"],
    ],
  }, wrongForms),
  defineAttack({
    id: "id-token/kid-absent",
    fix: "If the header has no kid, try the published keys of the algorithm.",
    needs: ["readsIdToken", "checksSignature"],
    level: "must-tolerate",
    title: "The header of the ID token has no kid, and the server has one key.",
    sources: ["OpenID Connect Core §10.1"],
    once: () => forgeJwt("ID token without kid", (original) => signWithOwnKey(original, { kid: undefined })),
  }),
  defineAttack({
    id: "id-token/alg-other",
    fix: "Register id_token_signed_response_alg, and accept this algorithm only.",
    accepts: "form",
    needs: ["readsIdToken", "checksSignature"],
    level: "should-reject",
    title: "The ID token is signed with a published key, but with an algorithm that the client did not register.",
    sources: ["OpenID Connect Core §3.1.3.7 item 7"],
    once: () =>
      forgeJwt(
        "ID token with another algorithm",
        ({ server, kind, alg, claims }) => server.keys.sign(kind, alg === "RS256" ? "EdDSA" : "RS256", claims),
      ),
  }),
];
