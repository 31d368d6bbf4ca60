/** The server with an issuer, as plugins extend it. */

import { immediate, immediateFunctions } from "../../core/immediate.ts";
import { endpointOrigin } from "../../core/http/names.ts";
import { serverNames } from "../config/server_names.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { Plugin } from "./options.ts";

interface IssuerOptions {
  /** The `aud` of access tokens. Default: the issuer. */
  readonly audience?: string;
  /** The path of the token endpoint. */
  readonly tokenPath: string;
}

/** The server with an issuer. */
export function withIssuer(server: HostedServer, issuer: string, { audience, tokenPath }: IssuerOptions): HostedServer {
  const { settings } = server;
  const names = serverNames(issuer, settings);
  return {
    ...server,
    issuer,
    names,
    audience: audience ?? issuer,
    assertionAudiences: settings.assertionAudience === "issuer-or-token-endpoint"
      ? [endpointOrigin({ names }, { metadataName: "token_endpoint" }) + tokenPath]
      : [],
  };
}

/** The server with the members that plugins replace, the first plugin outermost. */
export function withPlugins(server: HostedServer, plugins: readonly Plugin[]): HostedServer {
  return plugins.reduceRight((inner, plugin) => {
    const outer = immediate("extend of a plugin", plugin.extend?.(inner));
    return outer === undefined ? inner : { ...outer, ...immediateFunctions(inner, outer, "a plugin") };
  }, server);
}
