/** DPoP (RFC 9449): a client proves possession of a key with each request, and its tokens are bound to that key. */

import type { Extension } from "../../config/extension.ts";
import type { OAuthError } from "../../../core/rules/errors.ts";
import { unusableCode } from "../../../core/token/grants/authorization_code.ts";
import { invalidGrantBy } from "../../../core/token/grants/narrow_grant.ts";
import { unusableToken } from "../../../core/token/grants/refresh_token.ts";
import type { AuthorizationRequest } from "../../../core/authorize/authorization_request.ts";
import type { CheckInput, Server } from "../../../core/server.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { confirmationStep, hasKey, type KeyKind, proofKey, withBoundTokens } from "../bound_tokens/mod.ts";
import { bindsToCertificate } from "../mutual_tls/settings.ts";
import { type dpopRules, reject } from "./rules.ts";
import { type AcceptedProofs, acceptedProofs, assertKeyProven, dpopScheme } from "./scheme.ts";
import { dpopClientFields, type DpopPolicy, dpopSettings, isProofRequired } from "./settings.ts";

const load = () => import("./respond.ts");

function proofsOf({ policy }: Server): AcceptedProofs {
  const { dpop: { algorithms }, requireSenderConstrainedTokens: required } = dpopSettings.of(policy);
  return acceptedProofs({ algorithms, required });
}

/** Verifies the proofs of token requests, and requires the key that a code or refresh token is bound to. */
function withProofs(server: HostedServer): HostedServer {
  const { grants, presentedTokens, responses } = server;
  return {
    ...server,
    responses: {
      ...responses,
      async token(server: HostedServer, request) {
        const { client } = request;
        const isBearer = request.header("dpop") === null && !isProofRequired(server, client);
        if (isBearer || bindsToCertificate(client)) return await responses.token(server, request);
        return await (await load()).respondWithKey(server, request, responses.token);
      },
    },
    grants: {
      ...grants,
      async checkCode(server, request, record) {
        await grants.checkCode(server, request, record);
        const [expectedKey, provenKey] = [proofKey.of(record.grant), proofKey.of(request)];
        if (expectedKey === undefined || expectedKey === provenKey) return;
        throw unproven("code", expectedKey, provenKey);
      },
    },
    presentedTokens: {
      read: (server, authorization) => proofsOf(server).read(authorization),
      schemes: (server) => proofsOf(server).schemes,
      challenge: (server, ...rejected) => proofsOf(server).challenges(...rejected),
      async assertHolder(server: HostedServer, request, sent, claims) {
        const { cnf, client_id: clientId } = claims;
        // Bound to a key of another kind.
        if (cnf !== undefined && cnf.jkt === undefined && sent.scheme === "Bearer") {
          return await presentedTokens.assertHolder(server, request, sent, claims);
        }
        await assertKeyProven(
          sent.scheme,
          cnf,
          isProofRequired(server, undefined),
          async (boundKey) => {
            const { verifyRequestProof } = await load();
            return await verifyRequestProof(server, request, { accessToken: sent.token, boundKey, clientId });
          },
        );
        if (cnf !== undefined) server.passed("DO-09");
        return cnf?.jkt !== undefined && await (await load()).nextProofHeaders(server, "resource") || {};
      },
    },
  };
}

/** The error of a token request that does not prove the key of a code or refresh token. */
function unproven(name: "code" | "refresh token", expectedKey: string, provenKey: string | undefined): OAuthError {
  const facts = { name, expectedKey, provenKey };
  if (name === "code") {
    if (provenKey === undefined) return reject("DO-08", facts);
    return invalidGrantBy<typeof dpopRules>("TK-16", unusableCode)({ rule: "DO-08", ...facts });
  }
  if (provenKey === undefined) return reject("DO-07", facts);
  return invalidGrantBy<typeof dpopRules>("RT-07", unusableToken)({ rule: "DO-07", ...facts });
}

/** Reads `dpop_jkt`: the thumbprint of the key that the code is bound to (RFC 9449 §10). */
function readKeyBinding(
  { params }: CheckInput,
  request: Partial<AuthorizationRequest>,
): Partial<AuthorizationRequest> {
  const thumbprint = params.get("dpop_jkt");
  if (thumbprint !== undefined && !/^[\w-]{43}$/.test(thumbprint)) throw reject("DO-08", { thumbprint });
  return proofKey.put(request, thumbprint);
}

const proofKind: KeyKind = {
  key: proofKey,
  member: "jkt",
  unproven: (expected, proven) => unproven("refresh token", expected, proven),
};

/** Lets clients prove possession of a key. */
export const dpop: Extension<DpopPolicy> = {
  name: "dpop",
  clientMetadata: { fields: dpopClientFields },
  settings: dpopSettings,
  requestChecks: [{
    rule: "DO-08",
    place: { before: "AZ-17" },
    redirectOnly: true,
    parameters: [{ name: "dpop_jkt" }],
    reads: "dpop_jkt",
    read: readKeyBinding,
  }],
  metadata: ({ policy }) => ({ dpop_signing_alg_values_supported: policy.dpop.algorithms }),
  steps: {
    issue: [{
      name: "token_type",
      place: { after: "access_token" },
      run: (_server, { token_type }, _authorization, _now, request) =>
        proofKey.of(request) !== undefined && token_type === "Bearer" ? { token_type: dpopScheme } : {},
    }],
    accessTokenClaims: [confirmationStep(proofKind)],
    visibleClaims: [{
      name: "token_type of dpop",
      run: (_server, _visible, _client, claims) => hasKey(claims, "jkt") ? { token_type: dpopScheme } : {},
    }],
  },
  extend: (server) => withBoundTokens(withProofs(server), proofKind),
};
