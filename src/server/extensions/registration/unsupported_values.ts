/** Values of a registration that this server does not support, which it may leave out (RFC 7591 §2, §3.2.1). */

import { quote } from "../../config/config_issue.ts";
import type { ConfigIssue } from "../../../core/configuration_error.ts";
import { clientValues } from "../../config/client_extension.ts";
import { validateClient } from "../../config/validate_client.ts";
import { grantTypesFor } from "../../../core/clients/client.ts";
import type { ClientMetadata } from "../../config/client_metadata.ts";
import { serverPolicy, supportedGrantTypes } from "../../config/server_policy.ts";
import { warn } from "../../trace.ts";
import { sortResponseType, splitScope } from "../../../core/params.ts";
import type { Server } from "../../../core/server.ts";
import { redirectsToDevice } from "../../../core/redirect_uri.ts";
import { isUnsupportedUri } from "../../config/uri_issues.ts";
import { registrationPolicy } from "./settings.ts";

type Requested = Omit<ClientMetadata, "client_id">;

/**
 * Leaves out what this server does not support, with a warning, so that one value does not cost the registration. The
 * response has what was registered. Clients for many servers name all that they know.
 *
 * What a client itself sends or has, such as its method of authentication, has no substitute: validation rejects it. It
 * rejects too what is left of `redirect_uris`, `grant_types`, `response_types` and `scope` if no supported value is.
 */
export function withoutUnsupportedValues(server: Server, requested: Requested): Requested {
  if (registrationPolicy(server).unsupportedValues === "reject") return requested;
  const grantTypes = supportedGrantTypes(serverPolicy(server.settings)).map(({ type }) => type);
  const { initiate_login_uri: loginUri, ...others } = withoutUnsupportedMembers(server, requested);
  const isNative = requested.application_type === "web" && hasOnlyUrisOfApps(requested);
  if (isNative) warnReplaced(server, "application_type", '"native", because of redirect_uris', '"web"');
  return {
    ...others,
    ...isNative && { application_type: "native" },
    ...loginUri !== undefined && !isRedirectUriOverHttp(server, loginUri, requested) && {
      initiate_login_uri: loginUri,
    },
    ...supportedUris(server, requested, "redirect_uris"),
    ...supportedUris(server, requested, "post_logout_redirect_uris"),
    ...supportedValues(server, "grant_types", requested.grant_types, grantTypes, "authorization_code"),
    ...supportedValues(server, "response_types", requested.response_types, server.settings.responseTypes, "code"),
    ...supportedScope(server, requested),
  };
}

/** Whether each redirect URI has a private-use scheme, so that only an installed app can receive the code. */
function hasOnlyUrisOfApps({ redirect_uris: uris }: Requested): boolean {
  return Array.isArray(uris) && uris.length > 0 &&
    uris.every((uri) => typeof uri === "string" && URL.canParse(uri) && !/^https?:/i.test(uri));
}

/** Responses that no server of this program encrypts. */
const unencrypted = ["authorization", "introspection"].flatMap((response) =>
  ["alg", "enc"].map((part) => `${response}_encrypted_response_${part}`)
);

/** Warns about the encryption of responses that are never encrypted, or returns it as issues. */
export function findEncryption(server: Server, received: Readonly<Record<string, unknown>>): ConfigIssue[] {
  const issues = unencrypted.filter((path) => (received[path] ?? null) !== null).map((path) => ({
    path,
    expected: "nothing, because this server does not encrypt these responses",
    received: quote(received[path]),
    hint: "Remove it.",
  }));
  if (registrationPolicy(server).unsupportedValues === "reject") return issues;
  for (const { path, expected, received } of issues) warnReplaced(server, path, expected, received);
  return [];
}

/** Members about what the client itself sends. */
const ofClient = ["token_endpoint_auth_method", "token_endpoint_auth_signing_alg", "request_object_signing_alg"];

/** The metadata without the members, and without the values of lists, that the server does not support. */
function withoutUnsupportedMembers(server: Server, requested: Requested): Requested {
  const policy = serverPolicy(server.settings);
  const lists: Readonly<Record<string, readonly string[]>> = {
    response_modes: policy.responseModes,
    ...clientValues(policy),
  };
  const remaining: Record<string, unknown> = { ...requested };
  for (const [name, value] of Object.entries(requested)) {
    const { choices, isDemand } = policy.clientField.members[name as keyof Requested];
    const list = lists[name];
    if (list !== undefined && Array.isArray(value) && value.every((item) => typeof item === "string")) {
      const supported = value.filter((item) => list.includes(item));
      if (supported.length === value.length) continue;
      if (supported.length > 0) remaining[name] = supported;
      else delete remaining[name];
      const unsupported = value.filter((item) => !supported.includes(item)).map(quote).join(", ");
      warnReplaced(server, name, list.join(", ") || "no values", unsupported);
      continue;
    }
    const supported = name === "subject_type" ? policy.subjectTypes : choices;
    const isUnknown = typeof value === "string" && supported?.includes(value) === false && !ofClient.includes(name);
    const isWithoutAlgorithm = name.endsWith("_encrypted_response_enc") && isReplaced(name.replace(/enc$/, "alg"));
    if (!isUnknown && !isWithoutAlgorithm && !isWithoutSignature(name) && !(isDemand && isUnmet(name, value))) continue;
    delete remaining[name];
    warnReplaced(server, name, isUnknown ? supported!.join(", ") : "what this server supports", quote(value));
  }
  return remaining;

  function isReplaced(name: string): boolean {
    return Object.hasOwn(requested, name) && !Object.hasOwn(remaining, name);
  }

  /** Whether an algorithm is named for a signature that the client does not make. */
  function isWithoutSignature(name: string): boolean {
    const { token_endpoint_auth_method: method = "client_secret_basic", request_object_signing_alg: alg } = requested as
      & Requested
      & { readonly request_object_signing_alg?: string };
    return name === "token_endpoint_auth_signing_alg" &&
        /^(?:client_secret_(?:basic|post)|none)$/.test(String(method)) ||
      name === "request_object_signing_alg" && alg === "none";
  }

  function isUnmet(name: string, value: unknown): boolean {
    return validateClient({ client_id: "registering", [name]: value }, policy).some(({ path }) => path === name);
  }
}

function warnReplaced(server: Server, name: string, expected: string, received: string): void {
  warn(server, undefined, {
    rule: "DR-04",
    reason: `${name} of the registration request has what this server does not support, and is replaced`,
    expected,
    received,
    fix: "The response has what was registered. Send nothing else, or read it there.",
  });
}

/** The scope without unknown values, if one is left. */
function supportedScope(server: Server, { scope }: Requested): Pick<Requested, "scope"> {
  const { scopes } = server.settings;
  const values = typeof scope === "string" ? splitScope(scope) : [];
  const supported = values.filter((value) => scopes.includes(value));
  if (supported.length === values.length || supported.length === 0) return {};
  const unknown = values.filter((value) => !supported.includes(value)).slice(0, maxNamedValues);
  warnReplaced(server, "scope", scopes.join(" "), unknown.join(" "));
  return { scope: supported.join(" ") };
}

/** Maximum number of unknown scope values that a warning names. */
const maxNamedValues = 20;

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

/** The URIs without those that the server could accept with other settings. One redirect URI must be left. */
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
  const mayBeEmpty = name === "post_logout_redirect_uris";
  if (unsupported.length === 0 || unsupported.length === uris.length && !mayBeEmpty) return {};
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
