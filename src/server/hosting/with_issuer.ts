/** The issuer of a server, which changes when the server gets its port. */

import { endpointOrigin } from "../../core/http/names.ts";
import { serverNames } from "../config/server_names.ts";
import type { ServerPolicy } from "../config/server_policy.ts";
import type { HostedServer } from "../hosted_server.ts";

/** The issuer outside of requests. */
export interface IssuerInEffect {
  current: string;
}

/** The members of a server that depend on its issuer. */
export type IssuerMembers = Pick<HostedServer, "assertionAudiences" | "audience" | "issuer" | "names">;

interface IssuerOptions {
  /** The `aud` of access tokens. Default: the issuer. */
  readonly audience?: string;
  /** The path of the token endpoint. */
  readonly tokenPath: string;
}

/** Creates the function that returns these members for an issuer. */
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
