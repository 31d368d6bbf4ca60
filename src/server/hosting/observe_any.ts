/** Warnings about requests that were accepted only because a setting is `"any"`. */

import { splitScope } from "../../core/http/params.ts";
import type { RulePassed } from "../../core/trace.ts";
import type { HostedClient } from "../config/client_metadata.ts";
import type { HostedServer } from "../hosted_server.ts";

/**
 * Receives the passed checks of one request, and observes those that a strict server would not pass. For a client or a
 * redirect URI that is not registered, no check has passed.
 */
export function observeAny(server: HostedServer): RulePassed {
  const { passed } = server;
  let client: HostedClient | undefined;
  return (rule, value) => {
    if (rule === "AZ-02" || rule === "CA-07") {
      client = server.clients.known().get(String(value));
      if (client?.isUnregistered) {
        return server.observe(server, client.id, "unregistered client", { rule, id: client.id });
      }
    }
    if (rule === "RU-01" && client?.hasRedirectUri(String(value)) === false) {
      if (client.isUnregistered) return;
      const facts = { uri: String(value), registered: client.redirectUris };
      return server.observe(server, client.id, "RU-01", facts);
    }
    if (rule === "AZ-17" && client !== undefined) {
      const requested = splitScope(String(value));
      if (!requested.every((token) => server.policy.scopes.includes(token))) {
        server.observe(server, client.id, "AZ-17", { requested, registered: client.scope });
      }
    }
    passed(rule, value);
  };
}
