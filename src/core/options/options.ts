/** The options of `core()`: their description, and the mistakes in them with which a server does not start. */

import type { Approver } from "../authorize/approver.ts";
import type { ClientMetadata, User } from "../clients/client.ts";
import { clientField, clientFields, userField } from "../clients/client_fields.ts";
import {
  issuesBelow,
  repeatedClients,
  validateAlgorithm,
  validateAuthMethod,
  validateGrantTypes,
  validateRedirectUris,
  validateResponseModes,
  validateResponseTypes,
  validateScope,
  validateSecret,
} from "../clients/validate_client.ts";
import { repeatedUsers, validateMembers } from "../clients/validate_user.ts";
import type { ConfigIssue } from "../rules/configuration_error.ts";
import type { CoreExtension } from "../extension.ts";
import {
  anyValue,
  choice,
  description,
  type Field,
  type FieldsOf,
  findMismatches,
  functionField,
  list,
  object,
  text,
  texts,
} from "../policy/field.ts";
import { type CorePolicy, notSettable, type Policy, policyFields } from "../policy/policy.ts";
import { ownResponseModes } from "../authorize/authorization_request.ts";
import type { RandomBytes } from "../keys/secrets.ts";
import type { GrantType, Server } from "../server.ts";
import type { Store } from "../store/store.ts";
import { isObject } from "../http/json_value.ts";
import { testHosts } from "../http/test_hosts.ts";
import type { MinimalTrace } from "../trace.ts";
import { extensionMembers, grantTypesField, storeField } from "./program_fields.ts";
import { validateAlg, validateClaims, validateIssuer, validatePkce, validateScopes } from "./validate_policy.ts";

/** What a server is made of. */
export interface CoreOptions {
  /** The issuer identifier: the URL of the server, without a slash at its end. */
  readonly issuer: string;
  /** The clients, as in dynamic registration (RFC 7591 §2). */
  readonly clients: readonly ClientMetadata[];
  /** The users. A login without `login_hint` is one of the user of the session, otherwise of the first user. */
  readonly users: readonly User[];
  /** What differs from the default policy. Default: nothing. */
  readonly policy?: CorePolicy;
  /** The store of all records. Default: in memory. */
  readonly store?: Store;
  /** The clock: milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number;
  /** The random source. Default: `crypto.getRandomValues`. */
  readonly randomBytes?: RandomBytes;
  /** Receives every event. It has secrets in it. Default: internal errors are printed. */
  readonly trace?: MinimalTrace;
  /** Decides which user is logged in, and what is approved. Default: the first user, and the whole request. */
  readonly approver?: Approver;
  /** Grant types besides authorization code, refresh token and client credentials. Default: none. */
  readonly grantTypes?: readonly GrantType[];
  /** What adds to the server or changes it. Default: none. */
  readonly extensions?: readonly CoreExtension[];
}

/** Describes the options without the clients and the policy, to which extensions add. */
const optionFields: Omit<FieldsOf<CoreOptions>, "clients" | "policy"> = {
  issuer: text(["http://localhost:9000"]),
  users: list<User>(userField, [userField.examples], { expected: "an array of users" }),
  store: storeField,
  now: functionField,
  randomBytes: functionField,
  trace: functionField,
  approver: functionField,
  grantTypes: grantTypesField,
  extensions: list<CoreExtension>(description<CoreExtension>(extensionMembers, ["name"]), [[]], {
    expected: "an array of extensions",
  }),
};

/** What a policy cannot have. */
const fixedField: Field = {
  type: "any",
  oneOf: [],
  expected: "no such member",
  examples: [],
  hint: () => "Remove it: a program cannot set it here.",
};

/** Describes the options of a server. Extensions add members and values. */
function optionsField(isExtended: boolean): Field {
  const names = texts(["query"]);
  const responseModes = { ...policyFields.responseModes, items: choice([...ownResponseModes.keys()]) };
  const own = isExtended
    ? { ...policyFields, clientAuthMethods: names, responseModes: names, responseTypes: names }
    : { ...policyFields, responseModes };
  const fixed = [...notSettable, "clients", "policy", ...Object.keys(optionFields)];
  const policyMembers = isExtended ? { ...own, ...Object.fromEntries(fixed.map((name) => [name, fixedField])) } : own;
  const clientMembers = isExtended
    ? { ...clientFields, token_endpoint_auth_method: text(["none"]) }
    : { ...clientFields, response_modes: { ...responseModes, default: undefined } };
  const others = isExtended ? anyValue : undefined;
  const client = { ...clientField, members: clientMembers, others };
  const members: Readonly<Record<string, Field>> = {
    ...optionFields,
    clients: list<unknown>(client, [clientField.examples], { expected: "an array of clients" }),
    policy: { ...object("CorePolicy", policyMembers, {}), others },
  };
  const example = { issuer: "http://localhost:9000", clients: [], users: [] };
  const field = object("CoreOptions", members, {}, {
    required: ["issuer", "clients", "users"],
    replacedMembers: Object.fromEntries(Object.keys(policyFields).map((name) => [name, "Move it into policy."])),
  });
  return { ...field, examples: [example] };
}

/** The issues of options that do not match their description. */
export function findMistakes(options: CoreOptions): ConfigIssue[] {
  const { extensions }: Partial<CoreOptions> = isObject(options) ? options : {};
  const field = optionsField(Array.isArray(extensions) && extensions.length > 0);
  return findMismatches(field, options).map(({ path, issue }) =>
    path.length > 0 ? issue : { ...issue, path: "options" }
  );
}

/** The issues of options that match their description, before there is a server. */
export function findOptionIssues({ issuer, approver, clients, users }: CoreOptions, policy: Policy): ConfigIssue[] {
  const { allows: { openLogin }, scopes, defaultScope, userScopes } = policy;
  return [
    ...validateHost(issuer, approver, openLogin),
    ...issuesBelow("policy", [
      ...openLogin ? [] : validatePkce(policy.pkce),
      ...validateAlg(policy),
      ...validateScopes(scopes),
      ...validateScope("defaultScope", defaultScope.join(" "), userScopes, {}),
      ...validateClaims(policy),
    ]),
    ...[...repeatedClients(clients).values()].flat(),
    ...users.flatMap((user, i) => issuesBelow(`users[${i}]`, validateMembers(user))),
    ...users.flatMap(({ password }, i) =>
      password === undefined ? [] : [{
        path: `users[${i}].password`,
        expected: "no password",
        received: "a value (hidden)",
        hint: "Remove it: the core has no login page.",
      }]
    ),
    ...[...repeatedUsers(users).values()].flat(),
  ];
}

/** The issues of the issuer, and of a host that is not for tests. */
function validateHost(issuer: string, approver: Approver | undefined, openLogin: boolean): ConfigIssue[] {
  const issues = validateIssuer(issuer);
  const issue = { path: "issuer", received: JSON.stringify(issuer) };
  if (issues.length > 0) return issues;
  if (issuer.endsWith("/")) {
    return [{ ...issue, expected: "a URL without a slash at its end", hint: `Write it as "${issuer.slice(0, -1)}".` }];
  }
  if (openLogin) return [];
  if (issuer.startsWith("http:")) {
    return [{ ...issue, expected: `https, or a test host (${testHosts})`, hint: "Use https or a test host." }];
  }
  if (approver !== undefined) return [];
  const expected = "a function, because the issuer is not on a test host";
  return [{ path: "approver", expected, received: "nothing", hint: "Pass one that logs users in." }];
}

const missingGrantType = "Remove it, or pass the grant type in grantTypes, or the extension that has it.";

/** The issues of policies and clients that name what the server lacks, with its extensions. */
export function findServerIssues(server: Server, clients: readonly ClientMetadata[]): ConfigIssue[] {
  const { policy } = server;
  const known = {
    clientAuthMethods: server.clientAuthentication.map(({ method }) => method),
    responseModes: [...server.responseModes.keys()],
    responseTypes: server.responseTypes,
  };
  const unknown = (["clientAuthMethods", "responseModes", "responseTypes"] as const).flatMap((name) =>
    policy[name].filter((value) => !known[name].includes(value)).map((value) => ({
      path: `policy.${name}`,
      expected: `some of ${known[name].join(", ")}`,
      received: JSON.stringify(value),
      hint: "Remove it, or add the extension that has it.",
    }))
  );
  const grantTypes = server.grantTypes.map(({ type }) => type);
  const compared = { policy };
  return [
    ...unknown,
    ...clients.flatMap((client, i) =>
      issuesBelow(`clients[${i}]`, [
        ...validateAuthMethod(client, compared),
        ...validateSecret(client, compared),
        ...validateGrantTypes(client, grantTypes, compared, () => missingGrantType),
        ...validateResponseTypes(client, compared),
        ...validateResponseModes(client, compared),
        ...validateRedirectUris(client, compared),
        ...validateAlgorithm("id_token_signed_response_alg", client.id_token_signed_response_alg, compared),
        ...validateScope("scope", client.scope, policy.scopes, compared),
      ])
    ),
  ];
}
