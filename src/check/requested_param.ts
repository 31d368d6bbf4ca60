/** Parameters that a client sends, or leaves out, as its requests show. */

import type { Exchange } from "../recorder/exchange.ts";
import { decodeJwtPart } from "../platform/http/jwt_part.ts";
import { findParam } from "../recorder/record_request.ts";

/** A parameter that an authorization request has itself, pushed and signed ones included. */
export function requestedParam({ endpoint, request }: Exchange, name: string): unknown {
  if (endpoint !== "authorize" && endpoint !== "par") return undefined;
  return findParam(request, name) ?? decodeJwtPart(findParam(request, "request") ?? "", 1)[name];
}

/** Whether an exchange requests tokens for a code, and sends no code verifier. */
export function lacksVerifier({ endpoint, request }: Exchange): boolean {
  return endpoint === "token" && findParam(request, "grant_type") === "authorization_code" &&
    findParam(request, "code_verifier") === undefined;
}
