/** The issuer of a server, which changes when the server gets its port. */

import { endpointOrigin } from "../../core/http/names.ts";
import { serverNames } from "../config/server_names.ts";
import type { ServerPolicy } from "../config/server_policy.ts";
import type { HostedServer } from "../hosted_server.ts";

/** The issuer outside of requests. */
export interface IssuerInEffect {
  current: string;
}

export type IssuerMembers = Pick<HostedServer, "assertionAudiences" | "audience" | "issuer" | "names">;

interface IssuerOptions {
  /** The `aud` of access tokens. Default: the issuer. */
  readonly audience?: string;
  readonly tokenPath: string;
}

export function issuerMembers(
  policy: ServerPolicy,
  { audience, tokenPath }: IssuerOptions,
): (issuer: string) => IssuerMembers {
  return (issuer) => {
    const names = serverNames(issuer, policy);
    const assertionAudiences = policy.assertionAudience === "issuer-or-token-endpoint"
      ? [endpointOrigin({ names }, { metadataName: "token_endpoint" }) + tokenPath]
      : [];
    return { issuer, names, audience: audience ?? issuer, assertionAudiences };
  };
}
