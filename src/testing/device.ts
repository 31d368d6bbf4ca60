/** Devices without a browser (RFC 8628): a correct client on a device, and the user who enters its code. */

import { deviceGrant } from "../server/extensions/device/settings.ts";
import { object, objectField, text } from "../core/policy/field.ts";
import type { RequestParameters } from "../client/parameters.ts";
import type { ClientCredentials } from "../client/authentication.ts";
import { anyOption, assertOptions } from "./options.ts";
import { type Polled, type PolledRequestOptions, polledRequests, type RequestUser } from "./polled_request.ts";

/** @internal Options of a device. */
export interface DeviceOptions {
  /** Space-separated. Default: the server's default scope. */
  readonly scope?: string;
  /** The resource indicator of the access token (RFC 8707). Default: none. */
  readonly resource?: string | readonly string[];
  /** Further parameters of the device authorization request. */
  readonly params?: RequestParameters;
}

const deviceField = object<DeviceOptions>("DeviceOptions", {
  scope: text(["openid read"]),
  resource: anyOption,
  params: objectField,
}, {});

/** A device that waits for its user, whichever `login` the server has. */
export interface TestDevice extends RequestUser, Polled {
  /** For polls. */
  readonly deviceCode: string;
  /** For the user: `BCDF-GHJK`. */
  readonly userCode: string;
  /** The page where users type the code. */
  readonly verificationUri: string;
  /** The same page with the code. */
  readonly verificationUriComplete: string;
  /** The lifetime of both codes, in seconds. */
  readonly expiresIn: number;
}

/** Starts devices, and decides for their users. */
export interface DeviceClient {
  /**
   * Starts a device authorization, whose user decides by `approve()` or `deny()`.
   *
   * @throws {LoginError} If the server rejects the request.
   *
   * @example
   * ```ts ignore
   * const device = await as.startDevice(as.client());
   * await device.approve({ as: "bob" });
   * const { access_token } = await device.poll();
   * ```
   */
  startDevice(client: ClientCredentials, options?: DeviceOptions): Promise<TestDevice>;
  /**
   * The user of a device that the software under test started. Without login pages such a device is approved
   * immediately, unless {@link UserDecisions.deferRequests} was called.
   */
  device(userCode: string): RequestUser;
}

/** Creates the functions for devices of one server. */
export function deviceClient(options: PolledRequestOptions): DeviceClient {
  const devices = polledRequests(options, {
    ...{ grant: deviceGrant, endpoint: "device_authorization", page: "device" },
    query: (userCode) => ({ user_code: userCode }),
  });
  return {
    device: devices.user,
    async startDevice(client, options = {}) {
      assertOptions("startDevice", deviceField, options);
      const { scope, resource, params } = options;
      const { started, polled } = await devices.start(client, { scope, resource, ...params });
      const userCode = String(started.user_code);
      return Object.assign(polled, devices.user(userCode), {
        deviceCode: String(started.device_code),
        userCode,
        verificationUri: String(started.verification_uri),
        verificationUriComplete: String(started.verification_uri_complete),
        expiresIn: Number(started.expires_in),
      });
    },
  };
}
