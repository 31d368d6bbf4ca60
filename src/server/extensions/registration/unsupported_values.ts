/** Values of a registration that this server does not support, which it may leave out (RFC 7591 §2, §3.2.1). */

import { quote } from "../../config/config_issue.ts";
import { grantTypesFor } from "../../../core/clients/client.ts";
import type { ClientMetadata } from "../../config/client_metadata.ts";
import { serverPolicy, supportedGrantTypes } from "../../config/server_policy.ts";
import { warn } from "../../trace.ts";
import { sortResponseType } from "../../../core/params.ts";
import type { Server } from "../../../core/server.ts";
import { redirectsToDevice } from "../../../core/redirect_uri.ts";
import { isUnsupportedUri } from "../../config/uri_issues.ts";
import { registrationPolicy } from "./settings.ts";

type Requested = Omit<ClientMetadata, "client_id">;

/**
 * Leaves out unsupported values of `grant_types` and `response_types`, with a warning, if what remains is the code
 * flow. Clients for many servers name every flow that they know. Other metadata is returned as it is: validation
 * rejects it.
 */
export function withoutUnsupportedValues(server: Server, requested: Requested): Requested {
  if (registrationPolicy(server).unsupportedValues === "reject") return requested;
  const grantTypes = supportedGrantTypes(serverPolicy(server.settings)).map(({ type }) => type);
  const { initiate_login_uri: loginUri, ...others } = requested;
  return {
    ...others,
    ...loginUri !== undefined && !isRedirectUriOverHttp(server, loginUri, requested) && {
      initiate_login_uri: loginUri,
    },
    ...supportedUris(server, requested, "redirect_uris"),
    ...supportedUris(server, requested, "post_logout_redirect_uris"),
    ...supportedValues(server, "grant_types", requested.grant_types, grantTypes, "authorization_code"),
    ...supportedValues(server, "response_types", requested.response_types, server.settings.responseTypes, "code"),
  };
}

/** Adds the grant types that supported response types need besides the code (OpenID Connect Registration §2). */
export function withNeededGrantTypes(server: Server, requested: Requested): Requested {
  const { response_types } = requested;
  const isSupported = (type: unknown) =>
    server.settings.responseTypes.some((name) => typeof type === "string" && name === sortResponseType(type));
  if (!Array.isArray(response_types) || !response_types.every(isSupported)) return requested;
  const { grant_types = grantTypesFor(response_types) } = requested;
  if (!Array.isArray(grant_types)) return requested;
  const needed = grantTypesFor(response_types.filter((type) => type !== "code"));
  return needed.length === 0 ? requested : { ...requested, grant_types: [...new Set([...grant_types, ...needed])] };
}

/**
 * mod_auth_openidc names its redirect URI as `initiate_login_uri`, which must be https: over http it is left out, as
 * the redirect URI itself is accepted.
 */
function isRedirectUriOverHttp(server: Server, loginUri: unknown, { redirect_uris }: Requested): boolean {
  const isOverHttp = typeof loginUri === "string" && /^http:/i.test(loginUri) && Array.isArray(redirect_uris) &&
    redirect_uris.includes(loginUri);
  if (isOverHttp) {
    warn(server, undefined, {
      rule: "DR-04",
      reason: "initiate_login_uri is a redirect URI over http, and is ignored",
      expected: "an https URL, or no initiate_login_uri",
      received: loginUri,
    });
  }
  return isOverHttp;
}

/** The URIs without those that the server could accept with other settings, if one is left. */
function supportedUris(
  server: Server,
  requested: Requested,
  name: "redirect_uris" | "post_logout_redirect_uris",
): Pick<Requested, typeof name> {
  const { [name]: uris } = requested;
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === "string")) return {};
  const application_type = requested.application_type ?? (uris.every(redirectsToDevice) ? "native" : "web");
  const client = { ...requested, application_type, client_id: "registering" };
  const unsupported = uris.filter((uri) => isUnsupportedUri(name, uri, client, server.settings));
  if (unsupported.length === 0 || unsupported.length === uris.length) return {};
  warn(server, undefined, {
    rule: "DR-04",
    reason: `values of ${name} that this server does not support are ignored`,
    expected: "URIs that this server supports",
    received: unsupported.map(quote).join(", "),
  });
  return { [name]: uris.filter((uri) => !unsupported.includes(uri)) };
}

function supportedValues(
  server: Server,
  name: "grant_types" | "response_types",
  values: unknown,
  supported: readonly string[],
  required: string,
): Pick<Requested, typeof name> {
  if (!Array.isArray(values) || !values.every((value) => typeof value === "string")) return {};
  const remaining = values.filter((value) => supported.includes(value));
  if (remaining.length === values.length || !remaining.includes(required)) return {};
  warn(server, undefined, {
    rule: "DR-04",
    reason: `values of ${name} that this server does not support are ignored`,
    expected: supported.join(", "),
    received: values.filter((value) => !supported.includes(value)).map(quote).join(", "),
  });
  return { [name]: remaining };
}
