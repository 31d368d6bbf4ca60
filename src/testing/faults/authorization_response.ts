/** Authorization responses with changed parameters, such as `state` and `iss` (RFC 9700 §4.4, §4.7; RFC 9207). */

import { defineFault, type FaultFactory } from "./definition.ts";
import { objectParameter } from "./parameters.ts";
import { editAuthorizationResponse } from "./edit_authorization_response.ts";
import type { Fault } from "./fault.ts";

/**
 * Changes the parameters that the browser passes to the client. The argument has the parameters to replace or add;
 * `null` removes one, and an array repeats one.
 *
 * @example
 * ```ts ignore
 * as.on("authorize").once(faults.authorizationResponse.edited({ code: null, error: "access_denied" }));
 * ```
 */
export const edited: FaultFactory<(edit?: Readonly<Record<string, string | readonly string[] | null>>) => Fault> =
  defineFault({
    id: "authorizationResponse.edited",
    title: "Parameters of the authorization response are changed",
    endpoints: ["authorize", "login", "consent"],
    correctClient:
      "The client ignores unknown parameters, and rejects a response that repeats a parameter or has no code.",
    parameters: [
      objectParameter(
        "edit",
        { state: ["one", "two"] },
        "Parameters to replace; null removes one, an array repeats one.",
        { label: "Parameters to replace" },
      ),
    ],
    create: ({ edit }) =>
      editAuthorizationResponse("edited authorization response", (fields) => [
        ...fields.filter(([name]) => !Object.hasOwn(edit, name)),
        ...Object.entries(edit).flatMap(([name, value]) =>
          value === null ? [] : [value].flat().map((text) => [name, String(text)] as const)
        ),
      ]),
  });
