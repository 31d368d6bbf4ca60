/** Requests that are stored before a user logs in. Types only. */

import type { Client } from "../../core/clients/clients.ts";
import type { AuthorizationDetails } from "../token/authorization_details.ts";

/** @internal Requests that are stored before a user logs in; the destination of their response has their id. */
export interface StoredRequests<Server> {
  /**
   * Keeps a request while its user logs in.
   *
   * @param address The network address of the user; absent if unknown.
   */
  keep(server: Server, client: Client, id: string, address: string | undefined): Promise<void>;
  /** Consumes a request. Of concurrent calls one succeeds; all others throw an error for the user. */
  consume(server: Server, id: string): Promise<void>;
  /**
   * The authorization details of a stored request, which the browser does not carry; `undefined` if the request has
   * expired.
   */
  findDetails(server: Server, id: string): Promise<AuthorizationDetails | undefined>;
}
