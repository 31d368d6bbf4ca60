/** POST /oauth2/device_authorization (RFC 8628 §3.1): a device starts a login that the user completes in a browser. */

import type { Approver } from "../../../core/approver.ts";
import { clientEndpoint } from "../../../core/client_endpoint.ts";
import { endpointPath, endpointUrl } from "../../../core/endpoint.ts";
import { rejectUntrustedHost } from "../../../core/cross_site.ts";
import type { Handlers } from "../../../core/route.ts";
import { json } from "../../../core/http/message.ts";
import { serverPolicy } from "../../config/server_policy.ts";
import { decideImmediately } from "../polled/decide_immediately.ts";
import { findDevice, startDevice } from "./device_authorization.ts";
import { pollInterval } from "./settings.ts";

/**
 * The handlers of the device authorization endpoint.
 *
 * @param approver Decides immediately, without the page `/device`. If it returns a response, the user decides on the
 *   page. Default: the user always does.
 */
export function deviceAuthorizationHandlers(approver?: Approver): Handlers {
  return clientEndpoint(async (server, { client, parameters }, context) => {
    // DNS rebinding: a page of an attacker could read the device code and get the tokens.
    if (approver !== undefined) rejectUntrustedHost(server, context.request, "UI-20");
    const { address } = context.target.clientAddress;
    const { deviceCode, userCode } = await startDevice(server, client, parameters, address);
    if (approver !== undefined) {
      const device = await findDevice(server, userCode, endpointPath(context.app, "device"));
      await decideImmediately(context, device!, approver);
    }
    const page = endpointUrl(context, "device");
    return json(200, {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${userCode}`,
      expires_in: serverPolicy(server.settings).lifetimes.device_code,
      interval: pollInterval(server),
    });
  });
}
