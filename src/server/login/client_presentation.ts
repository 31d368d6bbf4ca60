/** What login and consent show of a client besides its name (OpenID Connect Registration §2). */

import { contentSecurityPolicy } from "../../core/http/message.ts";
import { type HostedClient, metadataOf } from "../config/client_metadata.ts";
import { isPermitted } from "../config/standing.ts";
import type { Server } from "../../core/server.ts";
import type { ClientPresentation } from "./pages/client_links.tsx";
import { isPolled } from "../stored/delivery.ts";
import type { Interaction } from "./pending.ts";

/** Origins that a policy can name; the port may be `*`. The URL parser accepts others, which would add directives. */
export const policyOrigin = /^https?:\/\/(?:[a-z\d.-]+|\[[\da-f:]+\])(?::(?:\d+|\*))?$/;

/** The presentation, and the headers of a page that shows it: its policy allows images of the logo's origin alone. */
export function presentClient(
  server: Server,
  { client, destination }: Interaction,
): { readonly presentation: ClientPresentation; readonly headers: Readonly<Record<string, string>> } {
  const { logo_uri, policy_uri, tos_uri } = metadataOf(client);
  const logo = isPermitted(server, client, "showLogo") ? logo_uri : undefined;
  const origin = logo === undefined ? undefined : new URL(logo).origin;
  const isShown = origin !== undefined && policyOrigin.test(origin);
  return {
    presentation: {
      logo: isShown ? logo : undefined,
      host: isPermitted(server, client, "showLogo") ? undefined : hostOf(client, destination),
      policy: toPage(policy_uri),
      terms: toPage(tos_uri),
    },
    headers: isShown
      ? { "content-security-policy": contentSecurityPolicy.replace("img-src 'self'", `img-src 'self' ${origin}`) }
      : {},
  };
}

/**
 * The host of the metadata document, or else of the redirect URI; `undefined` for a device and a private-use scheme.
 */
function hostOf({ id, document }: HostedClient, destination: Interaction["destination"]): string | undefined {
  if (document !== undefined) return new URL(id).host;
  return isPolled(destination) ? undefined : new URL(destination.uri).host || undefined;
}

function toPage(href: string | undefined): ClientPresentation["policy"] {
  return href === undefined ? undefined : { href, host: new URL(href).host };
}
