/** What Okta does that no data of its profile describes. */

import type { Plugin } from "../../assembly/plugin.ts";
import type { Context } from "../../assembly/context.ts";
import { isResponse, replaceParts, type RequestLike, type ResponseLike } from "../../../platform/http/message.ts";
import { warn } from "../../oauth/notes.ts";
import { type Exchange, trackExchanges } from "./shapes/exchanges.ts";
import { findDerived } from "./shapes/fill_members.ts";
import { webMessage } from "./web_message.ts";

/** Accepts Basic with a bare client_id and silent logins in a frame, and sends errors in Okta's own form. */
export function oktaQuirks(): Plugin {
  const { find, hooks } = trackExchanges();
  // okta-auth-js lib/oidc/util/browser.ts compares the member state of the message.
  const messages = webMessage("okta_post_message", (response) => response);
  return {
    ...hooks,
    setup: messages.setup,
    handle: (next) =>
      messages.handle(async (request, peer) => {
        const withColon = addColon(request);
        const response = await next(withColon ?? request, peer);
        const exchange = find(withColon ?? request);
        if (exchange === undefined) return response;
        if (withColon !== undefined) warnBareId(exchange.context);
        return shapeError(exchange, response);
      }),
  };
}

/**
 * The request with a colon after the client_id in the header of HTTP Basic, if it lacks one: okta-auth-js
 * lib/oidc/revokeToken.ts sends `btoa(clientId)` for a client without a secret.
 */
function addColon(request: RequestLike): RequestLike | undefined {
  const encoded = /^Basic +([\w+/=-]{1,1000})$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (encoded === undefined) return undefined;
  let id: string;
  try {
    id = atob(encoded);
  } catch {
    return undefined;
  }
  if (id.includes(":")) return undefined;
  const authorization = `Basic ${btoa(`${id}:`)}`;
  const headers = {
    get: (name: string) => name.toLowerCase() === "authorization" ? authorization : request.headers.get(name),
  };
  // Not spread: that would read the body.
  return replaceParts(request, { headers, original: request });
}

function warnBareId({ server, clientId }: Context): void {
  warn(server, clientId, {
    reason: "Okta accepts HTTP Basic with a client_id and no colon; other servers do not",
    expected: "Basic, a space and BASE64(client_id:)",
    received: "Basic, a space and BASE64(client_id)",
    fix: "Send client_id in the body, which the provider accepts too.",
  });
}

function shapeError({ context, rejection }: Exchange, response: ResponseLike): ResponseLike {
  if (isResponse(response) || response.status < 400 || rejection === undefined) return response;
  const { endpoint, server } = context;
  // okta-auth-js test/support/xhr/error-userinfo-invalid-token.js: the challenge alone says what is wrong.
  if (endpoint?.name === "userinfo") return { ...response, body: "" };
  const isUnknown = rejection.client === undefined || server.clients.findCached(rejection.client) === undefined;
  if (rejection.error !== "invalid_client" || !isUnknown) return response;
  // https://github.com/okta/okta-idx-java/issues/500
  const body = {
    errorCode: "invalid_client",
    errorSummary: "Invalid value for 'client_id' parameter.",
    errorLink: "invalid_client",
    errorId: `oae${String(findDerived("$uuid", server)).replaceAll("-", "")}`,
    errorCauses: [],
  };
  return { ...response, status: 401, body: JSON.stringify(body) };
}
