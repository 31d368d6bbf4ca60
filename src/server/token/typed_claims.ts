/** Claims that were typed into the login page of mock-oauth2-server: the tokens of that login contain them. */

import { isReservedClaim, type UserClaims } from "../../core/clients/claims.ts";
import { type Slot, slot } from "../../core/slot.ts";
import type { Extension } from "../config/extension.ts";

/** The claims of an approval, its grant and its tokens. */
export const typedClaims: Slot<UserClaims> = slot("typed_claims");

/** The claims that may be typed: other reserved ones say whose a token is, for whom and until when. */
function settableClaims(claims: UserClaims = {}): UserClaims {
  const isSettable = (name: string) => ["acr", "amr", "azp"].includes(name) || !isReservedClaim(name, "access token");
  return Object.fromEntries(Object.entries(claims).filter(([name]) => isSettable(name)));
}

const name = "typed claims";

/** Adds the claims to tokens. As in mock-oauth2-server, userinfo has the claims of the access token. */
export const claimsOfLoginPage: Extension = {
  name: "typed_claims",
  steps: {
    granted: [{
      name,
      run: (_server, granted, _client, _request, approval) => typedClaims.put(granted, typedClaims.of(approval)),
    }],
    accessTokenClaims: [{ name, run: (_server, _claims, token) => settableClaims(typedClaims.of(token)) }],
    idTokenClaims: [{ name, run: (_server, _claims, token) => settableClaims(typedClaims.of(token)) }],
  },
  extend: ({ grants, ...server }) => ({
    ...server,
    grants: {
      ...grants,
      userinfoClaims: async (inner, token, ...rest) => ({
        ...await grants.userinfoClaims(inner, token, ...rest),
        ...settableClaims(token.claims),
      }),
    },
  }),
};
