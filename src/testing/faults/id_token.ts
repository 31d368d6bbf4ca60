/** ID tokens that a client must refuse (OpenID Connect Core §3.1.3.7). */

import { signWith } from "../../oauth/keys/keys.ts";
import type { Sign } from "../../oauth/keys/keys.ts";
import { secondsNow } from "../../oauth/server.ts";
import type { Server } from "../../oauth/server.ts";
import { encodeBase64url } from "../../runtime/base64url.ts";
import type { Fault } from "./fault.ts";
import { strangersKeys } from "./foreign_keys.ts";

type Claims = Readonly<Record<string, unknown>>;

/** Signs the id token in another way. */
function signed(name: string, sign: (server: Server) => Sign, needs?: (claims: Claims) => boolean): Fault {
  return {
    name,
    endpoints: ["token"],
    needs: `signed an id token${needs === undefined ? "" : " that has what is to be spoiled"}`,
    server: (server, at) => ({
      ...server,
      sign: (kind, alg, claims) => {
        const isSpoiled = kind === "id_token" && needs?.(claims) !== false && at.take();
        return (isSpoiled ? sign(server) : server.sign)(kind, alg, claims);
      },
    }),
  };
}

/** Signs other claims, and signs them well. `undefined` members are left out. */
function claiming(
  name: string,
  change: (claims: Claims, now: number) => Claims,
  needs?: (claims: Claims) => boolean,
): Fault {
  const sign = (server: Server): Sign => (kind, alg, claims) =>
    server.sign(kind, alg, { ...claims, ...change(claims, secondsNow(server)) });
  return signed(name, sign, needs);
}

/** It has expired; issued an hour before that. `ago`: that many seconds ago, more than any client tolerates. */
export function expired(ago = 3600): Fault {
  return claiming("expired id token", ({ auth_time }, now) => {
    const exp = now - ago;
    const iat = exp - 3600;
    return { exp, iat, auth_time: typeof auth_time === "number" ? Math.min(auth_time, iat) : undefined };
  });
}

/** It becomes valid (`nbf`) in that many seconds, more than any client tolerates. */
export function notYetValid(ahead = 3600): Fault {
  return claiming("id token not yet valid", (_, now) => ({ nbf: now + ahead, exp: now + ahead + 3600 }));
}

/** Signed with another key, under the `kid` of the server's own. */
export function wronglySigned(): Fault {
  return signed("wrongly signed id token", ({ keys }) => async (kind, alg, claims) => {
    const { kid } = await keys.signer(alg);
    return await signWith(strangersKeys(kid, kid))(kind, alg, claims);
  });
}

/** Signed with a key that is published nowhere, under a `kid` of its own. */
export function unknownKid(): Fault {
  return signed("id token of an unknown kid", ({ keys }) => async (kind, alg, claims) => {
    const { kid } = await keys.signer(alg);
    return await signWith(strangersKeys("nobody-knows-this-key", kid))(kind, alg, claims);
  });
}

/** Not signed: `alg` is `none`, and the signature is empty (RFC 7515 Appendix A.5). */
export function unsigned(): Fault {
  const header = encodeBase64url(JSON.stringify({ alg: "none", typ: "JWT" }));
  return signed(
    "unsigned id token",
    () => (_kind, _alg, claims) => Promise.resolve(`${header}.${encodeBase64url(JSON.stringify(claims))}.`),
  );
}

/** For another client. */
export function wrongAudience(aud: string | readonly string[] = "another-client"): Fault {
  return claiming("id token with wrong aud", () => ({ aud }));
}

/** Of another issuer. */
export function wrongIssuer(iss = "https://another.example"): Fault {
  return claiming("id token with wrong iss", () => ({ iss }));
}

/** With another nonce than the client sent, or with one although it sent none. */
export function wrongNonce(nonce = "nonce-of-another-request"): Fault {
  return claiming("id token with wrong nonce", () => ({ nonce }));
}

/** Without the nonce that the client sent. */
export function missingNonce(): Fault {
  return claiming("id token without nonce", () => ({ nonce: undefined }), ({ nonce }) => nonce !== undefined);
}

/** With the `at_hash` of another access token. */
export function wrongAtHash(): Fault {
  return claiming("id token with wrong at_hash", () => ({ at_hash: encodeBase64url(new Uint8Array(16)) }));
}

/** About another user than the access token, and so the userinfo endpoint, is about. */
export function anotherSub(sub = "somebody-else"): Fault {
  return claiming("id token about another sub", () => ({ sub }));
}
