/** Changes of clients and users, which do not overwrite each other, nor the changes of forms. */

import { changeExclusively } from "../../devtools/connect/exclusive_change.ts";
import type { HostedServer } from "../../server/hosted_server.ts";
import { ControlError } from "./control_error.ts";

/**
 * Changes a client or user, after all earlier changes of it by forms and by the control.
 *
 * @throws {ControlError} If another instance on the same store is changing it, or was interrupted while it did.
 */
export async function changeRecord<T>(
  server: HostedServer,
  kind: "client" | "user",
  id: string,
  change: () => T | Promise<T>,
): Promise<T> {
  const changed = await changeExclusively(server, kind, id, change);
  if (changed !== undefined) return changed;
  throw new ControlError(409, `Another change of the ${kind} has not ended. Send the request again in ten seconds.`);
}
