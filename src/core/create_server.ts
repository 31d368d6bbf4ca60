/** Creates a server from its parts: the defaults of its members. Then extensions replace some. */

import { claimRules } from "./clients/claims.ts";
import { clientAuthentication } from "./token/client_auth.ts";
import type { CoreExtension } from "./extension.ts";
import { grantTypesOf } from "./token/grants/mod.ts";
import { grantFunctions } from "./token/grants/default_functions.ts";
import { immediate, withImmediateFunctions } from "./immediate.ts";
import { signingKeys } from "./keys/jwks.ts";
import { jwtSigner, jwtTypes } from "./keys/jwt.ts";
import type { Keys } from "./keys/keys.ts";
import { namesOf } from "./http/names.ts";
import { checksWith } from "./authorize/checks.ts";
import { findUnmetDemand } from "./authorize/login.ts";
import { responseFields } from "./authorize/authorization_response.ts";
import { resolveRequest } from "./authorize/request_source.ts";
import { ownResponseModes } from "./authorize/authorization_request.ts";
import { json } from "./http/message.ts";
import type { ParameterDescription } from "./http/params.ts";
import { findExtendIssues } from "./options/validate_extensions.ts";
import { assertNoIssues } from "./rules/configuration_error.ts";
import { randomToken } from "./keys/secrets.ts";
import type { GrantType, Server } from "./server.ts";
import { endSession, sessionFor } from "./authorize/session.ts";
import { publicIdentifiers } from "./clients/subjects.ts";
import { tokenIssuers } from "./token/tokens/mod.ts";
import { bearerTokens } from "./token/tokens/read_access_token.ts";
import { tokenResponse } from "./token/token.ts";

const codeParameter: ParameterDescription = { name: "code", secret: "code", linksFlow: true };

/** The members that have no default. */
type Given =
  | "issuer"
  | "policy"
  | "store"
  | "now"
  | "randomBytes"
  | "trace"
  | "passed"
  | "observe"
  | "clients"
  | "users";

export interface ServerParts<Added extends object> {
  readonly given: Pick<Server, Given> & Partial<Server> & Added;
  readonly keys: Keys;
  /** Default: none. */
  readonly extensions?: readonly CoreExtension[];
  /** Grant types besides those of every server and of extensions. Default: none. */
  readonly grantTypes?: readonly GrantType[];
}

/** Creates the server, with what extensions list. {@link extendServer} lets them replace its members. */
export function createServer<Added extends object>(
  { given, keys, extensions = [], grantTypes = [] }: ServerParts<Added>,
): Server & Added {
  const { issuer, policy } = given;
  immediate("now", given.now());
  const types = jwtTypes(policy, Object.assign({}, ...extensions.map(({ jwtTypes }) => jwtTypes)));
  return {
    names: namesOf(issuer),
    audience: issuer,
    newToken: ({ randomBytes }, _kind, value = randomToken(randomBytes)) => value,
    keys: {
      ...keys,
      types,
      sign: jwtSigner(keys, types),
      jwks: signingKeys,
    },
    extensionNames: new Set(extensions.map(({ name }) => name)),
    grantTypes: [...grantTypesOf(policy, extensions), ...grantTypes],
    clientAuthentication: clientAuthentication(extensions.flatMap((extension) => extension.clientAuthentication ?? [])),
    requestChecks: checksWith(extensions.flatMap(({ requestChecks }) => requestChecks ?? [])),
    resolveRequest,
    responseModes: ownResponseModes,
    responseTypes: ["code"],
    responseParameters: [codeParameter],
    findUnmetDemand,
    sessionFor,
    tokenIssuers,
    endSession,
    receipt: bearerTokens,
    grants: grantFunctions,
    identifiers: publicIdentifiers,
    responses: {
      authorization: responseFields,
      token: tokenResponse,
      userinfo: (_server, claims) => json(200, claims),
      introspection: (_server, _request, introspection) => json(200, introspection),
      idToken: (_server, _client, idToken) => idToken,
    },
    claims: claimRules(policy),
    ...given,
  };
}

/**
 * The server with the members that the extensions replace, each after the one before it.
 *
 * @throws {ConfigurationError} If an extension returned no server, or one that lacks members.
 */
export async function extendServer<S extends Server>(server: S, extensions: readonly CoreExtension[]): Promise<S> {
  let extended = server;
  for (const [i, extension] of extensions.entries()) {
    if (extension.extend === undefined) continue;
    const returned = await extension.extend(extended);
    assertNoIssues(findExtendIssues(extension, i, extended, returned));
    extended = withImmediateFunctions(extended, { ...extended, ...returned }, `the extension ${extension.name}`);
  }
  return extended;
}
