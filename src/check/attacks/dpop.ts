/** Proofs of possession (RFC 9449): nonces and rejected proofs. */

import { type HttpResponse, json, withHeaders } from "../../core/http/message.ts";
import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import type { Fault } from "../../testing/faults/fault.ts";
import { error } from "../../testing/faults/mod.ts";
import { withCorsHeaders } from "../../testing/faults/response_body.ts";
import { type Assessment, type Attack, defineAttack } from "../define_attack.ts";
import { exchangesOf, type Observation } from "../attack.ts";
import { failIf } from "./conclusions.ts";
import { choiceParameter } from "../../testing/faults/parameters.ts";

const endpointParameter = choiceParameter("endpoint", ["token", "par", "userinfo"], "The endpoint.");

const endpointVariants = ["token", "userinfo"].map((endpoint) => ({ endpoint }));

/** How often a client may send a request that is rejected each time. */
const maxAttempts = 3;

/** How often the server rejects the request, if the client repeats it in an endless loop. */
const rejections = 30;

/** The nonces that a server requires. */
interface NonceOptions {
  /** What reports call the fault. */
  readonly name: string;
  /** Returns the nonce that the proofs to an endpoint must have from now on. */
  readonly next: (endpoint: string) => string;
  /** Whether each successful response has a new nonce. Default: false. */
  readonly renews?: boolean;
  /** The scheme of the challenge of a resource. Default: `DPoP`. */
  readonly scheme?: string;
}

/** A fault that demands nonces of its own (RFC 9449 §8, §9). */
function demandNonces({ name, next, renews = false, scheme = "DPoP" }: NonceOptions): Fault {
  const expected = new Map<string, string>();
  return {
    name,
    waitsFor: "had a DPoP proof",
    handle: (handleNext, context) => async (request, peer) => {
      const proof = request.headers.get("dpop");
      if (proof === null || !context.consume()) return await handleNext(request, peer);
      const { endpoint } = context.request;
      const renew = () => {
        const nonce = next(endpoint);
        expected.set(endpoint, nonce);
        return nonce;
      };
      const required = expected.get(endpoint) ?? renew();
      if (decodeJwtPart(proof, 1).nonce !== required) {
        return withCorsHeaders(context.request, nonceError(endpoint, required, scheme));
      }
      const response = await handleNext(request, peer);
      return renews ? withHeaders(response, { "dpop-nonce": renew() }) : response;
    },
  };
}

/** The response that demands a nonce. */
function nonceError(endpoint: string, nonce: string | null, scheme = "DPoP"): HttpResponse | Response {
  const headers = { ...nonce !== null && { "dpop-nonce": nonce } };
  const body = { error: "use_dpop_nonce", error_description: "The proof needs the nonce of this server" };
  if (endpoint !== "userinfo" && endpoint !== "resource") return json(400, body, headers);
  return json(401, body, { ...headers, "www-authenticate": `${scheme} error="use_dpop_nonce", algs="ES256"` });
}

/** Nonces that differ from each other. */
function countedNonces(): (endpoint: string) => string {
  let count = 0;
  return (endpoint) => `nonce-of-${endpoint}-${++count}`;
}

/** Fails a client that repeats a rejected request more often than {@link maxAttempts}. */
function assessAttempts(observation: Observation): Assessment | undefined {
  const counts = ["token", "userinfo"].map((endpoint) => exchangesOf(observation, endpoint).length);
  const most = Math.max(...counts);
  return failIf(most > maxAttempts, `the client sent the request ${most} times`, "repeated");
}

export const dpopAttacks: readonly Attack[] = [
  defineAttack({
    id: "dpop/nonce-asked",
    fix: "After the error use_dpop_nonce, repeat the request once with a new proof that has the nonce of the response.",
    title: "The server requires a nonce in the DPoP proof.",
    correctClient: "The client repeats the request once, with a new DPoP proof that has the nonce.",
    level: "must-tolerate",
    sources: ["RFC 9449 §8", "RFC 9449 §9"],
    parameters: [
      endpointParameter,
      choiceParameter("scheme", ["DPoP", "dpop"], "The scheme of the challenge of a resource."),
    ],
    variants: [...endpointVariants, { endpoint: "par" }, { endpoint: "userinfo", scheme: "dpop" }],
    always: ({ scheme }) => demandNonces({ name: "nonce demanded", next: () => "nonce-of-server", scheme }),
  }),
  defineAttack({
    id: "dpop/nonce-for-ever",
    title: "The server rejects every DPoP proof: with another nonce each time, with no nonce, or as invalid.",
    correctClient: "The client repeats the request at most twice, and reports the failure; the next login works.",
    level: "must-recover",
    sources: ["RFC 9449 §5", "RFC 9449 §8.1", "RFC 9449 §11.1", "guillp/requests_oauth2client#92"],
    parameters: [
      endpointParameter,
      choiceParameter(
        "how",
        ["another", "none", "invalid"],
        "The nonce in the rejection; invalid: it has none, and calls the proof invalid.",
      ),
    ],
    variants: [
      ...endpointVariants.flatMap((each) => ["another", "invalid"].map((how) => ({ ...each, how }))),
      { how: "none" },
    ],
    start({ as }, { endpoint, how }) {
      const next = countedNonces();
      const rejection: Fault = how === "invalid" ? error("invalid_dpop_proof") : {
        name: `nonce: ${how}`,
        handle: (_, { request }) => () => {
          const nonce = how === "none" ? null : next(request.endpoint);
          return Promise.resolve(withCorsHeaders(request, nonceError(request.endpoint, nonce)));
        },
      };
      as.on(endpoint).times(rejections, rejection);
    },
    assess: assessAttempts,
  }),
  defineAttack({
    id: "dpop/nonce-renewed",
    fix: "Keep the newest DPoP-Nonce of each server, and use it in the next proof.",
    title:
      "Each response has a new DPoP nonce, and the server accepts only the newest; token endpoint and userinfo have their own.",
    correctClient: "The client uses the newest nonce of each endpoint.",
    level: "must-tolerate",
    requirement: "RFC 9449 §8.2",
    sources: ["RFC 9449 §9", "opentdf/java-sdk#374"],
    on: "any",
    match: ({ endpoint }) => endpoint === "token" || endpoint === "userinfo",
    always: () => demandNonces({ name: "renewed nonce", next: countedNonces(), renews: true }),
    async perform(stage) {
      const session = await stage.begin();
      try {
        await session.refresh?.();
        await session.refresh?.();
        return session;
      } catch {
        return { outcome: "accepted", passed: false, because: "the client logged in, and its refreshes failed" };
      }
    },
  }),
];
