/** ID tokens with other claims or another header (OpenID Connect Core §3.1.3.7). */

import { defineFault, type FaultFactory } from "./definition.ts";
import type { Fault } from "./fault.ts";
import { type ClaimsEdit, claimsParameter, editClaims, editHeader, headerParameter } from "./resign.ts";

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
