/**
 * The response types `id_token` and `code id_token` (OpenID Connect Core §3.2, §3.3): the authorization response has an
 * ID token. It never has an access token. Every server has the setting `responseTypes`; this extension adds values to
 * it.
 */

import type { Extension } from "../../config/extension.ts";
import type { ConfigIssue } from "../../../core/rules/configuration_error.ts";
import { quote } from "../../config/config_issue.ts";
import { type ClientMetadata, hasCode, responseTypeNames } from "../../config/client_metadata.ts";
import { withoutUser } from "../../config/standing.ts";
import { type ParameterDescription, sortResponseType } from "../../../core/http/params.ts";
import { isPublicUri } from "../../config/host_kinds.ts";
import type { AuthorizationRequest } from "../../../core/authorize/authorization_request.ts";
import type { CheckInput, RequestCheck, Server } from "../../../core/server.ts";
import { releasesClaims } from "../../config/received_claims.ts";

const load = () => import("./id_token_response.ts");

const parameter: ParameterDescription = { name: "id_token", secret: "id_token", linksFlow: true };

const names = responseTypeNames.filter((name) => name !== "code");

type Read = NonNullable<RequestCheck["read"]>;

/** The checks that differ for a response without a code, and so without an access token, by their rules. */
const withoutCode: Readonly<Record<string, (read: Read) => Read>> = {
  "AZ-17": (read) => async (input, request) => {
    const { scope = [] } = await read(input, request) ?? {};
    return { scope: scope.filter((value) => releasesClaims(input.server, value)) };
  },
  "PK-07": () => () => ({ codeChallenge: undefined }),
  // None is required.
  "RI-01": (read) => (input, request) => input.params.get("resource") === undefined ? {} : read(input, request),
};

/** Verifies what the type demands of a request that was read. */
async function assertType(from: CheckInput, request: Partial<AuthorizationRequest>): Promise<void> {
  if (request.responseType !== undefined) (await load()).assertRequest(from, request);
}

function readByType(check: RequestCheck): RequestCheck {
  const { rule = "", read } = check;
  const ofType = withoutCode[rule];
  if (read === undefined || ofType === undefined) return check;
  const readWithoutCode = ofType(read);
  return {
    ...check,
    read: (input, request) => (hasCode(request.responseType) ? read : readWithoutCode)(input, request),
  };
}

function isOn({ responseTypes }: Pick<Server["policy"], "responseTypes">): boolean {
  return responseTypes.some((type) => type !== "code");
}

/** Accepts requests for an ID token in the authorization response. */
export const responseTypes: Extension = {
  name: "response_types",
  settings: { values: { responseTypes: names } },
  requestChecks: [{
    rule: "HY-02",
    redirectOnly: true,
    place: "last",
    reads: "scope and nonce, if the response has an ID token",
    read: assertType,
  }],
  extend(server) {
    const { issueResponse } = server.grants;
    return {
      ...server,
      responseTypes: [...server.responseTypes, ...names],
      responseParameters: [...server.responseParameters, parameter],
      requestChecks: server.requestChecks.map(readByType),
      grants: {
        ...server.grants,
        async issueResponse(current, pending, grant) {
          const hasIdToken = pending.request.responseType !== undefined;
          return await (hasIdToken ? (await load()).issueIdTokenResponse : issueResponse)(current, pending, grant);
        },
      },
    };
  },
  grantTypes: [{
    type: "implicit",
    title: "ID token in the authorization response",
    setting: "responseTypes",
    standing: withoutUser,
    parameters: [],
    isOn,
  }],
  clientMetadata: { validate: validateClient },
  metadata({ policy, grantTypes }) {
    return isOn(policy) ? { grant_types_supported: [...grantTypes.map(({ type }) => type), "implicit"] } : {};
  },
};

/** Other programs on the device of the user could receive the ID token (OpenID Connect Registration §2). */
function validateClient(client: ClientMetadata, { allows }: Server["policy"]): ConfigIssue[] {
  const { response_types = [], redirect_uris = [], application_type = "web" } = client;
  const type = response_types.find((type) => sortResponseType(type) !== "code");
  if (type === undefined || application_type === "native" || allows.localUrls !== false) return [];
  return redirect_uris.flatMap((uri, i) => {
    return isPublicUri(uri) ? [] : [{
      path: `redirect_uris[${i}]`,
      expected: `an https URI that is not on localhost, because response_types contains ${quote(type)}`,
      received: quote(uri),
      hint: `Set application_type to "native" if the client is an installed application.`,
    }];
  });
}
