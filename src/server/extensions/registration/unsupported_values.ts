/** Values of a registration that this server does not support, which it may leave out (RFC 7591 §2, §3.2.1). */

import { quote } from "../../config/config_issue.ts";
import type { ConfigIssue } from "../../../core/rules/configuration_error.ts";
import { asServerPolicy, clientValues, supportedGrantTypes } from "../../config/server_policy.ts";
import { validateClient } from "../../config/validate_client.ts";
import { grantTypesFor } from "../../../core/clients/client.ts";
import type { ClientMetadata } from "../../config/client_metadata.ts";
import { warn } from "../../trace.ts";
import { sortResponseType, splitScope } from "../../../core/http/params.ts";
import type { Server } from "../../../core/server.ts";
import { redirectsToDevice } from "../../../core/clients/redirect_uri.ts";
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
  const policy = asServerPolicy(server.policy);
  const lists = supportedLists(server, requested);
  const remaining: Record<string, unknown> = { ...requested };
  const replace = (name: string, value: unknown, expected: string, received: string) => {
    if (value === undefined) delete remaining[name];
    else remaining[name] = value;
    warnReplaced(server, name, expected, received);
  };
  for (const [name, value] of Object.entries(requested)) {
    const list = lists[name];
    const values = name === "scope" && typeof value === "string" ? splitScope(value) : value;
    if (list !== undefined && Array.isArray(values) && values.every((item) => typeof item === "string")) {
      const left = list.keep(values);
      if (left.length === values.length) continue;
      const unsupported = values.filter((item) => !left.includes(item)).slice(0, maxNamedValues);
      const isLeftOut = left.length === 0 && name !== "post_logout_redirect_uris";
      const kept = isLeftOut ? undefined : name === "scope" ? left.join(" ") : left;
      replace(name, kept, list.expected, unsupported.map(quote).join(", "));
      continue;
    }
    const { choices, isDemand } = policy.clientField.members[name as keyof Requested];
    const supported = name === "subject_type" ? policy.subjectTypes : choices;
    if (typeof value === "string" && supported?.includes(value) === false && !ofClient.includes(name)) {
      replace(name, undefined, supported.join(", "), quote(value));
    } else if (isUnused(name, requested, remaining) || isDemand && isUnmet(server, name, value)) {
      replace(name, undefined, "what this server supports", quote(value));
    }
  }
  const { application_type, initiate_login_uri: loginUri, redirect_uris: uris = [] } = requested;
  if (application_type === "web" && hasOnlyUrisOfApps(uris)) {
    replace("application_type", "native", '"native", because of redirect_uris', '"web"');
  }
  // mod_auth_openidc names its redirect URI as initiate_login_uri, which must be https.
  if (typeof loginUri === "string" && /^http:/i.test(loginUri) && Array.isArray(uris) && uris.includes(loginUri)) {
    replace("initiate_login_uri", undefined, "an https URL, or no initiate_login_uri", loginUri);
  }
  return remaining;
}

/** A member with several values. */
interface SupportedList {
  readonly expected: string;
  /** The supported ones of the values; all values if too few are supported, so that validation rejects the list. */
  keep(values: readonly string[]): readonly string[];
}

/** The members with several values of which the server supports some. */
function supportedLists(server: Server, requested: Requested): Readonly<Record<string, SupportedList>> {
  const policy = asServerPolicy(server.policy);
  const of = (supported: readonly string[], needed?: string): SupportedList => ({
    expected: supported.join(", ") || "no values",
    keep(values) {
      const left = values.filter((value) => supported.includes(value));
      return needed === undefined || left.includes(needed) ? left : values;
    },
  });
  const uris = (name: "redirect_uris" | "post_logout_redirect_uris"): SupportedList => ({
    expected: "URIs that this server supports",
    keep(values) {
      const application_type = requested.application_type ?? (values.every(redirectsToDevice) ? "native" : "web");
      const client = { ...requested, application_type, client_id: "registering" };
      return values.filter((uri) => !isUnsupportedUri(name, uri, client, server.policy));
    },
  });
  const notEmpty = ({ expected, keep }: SupportedList): SupportedList => ({
    expected,
    keep(values) {
      const left = keep(values);
      return left.length === 0 ? values : left;
    },
  });
  return {
    ...Object.fromEntries(Object.entries(clientValues(policy)).map(([name, values]) => [name, of(values)])),
    response_modes: of(policy.responseModes),
    grant_types: of(supportedGrantTypes(policy).map(({ type }) => type), "authorization_code"),
    response_types: of(server.policy.responseTypes, "code"),
    scope: notEmpty(of(server.policy.scopes)),
    redirect_uris: notEmpty(uris("redirect_uris")),
    post_logout_redirect_uris: uris("post_logout_redirect_uris"),
  };
}

/** Maximum number of values that a warning names. */
const maxNamedValues = 20;

/** Members about what the client itself sends. */
const ofClient = ["token_endpoint_auth_method", "token_endpoint_auth_signing_alg", "request_object_signing_alg"];

/** Whether a member is about a signature that the client does not make, or an encryption without an algorithm. */
function isUnused(name: string, requested: object, remaining: Readonly<Record<string, unknown>>): boolean {
  const { token_endpoint_auth_method: method = "client_secret_basic", request_object_signing_alg: alg } = requested as {
    readonly token_endpoint_auth_method?: unknown;
    readonly request_object_signing_alg?: unknown;
  };
  if (name === "token_endpoint_auth_signing_alg") return /^(?:client_secret_(?:basic|post)|none)$/.test(String(method));
  if (name === "request_object_signing_alg") return alg === "none";
  const algorithm = name.replace(/enc$/, "alg");
  return name.endsWith("_encrypted_response_enc") &&
    Object.hasOwn(requested, algorithm) && !Object.hasOwn(remaining, algorithm);
}

/** Whether the server cannot meet what a member demands. */
function isUnmet({ policy }: Server, name: string, value: unknown): boolean {
  return validateClient({ client_id: "registering", [name]: value }, policy).some(({ path }) => path === name);
}

/** Whether each redirect URI has a private-use scheme, so that only an installed app can receive the code. */
function hasOnlyUrisOfApps(uris: unknown): boolean {
  return Array.isArray(uris) && uris.length > 0 &&
    uris.every((uri) => typeof uri === "string" && URL.canParse(uri) && !/^https?:/i.test(uri));
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

/** Responses that no server of this program encrypts. */
const unencrypted = ["authorization", "introspection"].flatMap((response) =>
  ["alg", "enc"].map((part) => `${response}_encrypted_response_${part}`)
);

/** Warns about the encryption of responses that are never encrypted, or returns it as issues. */
export function findEncryptionIssues(server: Server, received: Readonly<Record<string, unknown>>): ConfigIssue[] {
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

/** Adds the grant types that supported response types need besides the code (OpenID Connect Registration §2). */
export function withNeededGrantTypes(server: Server, requested: Requested): Requested {
  const { response_types } = requested;
  const isSupported = (type: unknown) =>
    server.policy.responseTypes.some((name) => typeof type === "string" && name === sortResponseType(type));
  if (!Array.isArray(response_types) || !response_types.every(isSupported)) return requested;
  const { grant_types = grantTypesFor(response_types) } = requested;
  if (!Array.isArray(grant_types)) return requested;
  const needed = grantTypesFor(response_types.filter((type) => type !== "code"));
  return needed.length === 0 ? requested : { ...requested, grant_types: [...new Set([...grant_types, ...needed])] };
}
