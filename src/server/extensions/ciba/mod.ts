/**
 * Client-initiated backchannel authentication (CIBA): a client starts the login of a user whom it knows, and
 * the user decides in their own browser.
 *
 * 1. `startAuthentication` (`authentication_request.ts`) finds the user and stores the request.
 * 2. The approver decides immediately; or the page `/backchannel` (`endpoints.ts`) lists the request for its user and
 *    continues like the authorization endpoint, with a `PolledDestination` instead of a redirect URI.
 * 3. In the mode `ping`, `notifyClient` (`notify_client.ts`) informs the client.
 * 4. The client polls the token endpoint (`extensions/polled/poll.ts`).
 */

import type { EndpointOptions, Extension } from "../../config/extension.ts";
import type { Endpoint } from "../../endpoint.ts";
import { parameters } from "../../../core/http/params.ts";
import { polledGrantType, startEndpoint, withDelivery } from "../polled/delivery.ts";
import {
  cibaClientFields,
  cibaGrant,
  type CibaPolicy,
  cibaSettings,
  deliveryModes,
  validateNotification,
} from "./settings.ts";

const load = () => import("./endpoints.ts");

const isOn = ({ backchannelAuthentication }: CibaPolicy) => backchannelAuthentication;

/** Lets clients start the login of a user whom they know. */
export const ciba: Extension<CibaPolicy> = {
  name: "ciba",
  settings: cibaSettings,
  endpoints: (policy, options) => isOn(policy) ? cibaEndpoints(options) : [],
  grantTypes: [
    polledGrantType(cibaGrant, {
      title: "Backchannel authentication poll",
      setting: "backchannelAuthentication",
      // It sends requests to users who started no login, and its errors reveal whether a user exists.
      standing: { from: "configured", onTestHosts: "unknown" },
      isOn,
    }),
  ],
  clientMetadata: { fields: cibaClientFields, validate: validateNotification },
  extend: (server) => withDelivery(server, cibaGrant),
  metadata: ({ policy }) => isOn(policy) ? { backchannel_token_delivery_modes_supported: deliveryModes } : {},
};

/** The endpoint for clients, and the page for their users. */
function cibaEndpoints(options: EndpointOptions): Endpoint[] {
  const { base, approver, hasPages, openLogin, pages, redirectParameters } = options;
  return [
    startEndpoint(options, "backchannel_authentication", {
      title: "Backchannel authentication",
      parameters: [
        ...parameters("login_hint_token", "binding_message", "requested_expiry", "request"),
        { name: "id_token_hint", secret: "id_token" },
        { name: "client_notification_token", secret: "client_notification_token" },
      ],
      exampleParameters: ["scope", "login_hint", "binding_message"],
      responseParameters: parameters({ name: "auth_req_id", secret: "auth_req_id", linksFlow: true }),
      load: async () => (await load()).backchannelHandlers(hasPages ? undefined : approver),
    }),
    {
      name: "backchannel",
      path: `${base}/backchannel`,
      methods: ["GET"],
      caller: "browser",
      title: "Backchannel authentication page",
      errors: "redirect",
      role: "document",
      parameters: parameters("request_id", "error", "result"),
      responseParameters: redirectParameters,
      load: async () => (await load()).backchannelPage(approver, openLogin || !hasPages, pages.backchannel),
    },
  ];
}
