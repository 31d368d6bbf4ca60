/**
 * Devices without a browser (RFC 8628): a device shows a code, and the user allows its access in the browser of another
 * device.
 *
 * 1. `startDevice` (`device_authorization.ts`) validates the request and stores it under the digest of the user code.
 * 2. The page `/device` (`endpoints.ts`) finds the request and continues like the authorization endpoint, with a
 *    `PolledDestination` instead of a redirect URI.
 * 3. Its delivery stores the decision; the first one counts.
 * 4. The device polls the token endpoint (`extensions/polled/poll.ts`).
 */

import type { EndpointOptions, Extension } from "../../config/extension.ts";
import type { Endpoint } from "../../endpoint.ts";
import { withoutUser } from "../../config/standing.ts";
import { type ParameterDescription, parameters } from "../../../core/http/params.ts";
import { polledGrantType, startEndpoint, withDelivery } from "../polled/delivery.ts";
import { deviceGrant, type DevicePolicy, deviceSettings } from "./settings.ts";

const load = () => import("./endpoints.ts");

const isOn = ({ deviceAuthorization }: DevicePolicy) => deviceAuthorization;

/** Lets users log in on devices without a browser. */
export const device: Extension<DevicePolicy> = {
  name: "device",
  settings: deviceSettings,
  endpoints: (policy, options) => isOn(policy) ? deviceEndpoints(options) : [],
  grantTypes: [
    polledGrantType(deviceGrant, {
      title: "Device poll",
      setting: "deviceAuthorization",
      standing: withoutUser,
      hasDemoClient: true,
      isOn,
    }),
  ],
  extend: (server) => withDelivery(server, deviceGrant),
};

/** The endpoint for devices, and the page for their users. */
function deviceEndpoints(options: EndpointOptions): Endpoint[] {
  const { base, approver, hasPages, openLogin, pages, formParameters, redirectParameters } = options;
  const userCode: ParameterDescription = { name: "user_code", linksFlow: true };
  return [
    startEndpoint(options, "device_authorization", {
      title: "Device authorization",
      responseParameters: parameters({ name: "device_code", secret: "device_code", linksFlow: true }, userCode),
      load: async () => {
        const { deviceAuthorizationHandlers } = await load();
        return deviceAuthorizationHandlers(hasPages ? undefined : approver);
      },
    }),
    {
      name: "device",
      path: `${base}/device`,
      methods: ["GET", "POST"],
      caller: "browser",
      title: "Device page",
      errors: "redirect",
      role: "document",
      parameters: [...formParameters, userCode],
      responseParameters: redirectParameters,
      load: async () => {
        const { deviceHandlers } = await load();
        return deviceHandlers({
          ...{ approver, asks: !hasPages, openLogin: openLogin || !hasPages },
          replacement: pages.device,
        });
      },
    },
  ];
}
