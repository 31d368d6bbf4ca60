/** The settings of devices without a browser. */

import { describeSettings } from "../../config/extension_settings.ts";
import { type FieldsOf, flag, seconds } from "../../../core/policy/field.ts";
import type { Server } from "../../../core/server.ts";
import type { PolledGrant } from "../polled/polled_grant.ts";
import { pathField } from "../../config/endpoint_paths.ts";

/** Device authorization (RFC 8628 §3.4). */
export const deviceCodeType = "urn:ietf:params:oauth:grant-type:device_code";

/** @internal */
export interface DeviceSettings {
  /**
   * Whether devices without a browser may start logins that the user completes in the browser of another device (device
   * flow, RFC 8628). Clients must be registered for the grant type. Default: true if the issuer is on a test host,
   * otherwise false.
   */
  readonly deviceAuthorization?: boolean;
  /**
   * Seconds that a device must wait between two polls; each poll that comes too early adds 5. Default: 5. Maximum: 60.
   */
  readonly devicePollInterval?: number;
}

export const deviceFields: FieldsOf<DeviceSettings> = {
  deviceAuthorization: flag(),
  devicePollInterval: seconds(5, 60),
};

export type DevicePolicy = Required<DeviceSettings>;

export interface DeviceEndpointPaths {
  /** Default: `/oauth2/device_authorization`. */
  readonly device_authorization_endpoint?: string;
}

export const deviceEndpointPaths: FieldsOf<DeviceEndpointPaths> = {
  device_authorization_endpoint: pathField("/device_authorization"),
};

export const deviceSettings = describeSettings<DevicePolicy>({
  fields: deviceFields,
  paths: deviceEndpointPaths,
  resolve: ({ deviceAuthorization }: DeviceSettings, { openLogin }) => ({
    deviceAuthorization: deviceAuthorization ?? openLogin,
  }),
});

/** Seconds between two polls. */
export function pollInterval({ policy }: Pick<Server, "policy">): number {
  return deviceSettings.of(policy).devicePollInterval;
}

/** Device authorizations, as requests that their client polls for. */
export const deviceGrant: PolledGrant = {
  name: "device",
  type: deviceCodeType,
  parameter: "device_code",
  codeName: "device code",
  requestName: "device authorization",
  decidedAt: "the page of verification_uri",
  rules: { code: "DV-03", pace: "DV-04", client: "DV-05", approval: "DV-06", decided: "DV-07" },
  interval: pollInterval,
};
