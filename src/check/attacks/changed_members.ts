/** Faults that replace members of a JSON response. */

import type { Fault } from "../../testing/faults/fault.ts";
import { editJsonBody, type Members } from "../../testing/faults/response_body.ts";

/** Replaces members; `undefined` removes one. */
export function withMembers(name: string, members: Members): Fault {
  return editJsonBody(name, (received) => ({ ...received, ...members }));
}
