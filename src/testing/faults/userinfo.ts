/** Userinfo responses that a client must reject (OpenID Connect Core §5.3.2). */

import { defineFault, type FaultFactory } from "./definition.ts";
import type { Fault } from "./fault.ts";
import { type ClaimsEdit, claimsParameter, editClaims } from "./resign.ts";

/**
 * Changes the claims of a successful response, JSON or a JWT signed with the key of the server. The argument is an
 * object of claims to replace, where `null` removes one, or a function that receives the claims and returns all of
 * them.
 *
 * @example
 * ```ts ignore
 * as.on("userinfo").once(faults.userinfo.edited({ sub: "another-user" }));
 * ```
 */
export const edited: FaultFactory<(edit?: ClaimsEdit) => Fault> = defineFault({
  id: "userinfo.edited",
  title: "Claims of the userinfo response are changed",
  endpoints: ["userinfo"],
  correctClient:
    "The client rejects a response whose sub is not the sub of the ID token, and checks the type of every claim that it uses.",
  parameters: [claimsParameter({ sub: "another-user" })],
  create: ({ edit }) => editClaims("edited userinfo", "userinfo", "returned claims of a user", edit),
});
