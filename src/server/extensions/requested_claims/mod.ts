/**
 * Requested claims: the parameter `claims`, by which clients request claims by name, or with certain values (OpenID
 * Connect Core §5.5).
 */

import { reject } from "../../../core/reject.ts";
import type { CheckInput, Server } from "../../../core/server.ts";
import type { Extension } from "../../hosting/extension.ts";

const load = () => import("./requested_claims.ts");

/** Adds the requested claims that the user allows to the grant, and leaves out those that the client lost since. */
function withRequestedClaims(grants: Server["grants"]): Server["grants"] {
  return {
    ...grants,
    async granted(server, client, request, approval) {
      const granted = await grants.granted(server, client, request, approval);
      const { scope, loginRequirements: { claims } } = request;
      if (claims === undefined) return granted;
      const { approveClaims } = await load();
      return { ...granted, claims: approveClaims(server, claims, scope, approval) };
    },
    async narrow(server, request, stored, scope) {
      const authorization = await grants.narrow(server, request, stored, scope);
      const { claims: granted } = stored.value.grant;
      if (granted === undefined) return authorization;
      const claims = (await load()).narrowClaims(server, granted, request.client);
      return { ...authorization, claims, grant: { ...authorization.grant!, claims } };
    },
  };
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
    parameters: [{ name: "claims", isJson: true }],
    read: rejectLongClaims,
  }, {
    rule: "OI-08",
    place: { after: "OI-03" },
    async read(input, request) {
      if (input.params.get("claims") === undefined) return;
      return { loginRequirements: await (await load()).addRequestedClaims(input, request) };
    },
  }],
  extend: (server) => ({
    ...server,
    grants: withRequestedClaims(server.grants),
    claimRequests: {
      inAccessToken: async (granted) => (await load()).claimsInAccessToken(granted),
      inIdToken: async (...granted) => (await load()).claimsInIdToken(...granted),
      inUserinfo: async (current, token, client, user, claims) =>
        token.userinfo_claims === undefined && token.userinfo_values === undefined
          ? claims
          : (await load()).claimsInUserinfo(current, token, client, user, claims),
    },
  }),
  metadata: () => ({ claims_parameter_supported: true }),
};
