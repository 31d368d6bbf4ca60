/** ID tokens that a client must reject (OpenID Connect Core §3.1.3.7). */

import { jwtSigner } from "../../core/keys/jwt.ts";
import { encodeBase64url } from "../../core/keys/crypto.ts";
import { defineFault, type FaultFactory } from "./definition.ts";
import { anyParameter, secondsParameter, textParameter } from "./parameters.ts";
import type { Fault } from "./fault.ts";
import { foreignKeys } from "../keys.ts";
import { type ClaimsEdit, claimsParameter, editClaims, editHeader, headerParameter } from "./resign.ts";
import { overrideClaims, resign } from "./resign.ts";

/** The ID token has expired, and was issued an hour before that. */
export const expired: FaultFactory<(secondsAgo?: number) => Fault> = defineFault({
  id: "idToken.expired",
  row: "id-token/exp-past",
  endpoints: ["token"],
  parameters: [secondsParameter("secondsAgo", 3600, "How long ago the ID token expired.", "Time since expiry")],
  create: ({ secondsAgo }) =>
    overrideClaims("expired ID token", ({ auth_time }, now) => {
      const exp = now - secondsAgo;
      const iat = exp - 3600;
      return { exp, iat, auth_time: typeof auth_time === "number" ? Math.min(auth_time, iat) : undefined };
    }),
});

/** The ID token becomes valid in the future (`nbf`). */
export const notYetValid: FaultFactory<(secondsAhead?: number) => Fault> = defineFault({
  id: "idToken.notYetValid",
  row: "id-token/nbf-future",
  endpoints: ["token"],
  parameters: [
    secondsParameter("secondsAhead", 3600, "In how many seconds the ID token becomes valid.", "Time until it is valid"),
  ],
  create: ({ secondsAhead }) =>
    overrideClaims("ID token not yet valid", (_, now) => ({ nbf: now + secondsAhead, exp: now + secondsAhead + 3600 })),
});

/** Signed with a foreign key, under the `kid` of the server's own key. */
export const wrongSignature: FaultFactory<() => Fault> = defineFault({
  id: "idToken.wrongSignature",
  row: "id-token/signed-by-stranger",
  endpoints: ["token"],
  create: () =>
    resign("ID token with invalid signature", ({ keys }) => async (kind, alg, claims) => {
      const { kid } = await keys.signer(alg);
      return await jwtSigner(foreignKeys(kid, kid), keys.types)(kind, alg, claims);
    }),
});

/** Signed with a key that the JWKS does not have, under a `kid` that it does not have. */
export const unknownKid: FaultFactory<() => Fault> = defineFault({
  id: "idToken.unknownKid",
  row: "id-token/signed-by-stranger",
  endpoints: ["token"],
  create: () =>
    resign("ID token with unknown kid", ({ keys }) => async (kind, alg, claims) => {
      const { kid } = await keys.signer(alg);
      return await jwtSigner(foreignKeys("unpublished-key", kid), keys.types)(kind, alg, claims);
    }),
});

/** Not signed: `alg` is `none`, and the signature is empty (RFC 7515 Appendix A.5). */
export const unsigned: FaultFactory<() => Fault> = defineFault({
  id: "idToken.unsigned",
  row: "id-token/alg-none",
  endpoints: ["token"],
  create() {
    const header = encodeBase64url(JSON.stringify({ alg: "none", typ: "JWT" }));
    return resign(
      "unsigned ID token",
      () => (_kind, _alg, claims) => Promise.resolve(`${header}.${encodeBase64url(JSON.stringify(claims))}.`),
    );
  },
});

/**
 * Changes the claims of the ID token, which is still signed correctly, with the key of the server. The argument is an
 * object of claims to replace, where `null` removes one, or a function that receives the claims and returns all of
 * them, where `undefined` ones are left out.
 *
 * @example
 * ```ts ignore
 * as.on("token").once(faults.idToken.edited({ email: "bob@example.com", auth_time: null }));
 * ```
 */
export const edited: FaultFactory<(edit?: ClaimsEdit) => Fault> = defineFault({
  id: "idToken.edited",
  title: "Claims of the ID token are changed",
  endpoints: ["token"],
  correctClient: "The client checks the presence and the type of every claim that it uses.",
  parameters: [claimsParameter({ sub: null })],
  create: ({ edit }) => editClaims("edited ID token", "id_token", "signed an ID token", edit),
});

/**
 * Changes the JOSE header of the ID token, which is still signed correctly, with the key of the server. The argument
 * has the members to replace or add; `null` removes one.
 *
 * @example
 * ```ts ignore
 * as.on("token").once(faults.idToken.editedHeader({ kid: null }));
 * ```
 */
export const editedHeader: FaultFactory<(edit?: Readonly<Record<string, unknown>>) => Fault> = defineFault({
  id: "idToken.editedHeader",
  title: "JOSE header of the ID token is changed",
  endpoints: ["token"],
  correctClient:
    "The client accepts only the alg that it expects, ignores keys in the header, and rejects an unknown crit extension.",
  parameters: [headerParameter],
  create: ({ edit }) => editHeader("ID token with another header", "id_token", edit),
});

/** Issued for another client. */
export const wrongAudience: FaultFactory<(aud?: string | readonly string[]) => Fault> = defineFault({
  id: "idToken.wrongAudience",
  row: "id-token/aud-wrong",
  endpoints: ["token"],
  parameters: [
    anyParameter<"aud", string | readonly string[]>(
      "aud",
      "another-client",
      "The claim aud: a string or an array of strings.",
      { label: "Audience" },
    ),
  ],
  create: ({ aud }) => overrideClaims("ID token with wrong aud", () => ({ aud })),
});

/** Issued by another issuer. */
export const wrongIssuer: FaultFactory<(iss?: string) => Fault> = defineFault({
  id: "idToken.wrongIssuer",
  row: "id-token/iss-wrong",
  endpoints: ["token"],
  parameters: [textParameter("iss", "https://another.example", "The claim iss.", "Issuer")],
  create: ({ iss }) => overrideClaims("ID token with wrong iss", () => ({ iss })),
});

/** A nonce that the client did not send. */
export const wrongNonce: FaultFactory<(nonce?: string) => Fault> = defineFault({
  id: "idToken.wrongNonce",
  row: "id-token/nonce-wrong",
  endpoints: ["token"],
  parameters: [textParameter("nonce", "nonce-of-another-request", "The claim nonce.")],
  create: ({ nonce }) => overrideClaims("ID token with wrong nonce", () => ({ nonce })),
});

/** Without the nonce that the client sent. */
export const missingNonce: FaultFactory<() => Fault> = defineFault({
  id: "idToken.missingNonce",
  row: "id-token/nonce-wrong",
  endpoints: ["token"],
  create: () =>
    overrideClaims("ID token without nonce", () => ({ nonce: undefined }), {
      appliesTo: ({ nonce }) => nonce !== undefined,
    }),
});

/** The `at_hash` of another access token. */
export const wrongAtHash: FaultFactory<() => Fault> = defineFault({
  id: "idToken.wrongAtHash",
  row: "id-token/at-hash-wrong",
  endpoints: ["token"],
  create: () => overrideClaims("ID token with wrong at_hash", () => ({ at_hash: encodeBase64url(new Uint8Array(16)) })),
});

/** A `sub` other than the one of the access token and the userinfo response. */
export const wrongSubject: FaultFactory<(sub?: string) => Fault> = defineFault({
  id: "idToken.wrongSubject",
  title: "ID token has the sub of another user",
  endpoints: ["token"],
  correctClient: "The client rejects the userinfo response, because its sub is not the sub of the ID token.",
  parameters: [textParameter("sub", "another-user", "The claim sub.", "Subject")],
  create: ({ sub }) => overrideClaims("ID token with wrong sub", () => ({ sub })),
});
