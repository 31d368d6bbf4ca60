/** The parameters of the authorization endpoint. */

import { parameters } from "../parameter.ts";
import type { ParameterDescription } from "../parameter.ts";

/** The reference to a pushed request (RFC 9126 §2.2). */
export const requestUriParameter: ParameterDescription = {
  name: "request_uri",
  secret: "request_uri",
  linksFlow: true,
};

/**
 * Every parameter that a specification defines for it, whether this server supports it or rejects it, besides those of
 * extensions.
 */
export const authorizationParameters = parameters(
  ...[
    "response_type",
    "client_id",
    "redirect_uri",
    "response_mode",
    "scope",
    "state",
    "nonce",
  ],
  ...["code_challenge", "code_challenge_method"],
  ...["prompt", "max_age", "display", "ui_locales", "claims_locales", "login_hint"],
  "request",
  ...["claims", "registration"].map((name) => ({ name, isJson: true })),
  requestUriParameter,
  { name: "id_token_hint", secret: "id_token" },
  { name: "resource", repeatable: true },
);

/**
 * The parameters of requests that the client polls for, such as those of devices (RFC 8628 §3.1), besides those of
 * client authentication and of extensions.
 */
export const polledParameters = parameters("scope", "claims", "max_age", "login_hint", {
  name: "resource",
  repeatable: true,
});
