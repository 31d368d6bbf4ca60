/** Which members of its metadata a client may set itself: in a registration request and in a metadata document. */

import type { ObjectField } from "../../server/config/field.ts";
import type { ClientMetadata } from "./client.ts";
import { hasStanding, type Standing } from "./standing.ts";

/** The settings that describe client metadata. */
interface ClientFields {
  readonly clientField: ObjectField<ClientMetadata>;
}

/** Whether a client of this standing may set a member of its metadata itself. */
export function isOpenTo({ clientField }: ClientFields, name: string, standing: Standing): boolean {
  const { openFrom } = clientField.members[name as keyof ClientMetadata] ?? {};
  return openFrom !== undefined && hasStanding({ standing }, openFrom);
}

/** The members of the client metadata that a client of this standing may set itself. */
export function membersOpenTo(settings: ClientFields, standing: Standing): readonly (keyof ClientMetadata)[] {
  const names = Object.keys(settings.clientField.members) as (keyof ClientMetadata)[];
  return names.filter((name) => isOpenTo(settings, name, standing));
}

/** The known members of received metadata that a client of this standing may not set. */
export function closedMembers(
  settings: ClientFields,
  received: Readonly<Record<string, unknown>>,
  standing: Standing,
): readonly string[] {
  return Object.keys(settings.clientField.members).filter((name) =>
    Object.hasOwn(received, name) && !isOpenTo(settings, name, standing)
  );
}
