/**
 * Request objects (RFC 9101): the parameters of an authorization request are the claims of a JWT that the client has
 * signed, so the browser cannot change them. Parameters outside the JWT are ignored.
 */

import { parametersOf } from "../../../core/authorize/checks.ts";
import { metadataOf } from "../../config/client_metadata.ts";
import type { ResolvedRequest } from "../../../core/authorize/request_source.ts";
import { foreignClockTolerance, type JwtPolicy } from "../../../platform/jwt/jwt_policies.ts";
import { verificationAlgorithms } from "../../config/verification_algorithms.ts";
import { type RejectJwt, verifyClientJwt } from "../../fetching/client_jwt.ts";
import { type Client, policyOf } from "../../../core/clients/clients.ts";
import { byProfile } from "../../config/server_policy.ts";
import { OAuthError } from "../../../core/rules/errors.ts";
import type { ExtensionErrorCode } from "../../../core/rules/rule.ts";
import { warn } from "../../trace.ts";
import { type ParameterDescription, type Params, paramsFromFields } from "../../../core/http/params.ts";
import type { RuleId } from "../../../core/rules/mod.ts";
import type { Server } from "../../../core/server.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { reject as rejectByCore } from "../../../core/rules/reject.ts";
import { reject } from "./rules.ts";
import { requestSignature, signedRequestSettings } from "./settings.ts";
import { decryptRequestObject } from "./decrypt.ts";
import { signedRequestTexts } from "./explain.ts";

export { encryptionKeys } from "./decrypt.ts";

/** RFC 9101 §7. */
const invalidRequestObject = "invalid_request_object" as ExtensionErrorCode;

/** A request object (RFC 9101 §4, §10.8). Its lifetime is checked only if `requestObjectTimes` demands one. */
export const requestObjectPolicy: JwtPolicy & { readonly maxLifetime: number; readonly maxLength: number } = {
  ...{ ...foreignClockTolerance, secondsLate: 10 },
  ...{ types: ["oauth-authz-req+jwt", "jwt"], isTypeOptional: true, maxLifetime: 3600, maxLength: 24 * 1024 },
};

/** Reads the request object of an authorization request. The client receives the error of an invalid one. */
export async function readRequestObject(
  server: HostedServer,
  received: Params,
  unrepeatable: ReadonlySet<string>,
): Promise<ResolvedRequest> {
  try {
    const client = received.isRepeated("client_id")
      ? undefined
      : await server.clients.find(received.get("client_id") ?? "", server);
    if (client === undefined) throw rejectAs("JR-02")("client_id names no client, or several", "one registered client");
    const fields = await verifyRequestObject(server, client, received);
    return { params: paramsFromFields(fields, unrepeatable), origin: requestSignature.put({}, true) };
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return { params: received, origin: { rejection: error } };
  }
}

/**
 * Verifies the request object of a request, and returns the parameters inside it.
 *
 * @param received The parameters outside of the JWT, `request` among them.
 * @throws {OAuthError} `invalid_request_object`; `request_not_supported` for a client that cannot sign.
 */
export async function verifyRequestObject(
  server: HostedServer,
  client: Client,
  received: Params,
): Promise<[name: string, value: string][]> {
  const sent = received.get("request")!;
  const { request_object_signing_alg: alg, jwks, jwks_uri } = metadataOf(client);
  if (jwks === undefined && jwks_uri === undefined && alg === undefined) {
    throw rejectByCore("JR-01", { parameter: "request", problem: "no keys", clientId: client.id });
  }
  const rejectObject = rejectAs("JR-02");
  if (received.isRepeated("request")) throw rejectObject("request was sent more than once", "one request", "several");
  if (sent.length > requestObjectPolicy.maxLength) {
    throw rejectObject(
      "request is too long",
      `at most ${requestObjectPolicy.maxLength} characters`,
      String(sent.length),
    );
  }
  const isEncrypted = sent.split(".").length === 5;
  const jwt = isEncrypted ? await decryptRequestObject(server, sent, rejectAs("JR-06")) : sent;
  const payload = await verifyClientJwt(server, client, jwt, {
    name: "the request object",
    expected: `a JWT that client ${client.id} has signed, with iss = client_id and aud = ${server.issuer}`,
    algorithms: alg === undefined ? verificationAlgorithms : [alg],
    policy: requestObjectPolicy,
    claims: { audience: server.issuer },
    reject: rejectObject,
    rejectTime: rejectAs("JR-04"),
  });
  server.passed("JR-02", client.id);
  assertLifetime(server, client, payload);
  if (payload.sub === client.id) {
    throw rejectAs("JR-04")(
      "sub of the request object is the client_id, so it could be a client assertion",
      "no sub, or another one",
      "sub = client_id",
    );
  }
  const fields = parametersOf(server.requestChecks).flatMap((parameter) => readMember(parameter, payload));
  const inner = new Map(fields);
  if (inner.get("client_id") !== client.id) {
    throw rejectAs("JR-03")("client_id of the request object is not the client", client.id, inner.get("client_id"));
  }
  for (const name of ["request", "request_uri"]) {
    if (!Object.hasOwn(payload, name)) continue;
    throw rejectAs("JR-03")(`the request object contains ${name}`, "the parameters themselves", name);
  }
  warnIgnored(server, client, received, inner);
  return fields;
}

/** The error of an unsigned request, if the server or the client demands signed ones (RFC 9101 §10.5). */
export function unsignedRequest(server: Server, client: Client): OAuthError {
  const policy = policyOf(server, client);
  if (!signedRequestSettings.of(policy).requireSignedRequestObject) {
    return reject("JR-05", { demandedBy: "client", clientId: client.id });
  }
  const decider = byProfile(policy, "requireSignedRequestObject");
  return reject("JR-05", { demandedBy: "setting", byProfile: decider });
}

function rejectAs(rule: RuleId): RejectJwt {
  return (reason, expected, received, others) =>
    new OAuthError(invalidRequestObject, "the request object is invalid", {
      rule,
      reason,
      expected,
      received,
      ...others,
    });
}

/** Rejects a request object without a short lifetime, if the settings demand one. */
function assertLifetime(
  server: HostedServer,
  client: Client,
  { nbf, exp }: { readonly nbf?: number; readonly exp?: number },
): void {
  const policy = policyOf(server, client);
  if (signedRequestSettings.of(policy).requestObjectTimes === "optional") return;
  const now = server.now() / 1000;
  const rejectTime = rejectAs("JR-04");
  const by = byProfile(policy, "requestObjectTimes");
  const { maxLifetime } = requestObjectPolicy;
  if (nbf === undefined || exp === undefined) {
    const received = nbf !== undefined ? "no exp" : exp !== undefined ? "no nbf" : "neither";
    throw rejectTime("the request object has no nbf or no exp", `nbf and exp${by}`, received);
  }
  if (nbf < now - maxLifetime || exp > nbf + maxLifetime) {
    throw rejectTime(
      "the request object is valid for too long",
      `nbf of at most ${maxLifetime} seconds ago, and exp of at most ${maxLifetime} seconds after it${by}`,
      `nbf ${Math.round(now - nbf)} seconds ago, and exp ${exp - nbf} seconds after it`,
    );
  }
}

/** The parameters whose value is JSON, which a request object contains as it is. */
const jsonParameters = ["claims", "authorization_details", "registration"];

/** The fields of one parameter: a request object has JSON values instead of text. */
function readMember(
  { name, repeatable }: ParameterDescription,
  payload: Readonly<Record<string, unknown>>,
): [name: string, value: string][] {
  const value = Object.hasOwn(payload, name) ? payload[name] : undefined;
  if (value === undefined) return [];
  if (typeof value === "string") return [[name, value]];
  if (name === "max_age" && typeof value === "number") return [[name, String(value)]];
  if (jsonParameters.includes(name) && typeof value === "object" && value !== null) {
    try {
      return [[name, JSON.stringify(value)]];
    } catch {
      throw rejectAs("JR-03")(`${name} of the request object is nested too deeply`, "less nesting");
    }
  }
  if (repeatable === true && Array.isArray(value) && value.every((item) => typeof item === "string")) {
    return value.map((item) => [name, item]);
  }
  throw rejectAs("JR-03")(
    `${name} of the request object has the wrong type`,
    repeatable === true ? "a string or an array of strings" : "a string",
    Array.isArray(value) ? "an array" : value === null ? "null" : `a value of type ${typeof value}`,
  );
}

/** Warns about ignored parameters outside the JWT, which OpenID Connect Core §6.1 merges with the parameters inside. */
function warnIgnored(server: HostedServer, client: Client, received: Params, inner: ReadonlyMap<string, string>): void {
  const ignored = parametersOf(server.requestChecks).map(({ name }) => name).filter((name) => {
    const outer = name === "request" ? undefined : received.get(name);
    return outer !== undefined && outer !== inner.get(name);
  });
  if (ignored.length === 0) return;
  warn(server, client.id, {
    rule: "JR-03",
    reason: `parameters outside of the request object are ignored: ${ignored.join(", ")}; OpenID Connect Core §6.1 ` +
      "merges them, RFC 9101 §6.3 does not",
    expected: "every parameter inside the request object",
    received: `outside: ${ignored.join(", ")}`,
    fix: signedRequestTexts["JR-03"].fix,
  });
}
