/** Responses with other members. */

import { defineFault, type FaultFactory } from "./definition.ts";
import { editParameter, textParameter } from "./parameters.ts";
import { editJsonBody, type Members, withoutNulls } from "./response_body.ts";
import type { Fault, FaultContext } from "./fault.ts";

/**
 * Changes the JSON object of a successful response.
 *
 * The first argument is an object of members to replace, where `null` removes one (JSON Merge Patch, RFC 7396, without
 * nesting), or a function that receives the members and returns the ones to send, where `undefined` ones are left out.
 *
 * @example
 * ```ts ignore
 * as.on("userinfo").once(faults.body.edited({ sub: "another-user" }));
 * as.on("userinfo").once(faults.body.edited((info) => ({ ...info, sub: "another-user" })));
 * ```
 */
export const edited: FaultFactory<
  (edit?: Members | ((members: Members, context: FaultContext) => Members), name?: string) => Fault
> = defineFault({
  id: "body.edited",
  title: "Members of the JSON response are changed",
  endpoints: ["token", "userinfo", "introspect", "jwks", "discovery", "resource_metadata"],
  correctClient: "The client checks the presence and the type of every member that it uses.",
  parameters: [
    editParameter<Members | ((members: Members, context: FaultContext) => Members)>(
      { access_token: null, sub: null },
      "Members to replace",
    ),
    textParameter("name", "edited body", "What reports call the fault.", "Name in reports"),
  ],
  create: ({ edit, name }) =>
    editJsonBody(name, typeof edit === "function" ? edit : (members) => ({ ...members, ...withoutNulls(edit) })),
});
