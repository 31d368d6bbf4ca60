/** The parameters of the authorization endpoint. */

import { parameters } from "../parameter.ts";
import type { ParameterDescription } from "../parameter.ts";

/** The reference to a pushed request (RFC 9126 §2.2). */
export const requestUriParameter: ParameterDescription = {
  name: "request_uri",
  secret: "request_uri",
  linksFlow: true,
};

/** Every parameter that a specification defines for it, whether this server supports it or rejects it. */
export const authorizationParameters = parameters(
  ...[
    "response_type",
    "client_id",
    "redirect_uri",
    "response_mode",
    "scope",
    "authorization_details",
    "state",
    "nonce",
  ],
  ...["code_challenge", "code_challenge_method", "dpop_jkt", "claims", "acr_values"],
  ...["prompt", "max_age", "display", "ui_locales", "claims_locales", "login_hint"],
  ...["request", "registration"],
  requestUriParameter,
  { name: "id_token_hint", secret: "id_token" },
  { name: "resource", repeatable: true },
);
