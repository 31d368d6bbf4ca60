/** Faults that sign the ID token with another key or header, or change the claims of a token. */

import { secondsNow, type SignClaims } from "../../core/keys/jwt.ts";
import type { Server } from "../../core/server.ts";
import { encodeBase64url } from "../../core/keys/crypto.ts";
import type { Fault, FaultContext } from "./fault.ts";
import { editParameter, objectParameter } from "./parameters.ts";
import { withoutNulls } from "./response_body.ts";
import { withChange } from "./with_change.ts";

/** The kinds of tokens and responses whose claims can be changed. */
export type TokenKind = "access_token" | "id_token" | "userinfo" | "id_jag" | "logout_token";

/** The kinds of JWTs that can be signed in another way. */
export type SignedKind = TokenKind | "introspection" | "authorization_response" | "security_event";

/** The claims of a token. */
export type Claims = Readonly<Record<string, unknown>>;

/** Claims to replace, where `null` removes one, or a function of the claims that returns all of them. */
export type ClaimsEdit = Claims | ((claims: Claims) => Claims);

/** A fault that signs the ID token, or another kind of token, in another way. */
export function resign(
  name: string,
  sign: (server: Server) => SignClaims,
  signedKind: SignedKind = "id_token",
): Fault {
  return {
    name,
    followsLogin: signedKind === "authorization_response",
    waitsFor: `signed ${signedKind === "id_token" ? "an ID token" : signedKind}`,
    extend: (server, context) => ({
      ...server,
      keys: {
        ...server.keys,
        sign: (kind, alg, claims) => {
          const isAffected = kind === signedKind && context.consume();
          return (isAffected ? sign(server) : server.keys.sign)(kind, alg, claims);
        },
      },
    }),
  };
}

/**
 * A fault that signs other claims with the right key. Claims that are `undefined` are left out.
 *
 * @param of The kind of token. Default: the ID token.
 */
export function overrideClaims(
  name: string,
  change: (claims: Claims, now: number) => Claims,
  of?: SignedKind,
): Fault {
  const sign = (server: Server): SignClaims => (kind, alg, claims) =>
    server.keys.sign(kind, alg, { ...claims, ...change(claims, secondsNow(server)) });
  return resign(name, sign, of);
}

/** A fault that signs another JOSE header with the right key; `null` removes a member. */
export function editHeader(name: string, signedKind: SignedKind, edit: Claims): Fault {
  const sign = ({ keys }: Server): SignClaims => async (kind, alg, claims) => {
    const { kid, sign } = await keys.signer(alg);
    const input = encodeJwt({ alg, typ: keys.types[kind], kid, ...withoutNulls(edit) }, claims);
    return `${input}.${encodeBase64url(await sign(new TextEncoder().encode(input)))}`;
  };
  return resign(name, sign, signedKind);
}

/** The parameter `edit` of faults that edit the JOSE header. */
export const headerParameter = objectParameter<"edit", Claims>(
  "edit",
  { crit: ["urn:example:extension"], "urn:example:extension": true },
  "Members to replace; null removes one.",
  { label: "Header members to replace" },
);

/** The parameter `edit` of faults that edit claims. */
export function claimsParameter(example: Claims) {
  return editParameter<Claims | ((claims: Claims, context: FaultContext) => Claims)>(example, "Claims to replace");
}

/** A fault that edits claims before the server signs, stores or sends them, as it does without the fault. */
export function editClaims(
  name: string,
  editedKind: TokenKind,
  waitsFor: string,
  edit: Claims | ((claims: Claims, context: FaultContext) => Claims),
): Fault {
  return {
    name,
    waitsFor,
    extend: (server, context) => ({
      ...server,
      claimChange: withChange(server, (kind, issued) => {
        if (kind !== editedKind || !context.consume()) return issued;
        return typeof edit === "function" ? edit(issued, context) : { ...issued, ...withoutNulls(edit) };
      }),
    }),
  };
}

/** The first two parts of a JWS: header and payload. A payload that is text is sent as it is. */
export function encodeJwt(header: Claims, payload: Claims | string): string {
  const text = typeof payload === "string" ? payload : JSON.stringify(payload);
  return `${encodeBase64url(JSON.stringify(header))}.${encodeBase64url(text)}`;
}
