/**
 * Authorization responses with a wrong or missing `state` or `iss`: CSRF and mix-up (RFC 9700 §4.4, §4.7; RFC 9207).
 */

import { defineFault, type FaultFactory } from "./definition.ts";
import { objectParameter, textParameter } from "./parameters.ts";
import { editAuthorizationResponse } from "./edit_authorization_response.ts";
import type { Fault } from "./fault.ts";

/** A fault that changes one parameter; it waits for a response that has the parameter. */
function overrideParameter(name: string, parameter: "state" | "iss", value: string | undefined): Fault {
  return editAuthorizationResponse(
    name,
    (fields) =>
      fields.some(([present]) => present === parameter)
        ? fields.flatMap((field) => field[0] !== parameter ? [field] : value === undefined ? [] : [[parameter, value]])
        : undefined,
    `got an authorization response with ${parameter}`,
  );
}

const endpoints = ["authorize", "login", "consent"] as const;

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
    endpoints,
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

/** A `state` that the client did not send. */
export const wrongState: FaultFactory<(value?: string) => Fault> = defineFault({
  id: "authorizationResponse.wrongState",
  row: "response/state-wrong",
  endpoints,
  parameters: [textParameter("value", "state-of-another-request", "The parameter state.", "State")],
  create: ({ value }) => overrideParameter("wrong state", "state", value),
});

/** No `state`, although the client sent one. */
export const missingState: FaultFactory<() => Fault> = defineFault({
  id: "authorizationResponse.missingState",
  row: "response/state-wrong",
  endpoints,
  create: () => overrideParameter("missing state", "state", undefined),
});

/** The `iss` of another authorization server, as in a mix-up attack. */
export const wrongIss: FaultFactory<(value?: string) => Fault> = defineFault({
  id: "authorizationResponse.wrongIss",
  row: "response/iss-wrong",
  endpoints,
  parameters: [textParameter("value", "https://another.example", "The parameter iss.", "Issuer")],
  create: ({ value }) => overrideParameter("wrong iss", "iss", value),
});

/** No `iss`, although the metadata announces that the server sends it. */
export const missingIss: FaultFactory<() => Fault> = defineFault({
  id: "authorizationResponse.missingIss",
  row: "response/iss-missing",
  endpoints,
  create: () => overrideParameter("missing iss", "iss", undefined),
});
