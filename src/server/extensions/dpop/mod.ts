/** DPoP (RFC 9449): a client proves possession of a key with each request, and its tokens are bound to that key. */

import type { Extension } from "../../hosting/extension.ts";
import { invalidGrantBy } from "../../../core/grants/narrow_grant.ts";
import type { PartRequest, ProofOfPossession } from "../../../core/server.ts";
import { confirmationOf } from "../../../core/tokens/sent_token.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { type dpopRules, reject } from "./rules.ts";
import { acceptedProofs, assertKeyProven } from "./scheme.ts";
import { dpopClientFields, type DpopPolicy, dpopSettings, isProofRequired } from "./settings.ts";

const load = () => import("./respond.ts");

/** Adds DPoP proofs to the other ways of a server to prove a key, which come first. */
function withProofs(others: ProofOfPossession | undefined): ProofOfPossession {
  return {
    async prove(server: HostedServer, request, respond) {
      const proveKey: typeof respond = async (request) =>
        request.provenKey !== undefined ||
          request.header("dpop") === null && !isProofRequired(server, request.client)
          ? await respond(request)
          : await (await load()).respondWithKey(server, request, respond);
      return await (others?.prove(server, request, proveKey) ?? proveKey(request));
    },
    unprovenKey(error, expectedKey, provenKey) {
      if (confirmationOf(expectedKey).jkt === undefined) {
        return others?.unprovenKey(error, expectedKey, provenKey) ?? error;
      }
      const name = error.details.rule === "TK-16" ? "code" : "refresh token";
      const facts = { name, expectedKey, provenKey };
      if (provenKey === undefined) return reject(name === "code" ? "DO-08" : "DO-07", facts);
      const invalidGrant = invalidGrantBy<typeof dpopRules>(error.details.rule!, error.message);
      return invalidGrant(name === "code" ? { rule: "DO-08", ...facts } : { rule: "DO-07", ...facts });
    },
    acceptedProofs(server) {
      const { dpop: { algorithms }, requireSenderConstrainedTokens: required } = dpopSettings.of(server.settings);
      return acceptedProofs({ algorithms, required });
    },
    async verifyToken(server: HostedServer, request, sent, claims) {
      const headers = await others?.verifyToken(server, request, sent, claims);
      if (headers !== undefined) return headers;
      const { cnf, client_id: clientId } = claims;
      await assertKeyProven(
        sent.scheme,
        cnf,
        isProofRequired(server, undefined),
        async (boundKey) => {
          const { verifyRequestProof } = await load();
          return await verifyRequestProof(server, request, { accessToken: sent.token, boundKey, clientId });
        },
      );
      if (cnf !== undefined) server.passed?.("DO-09");
      return cnf?.jkt !== undefined && await (await load()).nextProofHeaders(server, "resource") || {};
    },
  };
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
    place: { before: "AZ-17" },
    at: ["authorize", "par"],
    parameters: [{ name: "dpop_jkt" }],
    read: readKeyBinding,
  }],
  metadata: ({ settings }) => ({ dpop_signing_alg_values_supported: settings.dpop.algorithms }),
  extend: (server) => ({ ...server, possession: withProofs(server.possession) }),
};
