/** A client as pages show it. */

import { type HostedClient, metadataOf } from "../../server/config/client_metadata.ts";
import type { Context } from "../../core/http/context.ts";
import { mustProve } from "../../server/extensions/dpop/settings.ts";
import { mustPush } from "../../server/extensions/par/settings.ts";
import { mustSign } from "../../server/extensions/signed_requests/settings.ts";
import { policyOf } from "../../core/clients/clients.ts";
import { clientValues } from "../../server/config/server_policy.ts";
import type { ListedClient } from "./pages/client_details.tsx";
import type { ClientDemand } from "./client_snippets/library.ts";

/** What the server demands of the requests of a client. */
export function findDemands({ server }: Context, client: HostedClient): ClientDemand[] {
  const { metadata } = client;
  const policy = policyOf(server, client);
  const modes = metadata.response_modes ?? policy.responseModes;
  const demands: Readonly<Record<ClientDemand, boolean | undefined>> = {
    par: mustPush(server, client),
    jar: mustSign(server, client),
    jarm: !modes.some((mode) => mode === "query" || mode === "form_post"),
    dpop: mustProve(server, client),
  };
  return (Object.keys(demands) as ClientDemand[]).filter((demand) => demands[demand]);
}

/** What a client must do, in sentences. */
export const demandTexts: Readonly<Record<ClientDemand, (parUrl: string) => string>> = {
  par: (url) => `Push each authorization request to ${url} (RFC 9126).`,
  jar: () => "Sign each authorization request (RFC 9101).",
  jarm: () => "Request a signed authorization response, for example with response_mode=jwt (JARM).",
  dpop: () => "Send a DPoP proof with each token request and to each resource (RFC 9449).",
};

/** The members that the page of a client shows with labels of their own. */
const shownMembers: ReadonlySet<string> = new Set([
  ...["client_id", "client_name", "redirect_uris", "post_logout_redirect_uris", "token_endpoint_auth_method"],
  ...["grant_types", "scope", "profile", "authorization_details_types"],
  ...["backchannel_logout_uri", "frontchannel_logout_uri"],
]);

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(describeValue).join(" ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function toListedClient({ site, server }: Context, client: HostedClient): ListedClient {
  const { id, name, authMethods, redirectUris, grantTypes, scope, document, registration } = client;
  const metadata = metadataOf(client);
  const { post_logout_redirect_uris: postLogoutRedirectUris = [] } = metadata;
  const href = `${site.base}/clients/${encodeURIComponent(id)}`;
  const { authorization_details_types: detailsTypes = [] } = clientValues(server.policy);
  return {
    ...{ id, name, href, authMethods, redirectUris, postLogoutRedirectUris, grantTypes, scope, document },
    detailsTypes: metadata.authorization_details_types ?? detailsTypes,
    registeredItselfAt: registration?.issuedAt,
    profile: metadata.profile,
    logoutUris: [metadata.backchannel_logout_uri ?? [], metadata.frontchannel_logout_uri ?? []].flat(),
    otherMembers: Object.entries(metadata).flatMap(([name, value]) =>
      value === false || shownMembers.has(name) ? [] : [`${name}: ${describeValue(value)}`]
    ),
  };
}
