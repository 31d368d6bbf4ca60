/**
 * Requested claims: the parameter `claims`, by which clients request claims by name, or with certain values (OpenID
 * Connect Core §5.5).
 */

import { isObject } from "../../../core/http/json_value.ts";
import type { AccessTokenClaims } from "../../../core/token/tokens/access_token.ts";
import { reject } from "../../../core/rules/reject.ts";
import type { CheckInput, Server } from "../../../core/server.ts";
import type { TokenSteps } from "../../../core/token/steps.ts";
import { addUserClaimsOfIdToken } from "../../../core/token/tokens/mod.ts";
import { namedClaims } from "../../token/requested_claims.ts";
import type { Extension } from "../../config/extension.ts";

const load = () => import("./requested_claims.ts");

/** The claims that the user allows, and which tokens have them. */
const steps: Partial<TokenSteps<Server>> = {
  granted: [{
    name: "requested claims",
    async run(server, granted, _client, request, approval) {
      const requested = namedClaims.of(request);
      if (requested === undefined) return granted;
      return namedClaims.put(granted, (await load()).approveClaims(server, requested, request.scope, approval));
    },
  }],
  narrowed: [{
    name: "requested claims",
    async run(server, authorization, { client }, { value: { grant } }) {
      const granted = namedClaims.of(grant);
      if (granted === undefined) return authorization;
      // The client may have lost claims since.
      const left = (await load()).narrowClaims(server, granted, client);
      return namedClaims.put({ ...authorization, grant: namedClaims.put(authorization.grant!, left) }, left);
    },
  }],
  accessTokenClaims: [{
    name: "requested claims",
    async run(_server, _claims, authorization) {
      const granted = namedClaims.of(authorization);
      return granted === undefined ? {} : (await load()).claimsInAccessToken(granted);
    },
  }],
  idTokenClaims: [{
    name: "requested claims",
    // A claim of the scope whose value differs from the requested one is left out.
    place: { instead: "user" },
    async run(server, claims, token) {
      const granted = namedClaims.of(token);
      if (granted === undefined) return await addUserClaimsOfIdToken(server, claims, token);
      const user = await server.users.find(token.subject.sub);
      if (user === undefined) return {};
      const ofScope = token.content === "minimal" ? {} : await addUserClaimsOfIdToken(server, claims, token);
      return (await load()).claimsInIdToken(granted, user, ofScope);
    },
  }],
};

/** Adds requested claims to userinfo. */
function withRequestedClaims(grants: Server["grants"]): Server["grants"] {
  return {
    ...grants,
    async readToken(server, token) {
      const read = await grants.readToken(server, token);
      return read !== undefined && isReadable(read.claims) ? read : undefined;
    },
    async userinfoClaims(server, token, client, user, scope) {
      const claims = await grants.userinfoClaims(server, token, client, user, scope);
      const { userinfo_claims: names, userinfo_values: values } = token.claims;
      if (names === undefined && values === undefined) return claims;
      return (await load()).claimsInUserinfo(server, token.claims, client, user, claims);
    },
  };
}

/** Whether the claims of this extension have their types: test keys are public, so others can sign tokens. */
function isReadable({ userinfo_claims: names = [], userinfo_values: values = {} }: AccessTokenClaims): boolean {
  return Array.isArray(names) && names.every((name) => typeof name === "string") &&
    isObject(values) && Object.values(values).every(Array.isArray);
}

/** Maximum length of the parameter, which is stored with a code, in characters. */
const maxLength = 4096;

function rejectLongClaims({ params }: CheckInput): void {
  const { length } = params.get("claims") ?? "";
  if (length > maxLength) throw reject("AZ-13", { name: "claims", limit: maxLength, length });
}

/** Lets clients request claims by name. */
export const requestedClaims: Extension = {
  name: "requested_claims",
  requestChecks: [{
    rule: "AZ-13",
    place: { after: "AZ-13" },
    parameters: [{ name: "claims" }],
    reads: "the length of claims",
    read: rejectLongClaims,
  }, {
    rule: "OI-08",
    place: { after: "OI-03" },
    async read(input, request) {
      if (input.params.get("claims") === undefined) return;
      return await (await load()).addRequestedClaims(input, request);
    },
  }],
  steps,
  extend: (server) => ({ ...server, grants: withRequestedClaims(server.grants) }),
  metadata: () => ({ claims_parameter_supported: true }),
};
