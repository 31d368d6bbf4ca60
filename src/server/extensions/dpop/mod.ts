/** DPoP (RFC 9449): a client proves possession of a key with each request, and its tokens are bound to that key. */

import type { Extension } from "../../hosting/extension.ts";
import type { AuthenticatedRequest } from "../../../core/grants/authenticated_request.ts";
import type { KeyProofs, PartRequest, Server } from "../../../core/server.ts";
import type { ProvenRequest, ProvenToken } from "./request_proof.ts";
import { invalidGrantBy } from "../../../core/grants/narrow_grant.ts";
import { type dpopRules, reject } from "./rules.ts";
import { assertKeyProven, dpopScheme, nonceHeader, tokenChallenges, usedScheme } from "./scheme.ts";
import { dpopClientFields, type DpopPolicy, dpopSettings, isProofRequired } from "./settings.ts";
import type { HostedServer } from "../../hosted_server.ts";

async function verify(server: HostedServer, request: ProvenRequest, token?: ProvenToken): Promise<string> {
  return await (await import("./request_proof.ts")).verifyRequestProof(server, request, token);
}

function policyFor(server: Pick<Server, "settings">) {
  const { dpop, requireSenderConstrainedTokens } = dpopSettings.of(server.settings);
  return { algorithms: dpop.algorithms, isRequired: requireSenderConstrainedTokens };
}

const keyProofs: KeyProofs = {
  scheme: dpopScheme,
  unprovenKey({ name, rule, message }, expectedKey, provenKey) {
    const facts = { name, expectedKey, provenKey };
    if (provenKey === undefined) return reject(name === "code" ? "DO-08" : "DO-07", facts);
    const invalidGrant = invalidGrantBy<typeof dpopRules>(rule, message);
    return invalidGrant(name === "code" ? { rule: "DO-08", ...facts } : { rule: "DO-07", ...facts });
  },
  policy: policyFor,
  provenKey,
  tokenKey: (server: HostedServer, request) =>
    isProofRequired(server, request.client) ? verify(server, request) : provenKey(server, request),
  assertProven: (server: HostedServer, request, { scheme, token }, { cnf, client_id: clientId }) =>
    assertKeyProven(
      scheme,
      cnf,
      policyFor(server).isRequired,
      (boundKey) => verify(server, request, { accessToken: token, boundKey, clientId }),
    ),
  challenges: (server, authorization, status, parameters) =>
    tokenChallenges({ scheme: usedScheme(authorization), status, proofs: policyFor(server) }, parameters),
  async nextProofHeaders(server, kind) {
    if (dpopSettings.of(server.settings).dpop.nonce === "off") return undefined;
    const { serverNonces } = await import("./nonce.ts");
    return nonceHeader(await serverNonces(server, kind).current(server.now()));
  },
};

function provenKey(server: HostedServer, request: AuthenticatedRequest): Promise<string> | undefined {
  return request.header("dpop") === null ? undefined : verify(server, request);
}

/** Reads `dpop_jkt`: the thumbprint of the key that the code is bound to (RFC 9449 §10). */
function readKeyBinding({ params }: PartRequest): string | undefined {
  const thumbprint = params.get("dpop_jkt");
  if (thumbprint === undefined || /^[\w-]{43}$/.test(thumbprint)) return thumbprint;
  throw reject("DO-08", { thumbprint });
}

/** Lets clients prove possession of a key. */
export const dpop: Extension<DpopPolicy> = {
  name: "dpop",
  clientMetadata: { fields: dpopClientFields },
  settings: dpopSettings,
  requestParts: [{
    rule: "DO-08",
    name: "dpopJkt",
    at: ["authorize", "par"],
    parameters: [{ name: "dpop_jkt" }],
    read: readKeyBinding,
  }],
  metadata: ({ settings }) => ({ dpop_signing_alg_values_supported: settings.dpop.algorithms }),
  extend: (server) => ({ ...server, possession: { ...server.possession, byProof: keyProofs } }),
};
