/**
 * Turns a client ID metadata document into a client. Its author is unknown, and may set fewer members than the
 * operator.
 */

import { sortResponseType, splitScope } from "../../../core/http/params.ts";
import { byProfile, clientValues, type ServerPolicy, supportedGrantTypes } from "../../config/server_policy.ts";
import { quote } from "../../config/config_issue.ts";
import type { OAuthError, RuleExplanation } from "../../../core/rules/errors.ts";
import { digest } from "../../../core/keys/secrets.ts";
import { grantTypesFor } from "../../../core/clients/client.ts";
import type { ClientMetadata, HostedClient } from "../../config/client_metadata.ts";
import { closedMembers } from "../../config/open_members.ts";
import { hostedClient } from "../../clients/clients.ts";
import { findLocalUris, isLocalUrl, validateRedirectUri } from "../../config/uri_issues.ts";
import { redirectsToDevice } from "../../../core/clients/redirect_uri.ts";
import { isPermitted } from "../../config/standing.ts";
import { validateUntrustedText } from "../../config/untrusted_text.ts";
import { reject } from "./rules.ts";
import { clientDocumentSettings } from "./settings.ts";
import { validateClient, validateClientAudience } from "../../config/validate_client.ts";
import { clientDocumentTexts } from "./explain.ts";

interface FetchedDocument {
  /** Its URL, which is the `client_id`. */
  readonly url: string;
  readonly text: string;
  /** The media type of the response. */
  readonly contentType: string | null;
}

/** The authentication methods that need no shared secret. */
const documentAuthMethods = ["none", "private_key_jwt"] as const;

/** Members that registration verifies by another document. In a metadata document, they would cause a second fetch. */
const unverifiedMembers = ["sector_identifier_uri"];

/**
 * Reads the client of a document. Unsupported values are ignored as long as a supported value is left, because one
 * document serves many servers. `document.warnings` of the client names the ignored values.
 *
 * @throws {OAuthError} `invalid_client`, if the document is invalid.
 */
export async function parseDocument(
  { url, text, contentType }: FetchedDocument,
  policy: ServerPolicy & { readonly audience: string },
  times: { readonly fetchedAt: number; readonly validUntil: number },
): Promise<HostedClient> {
  const warnings: RuleExplanation[] = [];
  const warn = (reason: string, expected: string, received: string, rule: keyof typeof clientDocumentTexts = "MC-04") =>
    void warnings.push({ rule, reason, expected, received, fix: clientDocumentTexts[rule].fix });
  if (url.includes("?")) {
    warn("client_id has a query, which a client should not use", "a URL without a query", url, "MC-03");
  }
  if (new URL(url).pathname === "/") {
    warn("client_id has the path /, which a client should not use", "a URL with a longer path", url, "MC-03");
  }
  if (url.startsWith("http:")) {
    warn("client_id has the scheme http, which other servers reject", "an https URL", url, "MC-03");
  }
  const document = { ...parseObject(text, contentType) };
  if (document.client_id !== url) throw invalidDocument("client_id", url, quote(document.client_id));
  if (clientDocumentSettings.of(policy).requireClientName && (document.client_name ?? "") === "") {
    const profile = byProfile(policy, "requireClientName");
    throw invalidDocument("client_name", `a name of the client for users${profile}`, "none");
  }
  for (const name of ["client_secret", "client_secret_expires_at"]) {
    if (name in document) throw invalidDocument(name, "no secret, because the document is public", "a value");
  }
  const ignored = [...closedMembers(policy, document, "unknown"), ...unverifiedMembers];
  for (const name of ignored.filter((name) => name !== "client_id" && name in document)) {
    delete document[name];
    warn(`${name} of the metadata document is ignored`, "no member that only the operator may set", name);
  }
  const authMethods: readonly string[] = documentAuthMethods.filter((one) => policy.clientAuthMethods.includes(one));
  const hasKeys = document.jwks !== undefined || document.jwks_uri !== undefined;
  const { token_endpoint_auth_method: method = hasKeys ? "private_key_jwt" : "none" } = document;
  if (typeof method !== "string" || !authMethods.includes(method)) {
    throw invalidDocument("token_endpoint_auth_method", authMethods.join(" or "), quote(method));
  }
  if (!("token_endpoint_auth_method" in document)) {
    warn(
      `the metadata document has no token_endpoint_auth_method, so the server uses ${method}`,
      "token_endpoint_auth_method, because its default (RFC 7591) needs a secret",
      "none",
    );
  }
  const isAllowedUri = (uri: string) =>
    validateRedirectUri(uri, policy.insecure.includes("http-redirect-uris"), policy.allows.localUrls) ===
      undefined &&
    (policy.privateUseRedirectUris || /^https?:/i.test(uri));
  const allowedGrantTypes = supportedGrantTypes(policy)
    .filter((type) => isPermitted({ policy }, { standing: "unknown" }, type))
    .map(({ type }) => type);
  const supported = (name: string, isSupported: (value: string) => boolean, expected: string) => {
    const values = filterSupported(document[name], name, isSupported, expected, warn);
    return values === undefined ? {} : { [name]: values };
  };
  const oneOf = (values: readonly string[]) => (value: string) => values.includes(value);
  const ofExtensions = Object.entries(clientValues(policy))
    .map(([name, values]) => supported(name, oneOf(values), values.join(", ")));
  const isAllowedType = (type: string) =>
    policy.responseTypes.some((name) => name === sortResponseType(type)) &&
    grantTypesFor([type]).every((grantType) => allowedGrantTypes.includes(grantType));
  const { scope } = document;
  const orPrivateUse = policy.privateUseRedirectUris ? ", or one with a private-use scheme" : "";
  const metadata = {
    ...document,
    ...supported("grant_types", oneOf(allowedGrantTypes), allowedGrantTypes.join(", ")),
    ...supported("response_types", isAllowedType, policy.responseTypes.join(", ")),
    ...Object.assign({}, ...ofExtensions),
    ...supported("response_modes", oneOf(policy.responseModes), policy.responseModes.join(", ")),
    ...supported("redirect_uris", isAllowedUri, `an https or loopback URI${orPrivateUse}`),
    ...supported("post_logout_redirect_uris", isAllowedUri, "an https or loopback URI"),
    ...typeof scope === "string" && {
      scope: filterSupported(
        splitScope(scope),
        "scope",
        oneOf(policy.userScopes),
        policy.userScopes.join(" "),
        warn,
      )!.join(
        " ",
      ),
    },
    client_id: url,
    token_endpoint_auth_method: method,
  } as unknown as ClientMetadata;
  for (
    const { path, expected, received } of [
      ...validateClient(metadata, policy),
      ...validateUntrustedText(metadata),
      ...validateClientAudience(metadata, policy.audience),
      // A document at a local URL belongs to this network, and so do the URLs in it.
      ...isLocalUrl(policy, url) ? [] : findLocalUris(metadata, policy),
    ]
  ) throw invalidDocument(path, expected, received);
  const redirectUris = metadata.redirect_uris ?? [];
  if (redirectUris.length > 0 && redirectUris.every(redirectsToDevice)) {
    warn(
      "every redirect URI of the client leads to the user's own device, so any program there can pretend to be it",
      "a redirect URI on the host of the client_id",
      redirectUris.join(" "),
      "MC-06",
    );
  }
  const { jwks, jwks_uri } = metadata;
  const identity = await digest(JSON.stringify([redirectUris, method, jwks, jwks_uri]));
  const client = hostedClient(metadata, policy);
  return {
    ...client,
    standing: "unknown",
    name: client.name || new URL(url).host,
    document: { ...times, identity, warnings },
  };
}

function parseObject(text: string, contentType: string | null): Record<string, unknown> {
  if (!/^application\/(?:[\w.!#$&^-]+\+)?json\s*(?:;|$)/i.test(contentType ?? "")) {
    throw invalidDocument("Content-Type", "application/json", contentType ?? "none");
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidDocument("the body", "a JSON object", "text that is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalidDocument("the body", "a JSON object", quote(value));
  }
  return value as Record<string, unknown>;
}

/** The supported values of a list; `undefined` if it is not a list of strings, which validation rejects. */
function filterSupported(
  values: unknown,
  name: string,
  isSupported: (value: string) => boolean,
  expected: string,
  warn: (reason: string, expected: string, received: string) => void,
): readonly string[] | undefined {
  if (!Array.isArray(values) || !values.every((value) => typeof value === "string")) return undefined;
  const supported = values.filter(isSupported);
  if (supported.length === values.length) return supported;
  const unsupported = values.filter((value) => !isSupported(value)).join(" ");
  if (supported.length === 0) throw invalidDocument(name, `at least one value of ${expected}`, unsupported);
  warn(`values of ${name} that this server does not support are ignored`, expected, unsupported);
  return supported;
}

function invalidDocument(path: string, expected: string, received: string): OAuthError {
  return reject("MC-04", { path, expected, received });
}
