/**
 * Destinations other than redirect URIs: an extension delivers the decision of the user to them. The server is a type
 * parameter, because `server.ts` imports these types.
 */

import type { Grant } from "../store/store.ts";
import { reject } from "../reject.ts";

/** @internal A stored request whose client polls for the result, such as a device without a browser (RFC 8628). */
export interface PolledDestination {
  /** Distinguishes it from a redirect to the client. */
  readonly mode: "poll";
  readonly delivery: string;
  readonly id: string;
  /** The page of this server that shows the result to the user: a path, with a query. */
  readonly uri: string;
  /** The code that the user typed, as the client shows it; absent if it shows none. */
  readonly userCode?: string;
  /** Always absent: the client sends no `state`. */
  readonly state?: undefined;
  /** Always absent: `id` names the stored request. */
  readonly storedRequest?: undefined;
}

/** @internal Delivers decisions to polled destinations. */
export interface Delivery<Server> {
  /** Its name in destinations and records: that of the extension. */
  readonly name: string;
  /** Delivers an approval. @throws {OAuthError} If the request already has a decision or has expired. */
  approve(server: Server, destination: PolledDestination, grant: Grant): Promise<void>;
  /** Delivers a denial. @throws {OAuthError} As `approve`. */
  deny(server: Server, destination: PolledDestination): Promise<void>;
}

/**
 * Finds the delivery for a destination other than a redirect URI.
 *
 * @throws {OAuthError} If the server no longer has this delivery.
 */
export function deliveryTo<Delivery extends { readonly name: string }>(
  { deliveries }: { readonly deliveries: readonly Delivery[] },
  { delivery: name }: PolledDestination,
): Delivery {
  const delivery = deliveries.find((delivery) => delivery.name === name);
  if (delivery === undefined) throw reject("UI-14", { delivery: name }, { forUser: true });
  return delivery;
}
