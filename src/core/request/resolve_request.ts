/**
 * Finds the parameters of an authorization request that refers to another source: a source of the server reads them.
 * Loaded with the first request that contains `request` or `request_uri`.
 */

import type { OAuthError } from "../errors.ts";
import type { Params } from "../params.ts";
import { reject } from "../reject.ts";
import type { Server } from "../server.ts";
import { type ResolvedRequest, type SourceParameter, sourceParameters } from "./request_source.ts";

/**
 * Finds the parameters of a request. It changes nothing, so that a user may reload the page. No `request_uri` is ever
 * fetched (SSRF).
 *
 * @param received The parameters that the authorization endpoint received.
 * @param unrepeatable See `paramsFromFields`.
 * @throws {OAuthError} An error of the source for the user.
 */
export async function resolveRequest(
  server: Server,
  received: Params,
  unrepeatable: ReadonlySet<string>,
): Promise<ResolvedRequest> {
  const [parameter, ...others] = sourceParameters.filter((name) => received.get(name) !== undefined);
  if (parameter === undefined) return { params: received, origin: {} };
  const source = server.requestParts.sources.find((source) => source.parameter === parameter);
  const isKnown = source !== undefined && received.get(parameter)!.startsWith(source.prefix ?? "");
  if (isKnown && others.length === 0) return await source.read(server, received, unrepeatable);
  const rejection = others.length > 0
    ? reject("JR-01", { parameter, problem: "both" })
    : unsupportedSource(server, parameter);
  return { params: received, origin: { rejection } };
}

/** The error of a request whose parameters are in a source that the server does not have. */
export function unsupportedSource(server: Server, parameter: SourceParameter): OAuthError {
  const { prefix } = server.requestParts.sources.find((source) => source.parameter === parameter) ?? {};
  return reject("JR-01", { parameter, problem: "unsupported", prefix });
}
