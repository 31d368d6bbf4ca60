/** Devices without a browser (RFC 8628): a correct client on a device, and the user who enters its code. */

import { object, text } from "../oauth/config/field.ts";
import { deviceCodeType } from "../oauth/clients/standing.ts";
import type { RequestParameters, TestBrowser } from "./browser/test_browser.ts";
import type { ClientCredentials } from "./client_authentication.ts";
import type { TestClock } from "./clock.ts";
import { LoginError } from "./login_error.ts";
import type { LoginClient, PostForm } from "./login.ts";
import { anyOption, assertOptions, objectOption } from "./options.ts";
import { deferredPersona, type Persona, personaHeader } from "./persona.ts";
import { type Polled, polled } from "./poll.ts";

/** Options of a device. */
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
  params: objectOption,
}, {});

/** The user of a device, with the code that the device shows. */
export interface DeviceUser {
  /**
   * Enters the code in a browser, logs in and allows.
   *
   * @param persona Who it is, and what they deny. Default: the user that `as.decisions` names, or the first one.
   * @throws {LoginError} If the server rejects the code.
   */
  approve(persona?: Persona): Promise<void>;
  /** Enters the code in a browser, and denies. @throws {LoginError} As {@link DeviceUser.approve}. */
  deny(): Promise<void>;
}

/** A device that waits for its user, whichever `login` the server has. */
export interface TestDevice extends DeviceUser, Polled {
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
  device(userCode: string): DeviceUser;
}

/** The dependencies of a device client. */
interface DeviceClientOptions {
  /** Sends a form to an endpoint, authenticated by the method of the client. */
  readonly post: PostForm;
  readonly token: LoginClient["token"];
  /** Opens a browser without cookies. */
  readonly browser: () => TestBrowser;
  readonly clock: TestClock;
}

/** Creates the functions for devices of one server. */
export function deviceClient({ post, token, browser, clock }: DeviceClientOptions): DeviceClient {
  async function decide(userCode: string, expected: "approved" | "denied", persona: Persona): Promise<void> {
    const result = await browser().enterUserCode(userCode, persona);
    if (result !== expected) throw new LoginError(`Expected the device to be ${expected}; it was ${result}`);
  }

  const device = (userCode: string): DeviceUser => ({
    approve: (persona = {}) => decide(userCode, "approved", persona),
    deny: () => decide(userCode, "denied", { deny: true }),
  });

  return {
    device,
    async startDevice(client, options = {}) {
      assertOptions("startDevice", deviceField, options);
      const { scope, resource, params } = options;
      const started = await post("device_authorization", "device authorization endpoint", client, {
        scope,
        resource,
        ...params,
      }, { headers: { [personaHeader]: deferredPersona } });
      const deviceCode = String(started.device_code);
      const userCode = String(started.user_code);
      const grant = { grant_type: deviceCodeType, device_code: deviceCode };
      return Object.assign(polled({ token, clock }, client, grant, started), {
        ...device(userCode),
        deviceCode,
        userCode,
        verificationUri: String(started.verification_uri),
        verificationUriComplete: String(started.verification_uri_complete),
        expiresIn: Number(started.expires_in),
      });
    },
  };
}
