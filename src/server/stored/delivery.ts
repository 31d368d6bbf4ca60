/** Requests that started on another device, as the pages for users show and decide them. */

import type { Client } from "../../core/clients/clients.ts";
import type { Destination } from "../../core/authorize/authorization_request.ts";
import type { Server } from "../../core/server.ts";
import type { AuthorizationDetails } from "../token/authorization_details.ts";
import type { Grant } from "../../core/store/store.ts";
import { OAuthError } from "../../core/rules/errors.ts";
import { reject } from "../rules/pages.ts";

/** The response mode of polled destinations. It is in no setting, so no request can name it. */
export const pollMode = "poll";

/** @internal A stored request whose client polls for the result, such as a device without a browser (RFC 8628). */
export interface PolledDestination extends Destination {
  /** The page of this server that shows the result to the user: a path, with a query. */
  readonly uri: string;
  readonly delivery: string;
  readonly id: string;
  /** The code that the user typed, as the client shows it; absent if it shows none. */
  readonly userCode?: string;
}

export function isPolled(destination: Destination): destination is PolledDestination {
  return destination.mode === pollMode;
}

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

/** @internal Delivers decisions to polled destinations. */
export interface Delivery {
  /** Its name in destinations and records: that of the extension. */
  readonly name: string;
  /** Delivers an approval. @throws {OAuthError} If the request already has a decision or has expired. */
  approve(server: Server, destination: PolledDestination, grant: Grant): Promise<void>;
  /** Delivers a denial. @throws {OAuthError} As `approve`. */
  deny(server: Server, destination: PolledDestination): Promise<void>;
  /** Whether a client may still receive decisions. */
  mayReceive(client: Client): boolean;
  /**
   * The authorization details of the stored request, which the browser does not carry; `undefined` for none.
   *
   * @throws {OAuthError} As `approve`.
   */
  findDetails(server: Server, destination: PolledDestination): Promise<AuthorizationDetails | undefined>;
  /**
   * The facts that the user sees before the decision.
   *
   * @param address The network address of the user; absent if unknown.
   * @throws {OAuthError} As `approve`.
   */
  describe(server: Server, destination: PolledDestination, address: string | undefined): Promise<PolledFacts>;
}

/**
 * Finds the delivery for a destination.
 *
 * @throws {OAuthError} If the server no longer has this delivery.
 */
export function deliveryTo(
  { deliveries }: { readonly deliveries: readonly Delivery[] },
  { delivery: name }: PolledDestination,
): Delivery {
  const delivery = deliveries.find((delivery) => delivery.name === name);
  if (delivery === undefined) throw reject("UI-14", { delivery: name }, { forUser: true });
  return delivery;
}

/** Denies a polled request if the user denied access. Any other error leaves it pending, and is thrown. */
export async function denyPolled(
  server: Server & { readonly deliveries: readonly Delivery[] },
  destination: PolledDestination,
  error: unknown,
): Promise<void> {
  if (!(error instanceof OAuthError) || error.code !== "access_denied") throw error;
  await deliveryTo(server, destination).deny(server, destination);
}
