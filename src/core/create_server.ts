/** Assembles a server: the defaults of its members, which extensions then replace. */

import { claimRules } from "./clients/claims.ts";
import { clientAuthentication } from "./token/client_auth.ts";
import type { CoreExtension } from "./extension.ts";
import { grantTypesOf } from "./token/grants/mod.ts";
import { grantFunctions } from "./token/grants/default_grant_functions.ts";
import { immediate, withCheckedFunctions, withCheckedResult } from "./immediate.ts";
import { signingKeys } from "./keys/jwks.ts";
import { jwtSigner, jwtTypes } from "./keys/jwt.ts";
import type { Keys } from "./keys/keys.ts";
import { namesOfIssuer } from "./http/names.ts";
import { checksWith } from "./authorize/checks.ts";
import { findUnmetDemand } from "./authorize/login.ts";
import { responseFields } from "./responses/authorization_response.ts";
import { resolveRequest } from "./authorize/request_source.ts";
import { ownResponseModes } from "./authorize/authorization_request.ts";
import { json } from "./http/message.ts";
import type { ParameterDescription } from "./http/params.ts";
import { findExtendIssues, findExtensionIssues, findRepeatedGrantTypes } from "./options/validate_extensions.ts";
import { assertNoIssues } from "./rules/configuration_error.ts";
import { nameReplacements } from "./replacements.ts";
import { randomToken } from "./keys/secrets.ts";
import type { GrantType, Server } from "./server.ts";
import { endSession, sessionFor } from "./sessions/session.ts";
import { publicIdentifiers } from "./clients/subjects.ts";
import { stepsWith } from "./token/table.ts";
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

interface ServerInput {
  readonly given: Pick<Server, Given> & Partial<Server>;
  readonly keys: Keys;
  /** The extensions of the program. Default: none. */
  readonly extensions?: readonly CoreExtension[];
  /** Extensions that a larger server always has, before those of the program. Default: none. */
  readonly before?: readonly CoreExtension[];
  /** Those that also apply to what the others replace. Default: none. */
  readonly after?: readonly CoreExtension[];
  /** Those of `extensions` that come with the server, so that what their steps return needs no check. Default: none. */
  readonly supplied?: readonly CoreExtension[];
  /** Grant types besides those of every server and of extensions. Default: none. */
  readonly grantTypes?: readonly GrantType[];
}

/**
 * Assembles a server: the core with what its extensions list, then each extension replaces members of it, in their
 * order.
 *
 * @typeParam S The type of the server, with what the extensions add.
 * @throws {ConfigurationError} If extensions conflict, or one returned no server.
 */
export async function assembleServer<S extends Server = Server>(
  { before = [], extensions = [], after = [], supplied = [], ...others }: ServerInput,
): Promise<S> {
  const builtIn = [...before, ...after];
  const all = [...before, ...extensions, ...after];
  const trusted = [...builtIn, ...supplied];
  if (!extensions.every((one) => trusted.includes(one))) assertNoIssues(findExtensionIssues(extensions, builtIn));
  let server = createServer({ ...others, extensions: all, supplied: trusted }) as S;
  for (const extension of all) {
    if (extension.extend === undefined) continue;
    const returned = await extension.extend(server);
    const owner = `the extension ${extension.name}`;
    let extended = { ...server, ...returned };
    if (!trusted.includes(extension)) {
      assertNoIssues(findExtendIssues(extension, extensions.indexOf(extension), server, returned));
      extended = withCheckedFunctions(server, extended, owner);
    }
    nameReplacements(server, extended, owner);
    server = extended;
  }
  assertNoIssues(findRepeatedGrantTypes(server));
  return server;
}

/** The server with the defaults of its members, and with what extensions list. */
function createServer(
  { given, keys, extensions = [], supplied, grantTypes = [] }: Omit<ServerInput, "before" | "after">,
): Server {
  const { issuer, policy } = given;
  immediate("now", given.now());
  const types = jwtTypes(policy, Object.assign({}, ...extensions.map(({ jwtTypes }) => jwtTypes)));
  return {
    names: namesOfIssuer(issuer),
    audience: issuer,
    newToken: ({ randomBytes }, _kind, value = randomToken(randomBytes)) => value,
    keys: {
      ...keys,
      types,
      sign: jwtSigner(keys, types),
      jwks: signingKeys,
    },
    extensionNames: new Set(extensions.map(({ name }) => name)),
    grantTypes: [...grantTypesOf(policy, extensions, supplied), ...grantTypes.map(withCheckedResult)],
    clientAuthentication: clientAuthentication(extensions.flatMap((extension) => extension.clientAuthentication ?? [])),
    requestChecks: checksWith(extensions),
    resolveRequest,
    responseModes: ownResponseModes,
    responseTypes: ["code"],
    responseParameters: [codeParameter],
    findUnmetDemand,
    sessionFor,
    steps: stepsWith(extensions, supplied),
    endSession,
    presentedTokens: bearerTokens,
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
