/** The device authorization grant type (RFC 8628 §3.4): a device polls until the user has decided in a browser. */

import { parameters } from "../parameter.ts";
import type { GrantType } from "../server.ts";

/** The value of `grant_type`. */
export const deviceCodeType = "urn:ietf:params:oauth:grant-type:device_code";

/** Its code is loaded with the first poll. */
export const deviceCode: GrantType = {
  type: deviceCodeType,
  parameters: parameters(
    { name: "device_code", secret: "device_code", linksFlow: true },
    "authorization_details",
    { name: "resource", repeatable: true },
  ),
  async authorize(server, request) {
    const { exchangeDeviceCode } = await import("./exchange_device_code.ts");
    return await exchangeDeviceCode(server, request);
  },
};
