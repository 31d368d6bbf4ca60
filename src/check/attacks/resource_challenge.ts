/** The challenges of protected resources (RFC 9110 §11.6.1, RFC 6750 §3, RFC 9728 §5.1). */

import { type HttpResponse, isResponse, json, withHeaders } from "../../core/http/message.ts";
import { getHeader } from "../../platform/http/response.ts";
import type { Fault } from "../../testing/faults/fault.ts";
import type { Stage } from "../attack.ts";

/** A fault that rejects the token of each request. */
export function rejectTokens({ resource }: Stage, code: "invalid_token" | "insufficient_scope", scope?: string): Fault {
  const parameters = [
    `error="${code}"`,
    ...scope === undefined ? [] : [`scope="${scope}"`],
    `resource_metadata="${resource!.metadataUrl}"`,
  ];
  const headers = { "www-authenticate": `Bearer ${parameters.join(", ")}`, "access-control-allow-origin": "*" };
  const response = json(code === "insufficient_scope" ? 403 : 401, { error: code }, headers);
  return { name: code, handle: () => () => Promise.resolve(response) };
}

/** The form that most servers send. */
export const usualForm = "usual";

/** Valid forms of the challenge, by the URL of the metadata and an origin that must receive no request. */
export const challengeForms: Readonly<Record<string, (url: string, trap: string) => string>> = {
  [usualForm]: (url) => `Bearer resource_metadata="${url}"`,
  "another-scheme-first": (url) => `Basic realm="users", Bearer resource_metadata="${url}"`,
  "scheme-without-parameters-first": (url) => `Negotiate, Bearer resource_metadata="${url}"`,
  "another-token-scheme-first": (url) => `DPoP algs="ES256 EdDSA", Bearer resource_metadata="${url}"`,
  capitals: (url) => `BEARER Resource_Metadata="${url}"`,
  spaces: (url) => `Bearer   realm = "r" ,  resource_metadata = "${url}"`,
  "without-quotes": (url) => `Bearer error=invalid_token, resource_metadata="${url}"`,
  "escaped-quotes": (url) => `Bearer realm="the \\"old\\" realm", resource_metadata="${url}"`,
  "comma-in-text": (url) => `Bearer realm="a, b", resource_metadata="${url}"`,
  "name-in-text": (url, trap) => `Bearer realm="resource_metadata=${trap}/", resource_metadata="${url}"`,
};

/** A response whose challenges do not name the URL of the metadata. */
export function withoutMetadataUrl(response: HttpResponse | Response): HttpResponse | Response {
  const challenges = getHeader(response, "www-authenticate")!.replace(/(, | )resource_metadata="[^"]*"/g, "");
  // The first parameter of a challenge has no comma before it.
  return withHeaders(response, { "www-authenticate": challenges.replace(/(^|, )(\w+), (?=\w+=)/g, "$1$2 ") });
}

export function withoutHeader(response: HttpResponse | Response, name: string): HttpResponse | Response {
  if (!isResponse(response)) {
    const { [name]: _, ...headers } = response.headers;
    return { ...response, headers };
  }
  const headers = new Headers(response.headers);
  headers.delete(name);
  return new Response(response.body, { status: response.status, headers });
}
