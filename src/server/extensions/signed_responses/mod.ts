/**
 * Signed responses: authorization responses in a JWT (JARM), and introspection responses as JWTs (RFC 9701). Every
 * server has the setting `responseModes`; this extension adds values to it.
 */

import type { Extension } from "../../hosting/extension.ts";
import type { ParameterDescription } from "../../../core/params.ts";
import type { ResponseModeDescription } from "../../../core/request/authorization_request.ts";
import { acceptedSigningAlgorithms } from "../../../core/keys/signing_algorithm.ts";
import type { Server } from "../../../core/server.ts";
import { signedResponseClientFields } from "./settings.ts";

const replace: ResponseModeDescription<Server>["replace"] = async (server, clientId, fields) =>
  (await import("./sign_response.ts")).signResponse(server, clientId, fields);

const parameters: readonly ParameterDescription[] = [{ name: "response", secret: "authorization_response" }];

const modes: readonly ResponseModeDescription<Server>[] = [
  // The default of the response type (JARM §2.3.4).
  { name: "jwt", carrier: "query", inFragment: "fragment.jwt", parameters, replace },
  { name: "query.jwt", carrier: "query", parameters, replace },
  { name: "fragment.jwt", carrier: "fragment", parameters, replace },
  { name: "form_post.jwt", carrier: "form", parameters, replace },
];

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
  extend: (server) => ({
    ...server,
    responseModes: new Map([...server.responseModes, ...modes.map((mode) => [mode.name, mode] as const)]),
    jwtResponses: {
      ...server.jwtResponses,
      async signIntrospection(current, request, introspection) {
        if (!acceptsJwt(request.header("accept"))) {
          return await server.jwtResponses.signIntrospection(current, request, introspection);
        }
        const { signIntrospection } = await import("./sign_response.ts");
        return {
          contentType: introspectionType,
          jwt: await signIntrospection(current, request.client, introspection),
        };
      },
    },
  }),
  metadata({ settings }) {
    const algorithms = acceptedSigningAlgorithms(settings);
    const signsResponses = modes.some(({ name }) => settings.responseModes.includes(name));
    return {
      authorization_signing_alg_values_supported: signsResponses ? algorithms : [],
      introspection_signing_alg_values_supported: algorithms,
    };
  },
};
