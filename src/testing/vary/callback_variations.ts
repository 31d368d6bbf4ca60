/** Variations of the authorization response, and of redirects. */

import { editAuthorizationResponse } from "../faults/edit_authorization_response.ts";
import { editResponse, withStatus } from "../faults/response_body.ts";
import type { Variation } from "./variation.ts";

const authorizationEndpoints = ["authorize", "login", "consent"];

/** Parameters that other servers add to authorization responses. Their names are those of RFC 6749 §8.2. */
const furtherParameters: readonly (readonly [name: string, value: string])[] = [
  ["session_state", "c2Vzc2lvbg.c2FsdA"],
  ["scope", "openid profile https://api.example/read"],
  ["authuser", "0"],
  ["example.unknown", "a b+c"],
];

/** A signed response has one parameter, and others inside. */
const isSigned = (fields: readonly (readonly [string, string])[]) => fields.some(([name]) => name === "response");

export const callbackVariations: readonly Variation[] = [
  {
    id: "callback-unknown-parameters",
    needs: "callbacks without parameters that it does not know",
    allowed: "A client must ignore unrecognized response parameters.",
    source: "RFC 6749 §4.1.2",
    fault: (rollOf) => ({
      ...editAuthorizationResponse(
        "further parameters",
        (fields, context) => {
          const roll = rollOf(context);
          return isSigned(fields) ? undefined : [...fields, ...furtherParameters.filter(() => roll.whole(2) === 0)];
        },
        undefined,
        "around",
      ),
      endpoints: authorizationEndpoints,
    }),
  },
  {
    id: "callback-order",
    needs: "the parameters of callbacks in one order",
    allowed: "The parameters are form-encoded, by name; the specification gives them no order.",
    source: "RFC 6749 §4.1.2",
    fault: (rollOf) => ({
      ...editAuthorizationResponse(
        "parameters in another order",
        (fields, context) => rollOf(context).shuffle(fields),
        undefined,
        "around",
      ),
      endpoints: authorizationEndpoints,
    }),
  },
  {
    id: "callback-error-description-absent",
    needs: "error_description in callbacks",
    allowed: "error_description and error_uri are optional.",
    source: "RFC 6749 §4.1.2.1",
    fault: () => ({
      ...editAuthorizationResponse(
        "no error_description",
        (fields) =>
          fields.some(([name]) => name === "error")
            ? fields.filter(([name]) => name !== "error_description" && name !== "error_uri")
            : undefined,
        "redirected with an error",
        "around",
      ),
      endpoints: authorizationEndpoints,
    }),
  },
  {
    id: "see-other",
    needs: "redirects with the status 302",
    allowed: "The server may redirect by any method of the browser; 303 is the one that is recommended.",
    source: "RFC 6749 §1.7; RFC 9700 §4.12",
    fault: () => ({
      ...editResponse(
        "303",
        "redirected with 302",
        ({ status }) => status === 302,
        (response) => withStatus(response, 303),
      ),
      endpoints: [...authorizationEndpoints, "logout"],
    }),
  },
  {
    id: "iss-absent",
    needs: "iss in callbacks",
    allowed: "A server that does not announce iss in its metadata may leave it out of authorization responses.",
    source: "RFC 9207 §3",
    isLegal: ({ policy: { profile, metadata } }) =>
      (profile === undefined || profile.label === "oidc") &&
      metadata.authorization_response_iss_parameter_supported === undefined,
    server: (roll) => {
      const value = roll.pick([null, false]);
      return (server) => ({
        ...server,
        policy: {
          ...server.policy,
          metadata: { ...server.policy.metadata, authorization_response_iss_parameter_supported: value },
        },
      });
    },
  },
];
