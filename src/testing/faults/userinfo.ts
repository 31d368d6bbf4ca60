/** Userinfo responses that a client must reject (OpenID Connect Core §5.3.2). */

import { defineFault, type FaultFactory } from "./definition.ts";
import type { Fault } from "./fault.ts";
import { type ClaimsEdit, claimsParameter, editClaims } from "./resign.ts";

/**
 * Other claims in a successful response, plain or signed with the key of the server. The first argument holds the
 * claims to replace, where `null` removes one, or is a function of the claims that returns all of them.
 *
 * @example
 * ```ts ignore
 * as.on("userinfo").once(faults.userinfo.edited({ sub: "another-user" }));
 * ```
 */
export const edited: FaultFactory<(edit?: ClaimsEdit) => Fault> = defineFault({
  id: "userinfo.edited",
  title: "Userinfo has other claims",
  endpoints: ["userinfo"],
  correctClient: "The client rejects a response with another sub, and checks the type of every claim that it uses.",
  parameters: [claimsParameter({ sub: "another-user" })],
  create: ({ edit }) => editClaims("edited userinfo", "userinfo", "returned claims of a user", edit),
});
