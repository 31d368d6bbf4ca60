/** The setting `paths`: the paths of endpoints. */

import type { ExtensionEndpointPaths } from "./endpoint_paths.gen.ts";
import { type Field, type FieldsOf, group, text } from "../../core/policy/field.ts";

/** @internal The paths of endpoints below the issuer, by their names in metadata. */
export interface EndpointPaths extends ExtensionEndpointPaths {
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
}

/** Describes the path of an endpoint. */
export function pathField(example: string): Field<string> {
  return text([example], {
    pattern: /^(?:\/\.\.){0,4}(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~@:+,=!$-]+)+$/,
    expected: "a path of plain words, each after a slash, or such a path after /..",
  });
}

/** The description of {@link EndpointPaths} at a server that knows these extensions. */
export function endpointPathsField(
  extensions: readonly { readonly settings?: { readonly paths?: Readonly<Record<string, Field>> } }[],
): Field<EndpointPaths> & { readonly default: EndpointPaths } {
  const members = Object.assign({}, ownPaths, ...extensions.map(({ settings }) => settings?.paths));
  return group<EndpointPaths>("EndpointPaths", members, {
    authorization_endpoint: "/authorize",
    token_endpoint: "/token",
  });
}

/** The endpoints of every server. */
const ownPaths: FieldsOf<Omit<EndpointPaths, keyof ExtensionEndpointPaths>> = {
  authorization_endpoint: pathField("/authorize"),
  token_endpoint: pathField("/token"),
  jwks_uri: pathField("/.well-known/jwks.json"),
  userinfo_endpoint: pathField("/userinfo"),
  revocation_endpoint: pathField("/revoke"),
  introspection_endpoint: pathField("/introspect"),
  end_session_endpoint: pathField("/logout"),
};
