/** Faults that replace members of a JSON response. */

import type { Fault } from "../../testing/faults/fault.ts";
import { editJsonBody, type Members } from "../../testing/faults/response_body.ts";

/** Replaces members; `undefined` removes one. */
export function withMembers(name: string, members: Members): Fault {
  return editJsonBody(name, (received) => ({ ...received, ...members }));
}

/** Replaces one member; the text `absent` removes it. Reports call the fault by the member and the value. */
export function withMember(member: string, value: unknown): Fault {
  return withMembers(`${member} ${JSON.stringify(value)}`, { [member]: value === "absent" ? undefined : value });
}
