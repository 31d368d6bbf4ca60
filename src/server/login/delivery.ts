/** Requests that started on another device, as the pages for users show and decide them. */

import type { Client } from "../../core/clients/repository.ts";
import type { Delivery, PolledDestination } from "../../core/request/delivery.ts";
import type { Server } from "../../core/server.ts";
import type { FurtherAccess } from "../../core/store/store.ts";

/** @internal The facts that a page shows about a request that started on another device. */
export interface PolledFacts {
  /** The code that the client shows. */
  readonly userCode?: string;
  /** The message that the client shows. */
  readonly message?: string;
  /** When the request started, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** The network address that it started from; absent if unknown. */
  readonly address?: string;
  /** Whether it started in the network of the user. */
  readonly isSameAddress: boolean;
}

/** @internal Delivers decisions of pages. */
export interface PageDelivery extends Delivery<Server> {
  /** Whether a client may still receive decisions. */
  mayReceive(client: Client): boolean;
  /**
   * The access besides scope of the stored request; the browser does not carry it. @throws {OAuthError} As `approve`.
   */
  findAccess(server: Server, destination: PolledDestination): Promise<FurtherAccess>;
  /**
   * The facts that the user sees before the decision.
   *
   * @param address The network address of the user; absent if unknown.
   * @throws {OAuthError} As `approve`.
   */
  describe(server: Server, destination: PolledDestination, address: string | undefined): Promise<PolledFacts>;
}
