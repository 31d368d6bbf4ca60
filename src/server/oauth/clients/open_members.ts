/** Which members of its metadata a client may set itself: in a registration request and in a metadata document. */

import { clientField, type ClientMetadata } from "./client.ts";
import type { Field } from "../../config/field.ts";
import { hasStanding, type Standing } from "./standing.ts";

/** The members that a client may set itself, each with the lowest standing that may set it: `openFrom` of its field. */
export const openMembers: { readonly [Name in keyof ClientMetadata]?: Standing } = Object.fromEntries(
  Object.entries<Field>(clientField.members).flatMap(([name, { openFrom }]) =>
    openFrom === undefined ? [] : [[name, openFrom]]
  ),
);

/** Whether a client of this standing may set a member of its metadata itself. */
export function isOpenTo(name: string, standing: Standing): boolean {
  const from = openMembers[name as keyof ClientMetadata];
  return from !== undefined && hasStanding({ standing }, from);
}

/** The members of the client metadata that a client of this standing may set itself. */
export function membersOpenTo(standing: Standing): readonly (keyof ClientMetadata)[] {
  return (Object.keys(openMembers) as (keyof ClientMetadata)[])
    .filter((name) => hasStanding({ standing }, openMembers[name]!));
}

/** The known members of received metadata that a client of this standing may not set. */
export function closedMembers(received: Readonly<Record<string, unknown>>, standing: Standing): readonly string[] {
  const open: readonly string[] = membersOpenTo(standing);
  return Object.keys(clientField.members).filter((name) => Object.hasOwn(received, name) && !open.includes(name));
}
