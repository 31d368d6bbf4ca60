/** Records of a persistent store; loaded only with one. */

import type { SettingsExtension } from "../config/extension_settings.ts";
import type { ProgramSettings } from "../config/settings.ts";
import type { SecretOwner } from "../session/session.ts";
import type { Server } from "../server.ts";
import { recordSource } from "./record_source.ts";
import type { RecordSource } from "./record_source.ts";
import type { CreateRepository } from "./repository.ts";
import { storedRepository } from "./stored_repository.ts";

/** The records of a persistent store, and the repositories on it. */
interface StoredRecords extends Pick<RecordSource, "start" | "refreshIntervalMs" | "refreshIfDue" | "waitForWrites"> {
  /** Creates a repository on the store; to be called before {@link RecordSource.start}. */
  readonly createRepository: CreateRepository;
}

/** Opens the records for a server with these settings. */
export function openRecords(
  settings: ProgramSettings,
  owner: SecretOwner & Pick<Server, "now" | "trace">,
  extensions: readonly SettingsExtension[],
): StoredRecords {
  const source = recordSource(settings, owner, extensions);
  return {
    ...source,
    createRepository: (configured, definition) => storedRepository(configured, definition, source),
  };
}
