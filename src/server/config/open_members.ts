/** Which members of its metadata a client may set itself: in a registration request and in a metadata document. */

import { hasStanding } from "../standing.ts";
import type { Standing } from "../../core/clients/clients.ts";
import type { ClientMetadata } from "./client_metadata.ts";
import type { Policy } from "../../core/policy/policy.ts";
import { serverPolicy } from "./server_policy.ts";

/** Whether a client of this standing may set a member of its metadata itself. */
export function isOpenTo(settings: Policy, name: string, standing: Standing): boolean {
  const { openFrom } = serverPolicy(settings).clientField.members[name as keyof ClientMetadata] ?? {};
  return openFrom !== undefined && hasStanding({ standing }, openFrom);
}

/** The members of the client metadata that a client of this standing may set itself. */
export function membersOpenTo(settings: Policy, standing: Standing): readonly (keyof ClientMetadata)[] {
  const names = Object.keys(serverPolicy(settings).clientField.members) as (keyof ClientMetadata)[];
  return names.filter((name) => isOpenTo(settings, name, standing));
}

/** The known members of received metadata that a client of this standing may not set. */
export function closedMembers(
  settings: Policy,
  received: Readonly<Record<string, unknown>>,
  standing: Standing,
): readonly string[] {
  return Object.keys(serverPolicy(settings).clientField.members).filter((name) =>
    Object.hasOwn(received, name) && !isOpenTo(settings, name, standing)
  );
}
