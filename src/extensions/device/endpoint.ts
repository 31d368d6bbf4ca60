/** POST /oauth2/device_authorization (RFC 8628 §3.1): a device starts a login that the user completes in a browser. */

import type { Approver } from "../../app/approver.ts";
import { clientEndpoint } from "../../app/client_endpoint.ts";
import type { Context } from "../../app/context.ts";
import { endpointPath, endpointUrl } from "../../app/endpoint.ts";
import { rejectUntrustedHost } from "../../app/host_check.ts";
import type { Handlers } from "../../app/route.ts";
import { json } from "../../http/responses.ts";
import { denyDevice, findDevice, startDevice } from "./device_authorization.ts";
import { pollInterval } from "./settings.ts";
import { statedLevel } from "../../oauth/authorize/authentication_level.ts";
import { issueCode } from "../../oauth/authorize/code.ts";
import { rejectOldLogin } from "../../oauth/authorize/login.ts";
import { OAuthError } from "../../oauth/errors.ts";
import { createSession } from "../../oauth/session/session.ts";

/**
 * The handlers of the device authorization endpoint.
 *
 * @param approver Decides immediately, without the page `/device`. If it returns a response, the page decides. Default:
 *   the page.
 */
export function deviceAuthorizationHandlers(approver?: Approver): Handlers {
  return clientEndpoint(async (server, { client, parameters }, context) => {
    // DNS rebinding: a page of an attacker could read the device code and get the tokens.
    if (approver !== undefined) rejectUntrustedHost(server, context.request, "UI-20");
    const { address } = context.target.clientAddress;
    const { deviceCode, userCode } = await startDevice(server, client, parameters, address);
    if (approver !== undefined) await decideImmediately(context, userCode, approver);
    const page = endpointUrl(context, "device");
    return json(200, {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${userCode}`,
      expires_in: server.settings.lifetimes.device_code,
      interval: pollInterval(server),
    });
  });
}

/** Asks the approver, with a session that no browser has. */
async function decideImmediately(context: Context, userCode: string, approve: Approver): Promise<void> {
  const { server, request: httpRequest } = context;
  const { users, now, trace } = server;
  const startedAt = now();
  const { pending } = (await findDevice(server, userCode, endpointPath(context.app, "device")))!;
  try {
    const decision = await approve(pending.request, { pending, users, now, trace, httpRequest, context });
    if (!("user" in decision)) return;
    const { user, authTime } = decision;
    rejectOldLogin(pending.request.loginRequirements, startedAt, authTime, undefined);
    const session = createSession(server, user.sub, authTime, undefined, statedLevel(server, decision));
    await issueCode(server, pending, decision, session);
  } catch (error) {
    if (!(error instanceof OAuthError) || error.code !== "access_denied") throw error;
    await denyDevice(server, pending.destination);
  }
}
