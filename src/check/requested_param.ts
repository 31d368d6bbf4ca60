/** Parameters of authorization requests. */

import type { Exchange } from "../recorder/exchange.ts";
import { decodeJwtPart } from "../platform/http/jwt_part.ts";
import { findParam } from "../recorder/record_request.ts";

/** A parameter that an authorization request has itself, pushed and signed ones included. */
export function requestedParam({ endpoint, request }: Exchange, name: string): unknown {
  if (endpoint !== "authorize" && endpoint !== "par") return undefined;
  return findParam(request, name) ?? decodeJwtPart(findParam(request, "request") ?? "", 1)[name];
}
