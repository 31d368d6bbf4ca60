/** DPoP (RFC 9449). */

import { digest } from "../../core/keys/secrets.ts";
import { publicMembersOf } from "../../core/keys/jwk.ts";
import { hasPrivateKey } from "../../platform/jwt/private_key.ts";
import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import { findBearerToken } from "../record_request.ts";
import type { Exchange } from "../exchange.ts";
import { type PracticeCheck, type PracticeDefinition, toEvidence } from "./practice.ts";
import { membersOf, textOf, type Traffic } from "./traffic.ts";

/** How far `iat` may be from the server's clock, in seconds. */
const maxSkewSeconds = 300;

/** A request with a proof. */
interface ProvenRequest {
  readonly exchange: Exchange;
  readonly issuer: string;
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
}

export const dpopPractices: readonly PracticeDefinition[] = [{
  id: "dpop-proofs-sound",
  title: "The client signs a new, complete DPoP proof for each request, with one key for each token.",
  level: "required",
  sources: ["RFC 9449 §4.2, §4.3, §7.1"],
  occasion: "a request with a DPoP proof",
  check: checkProofs,
}];

async function checkProofs({ requests }: Traffic): Promise<PracticeCheck> {
  const proven = requests.flatMap(({ exchange, issuer }): ProvenRequest[] => {
    const { dpop } = exchange.request.headers;
    if (dpop === undefined) return [];
    return [{ exchange, issuer, header: decodeJwtPart(dpop, 0), claims: decodeJwtPart(dpop, 1) }];
  });
  const identifiers = new Map<unknown, Exchange>();
  const keys = new Map<string, string>();
  const findings = [];
  for (const [index, request] of proven.entries()) {
    const { exchange, claims, header } = request;
    const earlier = identifiers.get(claims.jti);
    identifiers.set(claims.jti, exchange);
    const key = publicKeyOf(header);
    const flowKey = keys.get(exchange.flow ?? "");
    if (exchange.flow !== undefined) keys.set(exchange.flow, key);
    const because = proofProblem(request) ??
      await hashProblem(request) ??
      (earlier === undefined ? undefined : "two proofs have the same jti") ??
      (flowKey === undefined || flowKey === key ? undefined : "the proofs of one login have two keys") ??
      nonceProblem(request, proven.slice(0, index));
    if (because !== undefined) {
      findings.push(
        toEvidence(request, { parameter: "DPoP", because, others: earlier === undefined ? [] : [earlier] }),
      );
    }
  }
  return { seen: proven.map(({ exchange }) => exchange), findings };
}

/** The public members of the key in a proof. */
function publicKeyOf({ jwk }: ProvenRequest["header"]): string {
  return JSON.stringify(publicMembersOf(Object(jwk)));
}

function proofProblem({ exchange, issuer, header, claims }: ProvenRequest): string | undefined {
  const { method, path } = exchange.request;
  if (header.typ !== "dpop+jwt") return "typ of the proof is not dpop+jwt";
  if (hasPrivateKey(Object(header.jwk))) return "the proof contains the private key";
  if (claims.htm !== method) return `htm is ${textOf(claims.htm)}, the request is a ${method}`;
  const url = textOf(claims.htu);
  if (!URL.canParse(url) || new URL(url).pathname !== path) return "htu is not the URL of the request";
  if (exchange.endpoint !== "resource" && new URL(url).origin !== new URL(issuer).origin) {
    return "htu is not the URL of the request";
  }
  if (typeof claims.jti !== "string") return "the proof has no jti";
  const seconds = Math.round(Math.abs(exchange.at / 1000 - (typeof claims.iat === "number" ? claims.iat : 0)));
  return seconds <= maxSkewSeconds ? undefined : `iat of the proof is ${seconds} s from now`;
}

/** The hash of the access token, and the scheme that it is sent with. */
async function hashProblem({ exchange, claims }: ProvenRequest): Promise<string | undefined> {
  const token = findBearerToken(exchange.request);
  if (exchange.caller !== "resource client" || token === undefined) return undefined;
  if (!/^dpop /i.test(exchange.request.headers.authorization!)) {
    return "the client sends the token with the scheme Bearer, not DPoP";
  }
  return claims.ath === await digest(token) ? undefined : "ath is not the hash of the access token";
}

/** After a demand for a nonce, every proof for the same endpoint must have one. */
function nonceProblem({ exchange, claims }: ProvenRequest, earlier: readonly ProvenRequest[]): string | undefined {
  if (claims.nonce !== undefined) return undefined;
  const demanded = earlier.some((other) =>
    other.exchange.endpoint === exchange.endpoint && isNonceDemand(other.exchange)
  );
  return demanded ? "the proof has no nonce, although the server required one before" : undefined;
}

function isNonceDemand(exchange: Exchange): boolean {
  return membersOf(exchange).error === "use_dpop_nonce" ||
    /use_dpop_nonce/.test(exchange.response?.headers["www-authenticate"] ?? "");
}
