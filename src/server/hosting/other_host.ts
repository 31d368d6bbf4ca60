/** A warning about clients that request metadata under another host name: in the terminal and on pages. */

import { isTestHost } from "../../core/http/test_hosts.ts";
import type { Context } from "../../core/http/context.ts";
import type { Handlers } from "../../core/route.ts";
import type { HostedServer } from "../hosted_server.ts";

/** The warning about the newest request for the metadata of each server. */
const newestWarnings = new WeakMap<Context["app"], string>();

/** The warning about the newest request for metadata; `undefined` if it named the host of the issuer. */
export const findHostWarning = ({ app }: Context): string | undefined => newestWarnings.get(app);

/** What a request for metadata under another host name leads to (RFC 8414 §3.3). */
export function hostWarning(host: string, issuer: string): string {
  return `A client requested the metadata from ${host}, but the issuer is ${issuer}. Clients reject metadata of ` +
    "another issuer: configure this issuer in the client, or set issuer to the URL that clients use.";
}

/** Wraps the handlers of a metadata document. They warn about a client that requests it under another host name. */
export function withHostWarning(handlers: Handlers<HostedServer>): Handlers<HostedServer> {
  let hasWarned = false;
  return {
    GET(context) {
      const { server, request } = context;
      const { issuer, policy: { allows } } = server;
      const host = request.headers.get("host");
      newestWarnings.delete(context.app);
      if (host !== null && host !== new URL(issuer).host && isAlias(host) && allows.explanations) {
        const message = hostWarning(host, issuer);
        newestWarnings.set(context.app, message);
        // Programs may ask often, and the terminal says it once.
        if (!hasWarned) server.trace({ type: "configuration_warning", at: server.now(), path: "issuer", message });
        hasWarned = true;
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
