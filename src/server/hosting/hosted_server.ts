/** The whole server: besides the protocol, it has entries that change, fetches, and redacts. */

import type { FetchingServer } from "../fetching/fetching.ts";
import type { RegisteredSecrets } from "../redaction/registered_secrets.ts";
import type { ServerClients } from "./server_clients.ts";
import type { UserRepository } from "./user_repository.ts";

/** @internal The whole server, which extensions and plugins receive. */
export interface HostedServer extends FetchingServer {
  /** The clients: the registered ones and those of metadata documents. */
  readonly clients: ServerClients;
  /** The users. */
  readonly users: UserRepository;
  /** Redacts the clients' secrets in shown and logged text. */
  readonly registeredSecrets: RegisteredSecrets;
}
