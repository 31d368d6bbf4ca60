/** The setting `paths`: the paths of the endpoints that metadata lists. */

import { type Field, object, text } from "./field.ts";

/** The paths of endpoints below the issuer, by their names in metadata. */
export interface EndpointPaths {
  /** Default: `/oauth2/authorize`. */
  readonly authorization_endpoint?: string;
  /** Default: `/oauth2/token`. */
  readonly token_endpoint?: string;
  /** Default: `/oauth2/jwks`. */
  readonly jwks_uri?: string;
  /** Default: `/oauth2/userinfo`. */
  readonly userinfo_endpoint?: string;
  /** Default: `/oauth2/revoke`. */
  readonly revocation_endpoint?: string;
  /** Default: `/oauth2/introspect`. */
  readonly introspection_endpoint?: string;
  /** Default: `/oauth2/logout`. */
  readonly end_session_endpoint?: string;
  /** Default: `/oauth2/par`. */
  readonly pushed_authorization_request_endpoint?: string;
  /** Default: `/oauth2/register`. The registration of each client is below it. */
  readonly registration_endpoint?: string;
  /** Default: `/oauth2/device_authorization`. */
  readonly device_authorization_endpoint?: string;
}

function path(example: string): Field<string> {
  return text([example], {
    pattern: /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+$/,
    expected: "a path of plain words, each after a slash",
  });
}

/** Describes {@link EndpointPaths}. */
export const endpointPaths = object<EndpointPaths>("EndpointPaths", {
  authorization_endpoint: path("/authorize"),
  token_endpoint: path("/token"),
  jwks_uri: path("/.well-known/jwks.json"),
  userinfo_endpoint: path("/userinfo"),
  revocation_endpoint: path("/revoke"),
  introspection_endpoint: path("/introspect"),
  end_session_endpoint: path("/logout"),
  pushed_authorization_request_endpoint: path("/par"),
  registration_endpoint: path("/register"),
  device_authorization_endpoint: path("/device_authorization"),
}, { authorization_endpoint: "/authorize", token_endpoint: "/token" });
