/**
 * Destinations that are no redirect URIs: an extension delivers the decisions to them. The types have the server as a
 * parameter, because `server.ts` imports them.
 */

import type { FurtherAccess, Grant } from "../../store/store.ts";
import type { Client } from "../clients/repository.ts";

/** A device without a browser, which polls for the result (RFC 8628). */
export interface DeviceDestination {
  /** Distinguishes it from a redirect to the client. */
  readonly mode: "device";
  /** The page of this server that shows the result to the user: a path with the user code. */
  readonly uri: string;
  /** The user code, as the device shows it. */
  readonly userCode: string;
  /** The device sends none. */
  readonly state?: undefined;
  /** The device authorization itself is stored. */
  readonly storedRequest?: undefined;
}

/** What the user is shown of a device. */
export interface DeviceFacts {
  /** The code on the device. */
  readonly userCode: string;
  /** When the device started, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** The network address of the device; absent if unknown. */
  readonly address?: string;
  /** Whether the device is in the network of the user. */
  readonly isSameAddress: boolean;
}

/** Delivers decisions to the destinations of one mode. */
export interface Delivery<Server> {
  /** The mode of the destinations. */
  readonly mode: DeviceDestination["mode"];
  /** Whether a client may still receive decisions. */
  mayReceive(client: Client): boolean;
  /** Delivers an approval. @throws {OAuthError} If there is a decision already, or it is too late. */
  approve(server: Server, destination: DeviceDestination, grant: Grant): Promise<void>;
  /** Delivers a denial. @throws {OAuthError} As `approve`. */
  deny(server: Server, destination: DeviceDestination): Promise<void>;
  /** The access besides scope of the request, which no browser carries. @throws {OAuthError} As `approve`. */
  findAccess(server: Server, destination: DeviceDestination): Promise<FurtherAccess>;
  /**
   * What the user is shown before the decision.
   *
   * @param address The network address of the user; absent if unknown.
   * @throws {OAuthError} As `approve`.
   */
  describe(server: Server, destination: DeviceDestination, address: string | undefined): Promise<DeviceFacts>;
}
