/** Where an authorization request has its parameters. The core knows one source: the request itself. */

import type { OAuthError } from "../rules/errors.ts";
import type { Params } from "../http/params.ts";
import { reject } from "../rules/reject.ts";
import type { WithExtensions } from "../slot.ts";

/** What is known of the source of the parameters of a request, with values of the extension that read it. */
export interface RequestOrigin extends WithExtensions {
  /** Why the source cannot be used: the client receives this error. The parameters are then those of query or form. */
  readonly rejection?: OAuthError;
}

export interface ResolvedRequest {
  readonly params: Params;
  readonly origin: RequestOrigin;
}

/** Rejects a request that names another source (OpenID Connect Core §6). No `request_uri` is ever fetched (SSRF). */
export function resolveRequest(_server: unknown, params: Params): ResolvedRequest {
  const [parameter, ...others] = (["request", "request_uri"] as const).filter((name) => params.get(name) !== undefined);
  if (parameter === undefined) return { params, origin: {} };
  const problem = others.length > 0 ? "both" : "unsupported";
  return { params, origin: { rejection: reject("JR-01", { parameter, problem }) } };
}
