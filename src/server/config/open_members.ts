/** Which members of its metadata a client may set itself: in a registration request and in a metadata document. */

import { hasStanding } from "./standing.ts";
import type { Standing } from "../../core/clients/clients.ts";
import type { ClientMetadata } from "./client_metadata.ts";
import type { Policy } from "../../core/policy/policy.ts";
import { asServerPolicy } from "./server_policy.ts";

/** Whether a client of this standing may set a member of its metadata itself. */
export function isOpenTo(policy: Policy, name: string, standing: Standing): boolean {
  const { openFrom } = asServerPolicy(policy).clientField.members[name as keyof ClientMetadata] ?? {};
  return openFrom !== undefined && hasStanding({ standing }, openFrom);
}

/** The members of the client metadata that a client of this standing may set itself. */
export function membersOpenTo(policy: Policy, standing: Standing): readonly (keyof ClientMetadata)[] {
  const names = Object.keys(asServerPolicy(policy).clientField.members) as (keyof ClientMetadata)[];
  return names.filter((name) => isOpenTo(policy, name, standing));
}

/** The known members of received metadata that a client of this standing may not set. */
export function closedMembers(
  policy: Policy,
  received: Readonly<Record<string, unknown>>,
  standing: Standing,
): readonly string[] {
  return Object.keys(asServerPolicy(policy).clientField.members).filter((name) =>
    Object.hasOwn(received, name) && !isOpenTo(policy, name, standing)
  );
}
