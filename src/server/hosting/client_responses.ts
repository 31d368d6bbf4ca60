/** What responses and tokens of the whole server have besides those of the core: claims can be signed and encrypted. */

import { contentHeaders, type HttpResponse, json } from "../../core/http/message.ts";
import type { ClientResponses } from "../../core/server.ts";
import { grantOfAccessToken } from "../../core/token/tokens/access_token.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { Extension } from "../config/extension.ts";
import { introspectionWithLifetimes, lifetimeMembers } from "../token/refresh_lifetimes.ts";
import { metadataOf } from "../config/client_metadata.ts";
import { finalClaims } from "../token/claim_change.ts";
import { withReuse } from "../token/refresh_reuse.ts";

/** Adds responses as JWTs, lifetimes of refresh tokens in responses, and the setting `refresh.reuse`. */
export const clientResponses: Extension = {
  name: "client_responses",
  steps: {
    issue: [{
      name: "lifetimes of the refresh token",
      place: { after: "refresh_token" },
      run: async (server, { refresh_token }) => await lifetimeMembers(server, refresh_token),
    }],
  },
  extend: (server) => ({
    ...server,
    grantTypes: server.grantTypes.map(withReuse),
    responses: { ...server.responses, ...claimResponses },
    jwtResponses: { findEncryption: () => undefined, signIntrospection: () => undefined },
  }),
};

/** The responses with claims of the whole server. */
const claimResponses: Omit<ClientResponses, "authorization" | "token"> = {
  async userinfo(server: HostedServer, claims, { token, client, user, scope }) {
    const { jti, aud } = token.claims;
    const context = { client, user, grant: { id: grantOfAccessToken(jti), scope, resources: [aud].flat() } };
    const { userinfo_signed_response_alg: alg } = metadataOf(client);
    const own = alg === undefined ? claims : { ...claims, iss: server.issuer, aud: client.id };
    const info = finalClaims(server, "userinfo", own, context);
    const signed = alg && await server.keys.sign("userinfo", alg, info);
    const encrypt = await server.jwtResponses.findEncryption(server, client, "userinfo");
    const jwt = encrypt === undefined ? signed : await encrypt(signed ?? info);
    return jwt === undefined ? json(200, info) : jwtResponse("application/jwt", jwt);
  },
  async introspection(server: HostedServer, request, own) {
    const introspection = await introspectionWithLifetimes(server, request, own);
    const signed = await server.jwtResponses.signIntrospection(server, request, introspection);
    return signed === undefined ? json(200, introspection) : jwtResponse(signed.contentType, signed.jwt);
  },
  async idToken(server: HostedServer, client, idToken) {
    const encrypt = await server.jwtResponses.findEncryption(server, client, "id_token");
    return await encrypt?.(idToken) ?? idToken;
  },
};

/** A JWT as the whole response, never cached. */
function jwtResponse(contentType: string, jwt: string): HttpResponse {
  return { status: 200, headers: { "content-type": contentType, ...contentHeaders }, body: jwt };
}
