/**
 * Authorization details (RFC 9396): objects that describe in detail the access of a client. Only a request with such
 * objects loads their code.
 */

import { storedRequest } from "../../stored/stored_requests.ts";
import { requestSignature } from "../signed_requests/settings.ts";
import type { Extension } from "../../config/extension.ts";
import { quote } from "../../config/config_issue.ts";
import type { ConfigIssue } from "../../../core/rules/configuration_error.ts";
import { type ClientMetadata, metadataOf } from "../../config/client_metadata.ts";
import {
  type AuthorizationDetails,
  type DetailsFunctions,
  detailsName as name,
  detailsSlot,
  hasAuthorizationDetails,
} from "../../token/authorization_details.ts";
import { warn } from "../../trace.ts";
import { authorizeClientCredentials } from "../../../core/token/grants/client_credentials.ts";
import type { ParameterDescription, Params } from "../../../core/http/params.ts";
import type { Authorization } from "../../../core/token/grants/authenticated_request.ts";
import { isObject } from "../../../core/http/json_value.ts";
import { reject as rejectByCore } from "../../../core/rules/reject.ts";
import type { AuthorizationRequest } from "../../../core/authorize/authorization_request.ts";
import type { CheckInput, GrantType, RequestCheck, Server } from "../../../core/server.ts";
import type { TokenSteps } from "../../../core/token/steps.ts";
import {
  authorizationDetailsClientFields,
  type AuthorizationDetailsSettings,
  authorizationDetailsSettings,
  detailsTypes,
} from "./settings.ts";
import { resourcesOf } from "../../token/resources.ts";
import { withRequestedResources } from "../../token/requested_resources.ts";
import { authorizationDetailsTexts } from "./explain.ts";

const load = () => import("./details.ts");

const functions: DetailsFunctions = {
  isRequested: hasDetails,
  describe: async (server, details) => (await load()).describeDetails(server, details),
  async narrow(server, { client, params }, grant, resources) {
    const { items, granted } = (await load()).narrowDetails(server, client, grant, params);
    return { granted, issued: await issue(items, resources) };
  },
  readOwn: async (server, { client, params }) => (await load()).readOwnDetails(server, client, params),
  readClaim: async (...claim) => (await load()).readClaimedDetails(...claim),
  readForeign: async (...requested) => (await load()).limitDetails(...requested),
  issue,
};

const parameter: ParameterDescription = { name };

/** Authorization details in requests. */
const detailsCheck: RequestCheck = {
  // Before the scope: a request with details needs none.
  place: { before: "AZ-17" },
  rule: "RA-02",
  parameters: [parameter],
  reads: "authorization_details",
  read: readDetailsParameter,
  warn: warnIgnoredDetails,
};

/** The details that the user allows, and who sees them. */
const steps: Partial<TokenSteps<Server>> = {
  granted: [{
    name,
    async run(server, granted, client, request, approval) {
      const requested = detailsSlot.of(request);
      if (requested === undefined) return granted;
      const { approvedDetails } = await load();
      const approved = approvedDetails(server, client, requested, detailsSlot.of(approval));
      if (approved === undefined && request.scope.length === 0) throw rejectByCore("AZ-18", { requested: [name] });
      return detailsSlot.put(granted, approved);
    },
  }],
  narrowed: [{
    name,
    async run(server, authorization, request, { value: { grant } }) {
      if (!hasAuthorizationDetails(grant) && !hasDetails(server, request.params)) return authorization;
      const approved = { details: detailsSlot.of(grant), scope: grant.scope };
      const { granted, issued } = await functions.narrow(server, request, approved, resourcesOf(authorization));
      return { ...authorization, grant: detailsSlot.put(authorization.grant!, granted), ...issued };
    },
  }],
  visibleClaims: [{
    name,
    /**
     * In its own token, a client sees all details. In other tokens, it sees those for the default audience and for the
     * resources that it serves.
     */
    async run(server, _visible, client, claims) {
      if (claims[name] === undefined) return {};
      if (claims.client_id === client.id) return { [name]: claims[name] };
      const audiences = [server.audience, ...metadataOf(client).serves ?? []];
      return { [name]: (await load()).visibleDetails(claims[name] as AuthorizationDetails, audiences) };
    },
  }],
};

/** A grant of details alone gives access, and access tokens have details. */
function withGrantedDetails(grants: Server["grants"]): Server["grants"] {
  return {
    ...grants,
    isEmpty: (granted) => grants.isEmpty(granted) && !hasAuthorizationDetails(granted),
    async readToken(server, token) {
      const read = await grants.readToken(server, token);
      const { [name]: items = [] }: Readonly<Record<string, unknown>> = read?.claims ?? {};
      // Test keys are public, so others can sign tokens.
      return Array.isArray(items) && items.every(isObject) ? read : undefined;
    },
  };
}

/** Lets a client have details on its own behalf. */
function withOwnDetails(grantType: GrantType): GrantType {
  if (grantType.type !== "client_credentials") return grantType;
  return {
    ...grantType,
    parameters: [...grantType.parameters, parameter],
    async authorize(server, request) {
      if (!request.client.confidential || !hasDetails(server, request.params)) {
        return await grantType.authorize(server, request);
      }
      const own = await functions.readOwn(server, request);
      const withoutTarget = authorizeClientCredentials(server, request, own === undefined);
      const authorization = await withRequestedResources(server, request, withoutTarget);
      return { ...authorization, ...await issue(own, resourcesOf(authorization)) };
    },
  };
}

async function issue(
  items: AuthorizationDetails = [],
  resources: readonly string[],
): Promise<Pick<Authorization, "addedClaims" | "responseMembers">> {
  if (items.length === 0) return {};
  const visible = (await load()).visibleDetails(items, resources);
  return { responseMembers: { [name]: items }, addedClaims: { [name]: visible } };
}

/** Whether a request has the parameter and the server has types for it. */
function hasDetails({ policy }: Server, params: Params): boolean {
  return detailsTypes(policy) !== undefined && params.get(name) !== undefined;
}

async function readDetailsParameter(
  input: CheckInput,
  request: Partial<AuthorizationRequest>,
): Promise<Partial<AuthorizationRequest>> {
  const { server, client, params, mode } = input;
  if (!hasDetails(server, params)) return {};
  const isProtected = mode === undefined || storedRequest.of(input) !== undefined ||
    requestSignature.of(input) === true;
  return detailsSlot.put(request, await (await load()).readDetails(server, client, params, isProtected));
}

/** A request with details may omit scope, and then receives no default scope. */
function withOptionalScope(check: RequestCheck): RequestCheck {
  const { rule, read } = check;
  if (rule !== "AZ-17") return check;
  return {
    ...check,
    read: (input, request) =>
      input.params.get("scope") === undefined && hasAuthorizationDetails(request)
        ? { scope: [] }
        : read?.(input, request),
  };
}

/** Warns about an accepted request with the parameter, if the server has no types for it. */
function warnIgnoredDetails({ server, client, params }: CheckInput): void {
  if (detailsTypes(server.policy) !== undefined || params.get(name) === undefined) return;
  const reason = `${name} is ignored, because this server has no types of authorization details`;
  const { fix } = authorizationDetailsTexts["RA-15"];
  warn(server, client.id, { rule: "RA-15", reason, expected: "scope, or the setting authorizationDetails", fix });
}

/** The types of a client that the server does not have. */
function validateTypes({ authorization_details_types = [] }: ClientMetadata, policy: object): readonly ConfigIssue[] {
  const types = Object.keys(detailsTypes(policy) ?? {});
  return authorization_details_types.flatMap((type, i) =>
    types.includes(type) ? [] : [{
      path: `authorization_details_types[${i}]`,
      expected: types.length > 0 ? `one of ${types.join(", ")}` : "no types, because authorizationDetails has none",
      received: quote(type),
      hint: `Add ${quote(type)} to authorizationDetails, or remove it here.`,
    }]
  );
}

/** Lets clients request objects of configured types. */
export const authorizationDetails: Extension<AuthorizationDetailsSettings> = {
  name: "authorization_details",
  settings: {
    ...authorizationDetailsSettings,
    async validate({ authorizationDetails: types }) {
      return types === undefined ? [] : (await load()).validateAuthorizationDetails(types);
    },
  },
  clientMetadata: { fields: authorizationDetailsClientFields, validate: validateTypes },
  metadata: ({ policy }) => ({ authorization_details_types_supported: Object.keys(detailsTypes(policy) ?? {}) }),
  requestChecks: [detailsCheck],
  steps,
  extend: (server) => ({
    ...server,
    details: functions,
    grants: withGrantedDetails(server.grants),
    requestChecks: server.requestChecks.map(withOptionalScope),
    grantTypes: server.grantTypes.map(withOwnDetails),
  }),
};
