/** A warning about clients that request metadata under another host name. */

import { isTestHost } from "../../core/http/test_hosts.ts";
import type { Handlers } from "../../core/route.ts";
import type { HostedServer } from "../hosted_server.ts";

/**
 * Wraps the handlers of a metadata document. They warn once about a client that requests it under another host name,
 * because that client rejects the metadata (RFC 8414 §3.3).
 */
export function withHostWarning(handlers: Handlers<HostedServer>): Handlers<HostedServer> {
  let hasWarned = false;
  return {
    GET(context) {
      const { server, request } = context;
      const { issuer, policy: { allows } } = server;
      const host = request.headers.get("host");
      if (!hasWarned && host !== null && host !== new URL(issuer).host && isAlias(host) && allows.explanations) {
        hasWarned = true;
        const message = `A client requested the metadata from ${host}, but the issuer is ${issuer}. Clients reject ` +
          "metadata of another issuer: configure this issuer in the client, or set issuer to the URL that clients use.";
        server.trace({ type: "configuration_warning", at: server.now(), path: "issuer", message });
      }
      return handlers.GET!(context);
    },
  };
}

/**
 * Whether a `Host` header names the server by another test host, such as `127.0.0.1:9666` instead of `localhost:9666`.
 */
function isAlias(host: string): boolean {
  return URL.canParse(`http://${host}`) && isTestHost(new URL(`http://${host}`).hostname);
}
