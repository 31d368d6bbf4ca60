/** ID tokens that a client must refuse (OpenID Connect Core §3.1.3.7). */

import { jwtSigner } from "../../oauth/keys/keys.ts";
import type { SignClaims } from "../../oauth/keys/keys.ts";
import { secondsNow } from "../../oauth/server.ts";
import type { Server } from "../../oauth/server.ts";
import { encodeBase64url } from "../../runtime/base64url.ts";
import type { Fault } from "./fault.ts";
import { foreignKeys } from "./foreign_keys.ts";

type Claims = Readonly<Record<string, unknown>>;

/** Signs the id token in another way. */
function resign(name: string, sign: (server: Server) => SignClaims, appliesTo?: (claims: Claims) => boolean): Fault {
  return {
    name,
    endpoints: ["token"],
    waitsFor: `signed an id token${appliesTo === undefined ? "" : " that has what is to be spoiled"}`,
    extend: (server, context) => ({
      ...server,
      sign: (kind, alg, claims) => {
        const isAffected = kind === "id_token" && appliesTo?.(claims) !== false && context.consume();
        return (isAffected ? sign(server) : server.sign)(kind, alg, claims);
      },
    }),
  };
}

/** Signs other claims, and signs them well. `undefined` members are left out. */
function overrideClaims(
  name: string,
  change: (claims: Claims, now: number) => Claims,
  appliesTo?: (claims: Claims) => boolean,
): Fault {
  const sign = (server: Server): SignClaims => (kind, alg, claims) =>
    server.sign(kind, alg, { ...claims, ...change(claims, secondsNow(server)) });
  return resign(name, sign, appliesTo);
}

/** It has expired; issued an hour before that. `ago`: that many seconds ago, more than any client tolerates. */
export function expired(secondsAgo = 3600): Fault {
  return overrideClaims("expired id token", ({ auth_time }, now) => {
    const exp = now - secondsAgo;
    const iat = exp - 3600;
    return { exp, iat, auth_time: typeof auth_time === "number" ? Math.min(auth_time, iat) : undefined };
  });
}

/** It becomes valid (`nbf`) in that many seconds, more than any client tolerates. */
export function notYetValid(secondsAhead = 3600): Fault {
  return overrideClaims(
    "id token not yet valid",
    (_, now) => ({ nbf: now + secondsAhead, exp: now + secondsAhead + 3600 }),
  );
}

/** Signed with another key, under the `kid` of the server's own. */
export function wrongSignature(): Fault {
  return resign("wrongly signed id token", ({ keys }) => async (kind, alg, claims) => {
    const { kid } = await keys.signer(alg);
    return await jwtSigner(foreignKeys(kid, kid))(kind, alg, claims);
  });
}

/** Signed with a key that is published nowhere, under a `kid` of its own. */
export function unknownKid(): Fault {
  return resign("id token of an unknown kid", ({ keys }) => async (kind, alg, claims) => {
    const { kid } = await keys.signer(alg);
    return await jwtSigner(foreignKeys("nobody-knows-this-key", kid))(kind, alg, claims);
  });
}

/** Not signed: `alg` is `none`, and the signature is empty (RFC 7515 Appendix A.5). */
export function unsigned(): Fault {
  const header = encodeBase64url(JSON.stringify({ alg: "none", typ: "JWT" }));
  return resign(
    "unsigned id token",
    () => (_kind, _alg, claims) => Promise.resolve(`${header}.${encodeBase64url(JSON.stringify(claims))}.`),
  );
}

/** For another client. */
export function wrongAudience(aud: string | readonly string[] = "another-client"): Fault {
  return overrideClaims("id token with wrong aud", () => ({ aud }));
}

/** Of another issuer. */
export function wrongIssuer(iss = "https://another.example"): Fault {
  return overrideClaims("id token with wrong iss", () => ({ iss }));
}

/** With another nonce than the client sent, or with one although it sent none. */
export function wrongNonce(nonce = "nonce-of-another-request"): Fault {
  return overrideClaims("id token with wrong nonce", () => ({ nonce }));
}

/** Without the nonce that the client sent. */
export function missingNonce(): Fault {
  return overrideClaims("id token without nonce", () => ({ nonce: undefined }), ({ nonce }) => nonce !== undefined);
}

/** With the `at_hash` of another access token. */
export function wrongAtHash(): Fault {
  return overrideClaims("id token with wrong at_hash", () => ({ at_hash: encodeBase64url(new Uint8Array(16)) }));
}

/** About another user than the access token, and so the userinfo endpoint, is about. */
export function wrongSubject(sub = "somebody-else"): Fault {
  return overrideClaims("id token about another sub", () => ({ sub }));
}
