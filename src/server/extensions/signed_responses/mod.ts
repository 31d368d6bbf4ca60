/**
 * Signed responses: authorization responses in a JWT (JARM), and introspection responses as JWTs (RFC 9701). Every
 * server has the setting `responseModes`; this extension adds values to it.
 */

import type { Extension } from "../../config/extension.ts";
import type { ParameterDescription, ResponseFields } from "../../../core/http/params.ts";
import type { ResponseModeDescription } from "../../../core/authorize/authorization_request.ts";
import { acceptedSigningAlgorithms } from "../../../core/keys/signing_algorithm.ts";
import type { Server } from "../../../core/server.ts";
import { asServerPolicy } from "../../config/server_policy.ts";
import { metadataOf } from "../../config/client_metadata.ts";
import { type Client, policyOf } from "../../../core/clients/clients.ts";
import { secondsNow } from "../../../core/keys/jwt.ts";
import { signedResponseClientFields } from "./settings.ts";

const parameter: ParameterDescription = { name: "response", secret: "authorization_response" };

const modes: readonly ResponseModeDescription[] = [
  // The default of the response type (JARM §2.3.4).
  { name: "jwt", carrier: "query", inFragment: "fragment.jwt" },
  { name: "query.jwt", carrier: "query" },
  { name: "fragment.jwt", carrier: "fragment" },
  { name: "form_post.jwt", carrier: "form" },
];

/** Signs the parameters of authorization responses in these modes. */
function withSignedResponses(responses: Server["responses"]): Server["responses"] {
  return {
    ...responses,
    async authorization(server, recipient, response) {
      const fields = await responses.authorization(server, recipient, response);
      const isSigned = modes.some(({ name }) => name === recipient.destination.mode);
      return isSigned ? await signResponse(server, recipient.client.id, fields) : fields;
    },
  };
}

const introspectionType = "application/token-introspection+jwt";

/** Whether an `Accept` header names signed introspection responses; wildcards mean JSON. */
function acceptsJwt(accept: string | null): boolean {
  return (accept ?? "").toLowerCase().split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    return type === introspectionType && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}

/** Signs authorization responses and introspection responses for clients that ask for it. */
export const signedResponses: Extension = {
  name: "signed_responses",
  clientMetadata: { fields: signedResponseClientFields },
  settings: { values: { responseModes: modes.map(({ name }) => name) } },
  // Authorization responses have no `typ`, as in JARM §2.2, so that nothing else accepts them.
  jwtTypes: { introspection: "token-introspection+jwt", authorization_response: undefined },
  extend: (server) => ({
    ...server,
    responseModes: new Map([...server.responseModes, ...modes.map((mode) => [mode.name, mode] as const)]),
    responseParameters: [...server.responseParameters, parameter],
    responses: withSignedResponses(server.responses),
    jwtResponses: {
      ...server.jwtResponses,
      async signIntrospection(current, request, introspection) {
        if (!acceptsJwt(request.header("accept"))) {
          return await server.jwtResponses.signIntrospection(current, request, introspection);
        }
        return {
          contentType: introspectionType,
          jwt: await signIntrospection(current, request.client, introspection),
        };
      },
    },
  }),
  metadata({ policy }) {
    const algorithms = acceptedSigningAlgorithms(policy);
    const signsResponses = modes.some(({ name }) => policy.responseModes.includes(name));
    return {
      authorization_signing_alg_values_supported: signsResponses ? algorithms : [],
      introspection_signing_alg_values_supported: algorithms,
    };
  },
};

/**
 * Signs the parameters of an authorization response: the only parameter left is `response` (JARM §2.1).
 *
 * @param clientId The client that receives it.
 */
async function signResponse(server: Server, clientId: string, fields: ResponseFields): Promise<ResponseFields> {
  const client = await server.clients.find(clientId);
  const { alg, lifetimes } = asServerPolicy(policyOf(server, client));
  const claims = {
    ...Object.fromEntries(fields),
    aud: clientId,
    exp: secondsNow(server) + lifetimes.authorization_response,
  };
  const algorithm = (client && metadataOf(client).authorization_signed_response_alg) ?? alg;
  return [["response", await server.keys.sign("authorization_response", algorithm, claims)]];
}

/**
 * Signs the description of a token. The claims of the token are in one member, so that the JWT cannot be mistaken for
 * the token (RFC 9701 §5, §8.1).
 *
 * @param caller The client that sent the introspection request.
 */
async function signIntrospection(
  server: Server,
  caller: Client,
  introspection: Readonly<Record<string, unknown>>,
): Promise<string> {
  const alg = metadataOf(caller).introspection_signed_response_alg ?? policyOf(server, caller).alg;
  return await server.keys.sign("introspection", alg, {
    iss: server.issuer,
    aud: caller.id,
    iat: secondsNow(server),
    token_introspection: introspection,
  });
}
