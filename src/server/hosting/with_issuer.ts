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

/**
 * Returns the server with getters for these members. It must be the last step of the assembly: `{ ...server }` reads
 * the getters, so a copy, such as that of a request, keeps the issuer that it was copied with.
 */
export function withIssuer(
  server: HostedServer,
  issuer: IssuerInEffect,
  membersFor: (issuer: string) => IssuerMembers,
): HostedServer {
  let members = membersFor(issuer.current);
  const current = () => members.issuer === issuer.current ? members : members = membersFor(issuer.current);
  return {
    ...server,
    get issuer() {
      return current().issuer;
    },
    get names() {
      return current().names;
    },
    get audience() {
      return current().audience;
    },
    get assertionAudiences() {
      return current().assertionAudiences;
    },
  };
}
