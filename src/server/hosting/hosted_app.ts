/** The apps of a host: one issuer each. `host.ts` creates them. */

import type { Peer } from "../../platform/runtime/bind.ts";
import type { ClientMetadata, HostedClient } from "../config/client_metadata.ts";
import type { Repository } from "../clients/repository.ts";
import type { UserRepository } from "../clients/users.ts";
import type { SigningAlgorithm } from "../../core/keys/signing_algorithm.ts";

/** @internal One issuer on a host. It shares no client, user, key, session, code or token with another one. */
export interface HostedApp extends AsyncDisposable {
  /** The issuer identifier. It follows the port of the host unless it is configured. */
  readonly issuer: string;
  /** The registered clients, changeable at any time; a change of a configured one ends with the process. */
  readonly clients: Repository<ClientMetadata, HostedClient>;
  /**
   * The users, changeable at any time; a change of a configured one ends with the process. `login: "auto"` logs in the
   * first one.
   */
  readonly users: UserRepository;
  /**
   * Handles a request. It ignores the host of the URL. The promise rejects only if a plugin throws or drops the
   * connection. For a dropped connection, it rejects with a TypeError, like the global `fetch`.
   *
   * @param peer The address of the client, if the caller knows it.
   */
  fetch(request: Request, peer?: Peer): Promise<Response>;
  /**
   * Creates a new signing key. It is published immediately and signs after `lead` seconds (default: the setting
   * `keys.lead`). The previous key stays published until the last token that it signed expires.
   *
   * @throws {RangeError} If `lead` is negative or not a number.
   */
  rotateKeys(alg?: SigningAlgorithm, lead?: number): Promise<void>;
  /** Ends the app. Its records stay in the store of the host. A second call has no effect. */
  close(): Promise<void>;
  /** Ends the app, and deletes its records. */
  remove(): Promise<void>;
}
