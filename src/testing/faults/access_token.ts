/** Access tokens with changed claims, a changed header, or an arbitrary text in their place. */

import { defineFault, type FaultFactory } from "./definition.ts";
import type { Fault } from "./fault.ts";
import { type ClaimsEdit, claimsParameter, editClaims, editHeader, headerParameter } from "./resign.ts";

/**
 * Changes the claims of the access token. A JWT is still signed correctly, with the key of the server; an opaque token
 * is stored with these claims. `at_hash` of the ID token matches the changed token. The argument is an object of claims
 * to replace, where `null` removes one, or a function that receives the claims and returns all of them.
 *
 * @example
 * ```ts ignore
 * as.on("token").once(faults.accessToken.edited({ aud: "https://another-api.example", roles: ["admin"] }));
 * ```
 */
export const edited: FaultFactory<(edit?: ClaimsEdit) => Fault> = defineFault({
  id: "accessToken.edited",
  title: "Claims of the access token are changed",
  endpoints: ["token"],
  correctClient:
    "The client does not read the access token. A resource server rejects a token that was issued for another resource.",
  parameters: [claimsParameter({ aud: "https://another.example" })],
  create: ({ edit }) => editClaims("edited access token", "access_token", "issued an access token", edit),
});

/**
 * Changes the JOSE header of the access token, which is still signed correctly, with the key of the server. The
 * argument has the members to replace or add; `null` removes one. An opaque token has no header.
 *
 * @example
 * ```ts ignore
 * as.on("token").once(faults.accessToken.editedHeader({ typ: "JWT" }));
 * ```
 */
export const editedHeader: FaultFactory<(edit?: Readonly<Record<string, unknown>>) => Fault> = defineFault({
  id: "accessToken.editedHeader",
  title: "JOSE header of the access token is changed",
  endpoints: ["token"],
  correctClient:
    "The client does not read the access token. A resource server accepts only the typ and alg that it expects.",
  parameters: [headerParameter],
  create: ({ edit }) => editHeader("access token with another header", "access_token", edit),
});
