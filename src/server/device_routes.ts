/** The endpoints of the device authorization grant (RFC 8628). */

import type { Approver } from "../app/approver.ts";
import type { Endpoint } from "../app/route.ts";
import { clientAuthParameters } from "../oauth/clients/auth/mod.ts";
import { parameters } from "../oauth/parameter.ts";
import type { ParameterDescription } from "../oauth/parameter.ts";

/** How the endpoints decide. */
interface DeviceRouteOptions {
  /** Decides: immediately, or on pages. */
  readonly approver: Approver;
  /** Whether the approver shows login pages; otherwise it decides immediately. */
  readonly hasPages: boolean;
  /** Whether logins need no password. */
  readonly openLogin: boolean;
  /** The parameters of requests of devices. */
  readonly requestParameters: readonly ParameterDescription[];
  /** The parameters of the forms of pages. */
  readonly formParameters: readonly ParameterDescription[];
  /** The parameters of the redirect to the login pages. */
  readonly redirectParameters: readonly ParameterDescription[];
}

/** The endpoint for devices, and the page for their users. */
export function deviceEndpoints(base: string, options: DeviceRouteOptions): Endpoint[] {
  const { approver, hasPages, openLogin, requestParameters, formParameters, redirectParameters } = options;
  const userCode: ParameterDescription = { name: "user_code", linksFlow: true };
  return [
    {
      name: "device_authorization",
      metadataName: "device_authorization_endpoint",
      path: `${base}/oauth2/device_authorization`,
      methods: ["POST"],
      caller: "client",
      title: "Device authorization",
      doneLabel: "started",
      errors: "json",
      role: "step",
      parameters: [
        ...clientAuthParameters,
        ...requestParameters,
      ],
      responseParameters: parameters({ name: "device_code", secret: "device_code", linksFlow: true }, userCode),
      load: async () => {
        const { deviceAuthorizationHandlers } = await import("../endpoints/device_authorization.ts");
        return deviceAuthorizationHandlers(hasPages ? undefined : approver);
      },
    },
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
        const { deviceHandlers } = await import("../interaction/device.ts");
        return deviceHandlers({ approver, asks: !hasPages, openLogin: openLogin || !hasPages });
      },
    },
  ];
}
