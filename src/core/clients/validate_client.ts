/** Compares client metadata that matches its description with a server (RFC 7591 §2). */

import type { ConfigIssue } from "../rules/configuration_error.ts";
import { sortResponseType, splitScope } from "../http/params.ts";
import type { Policy } from "../policy/policy.ts";
import { quoteValue } from "../http/quote_value.ts";
import { findJoinedValues } from "../policy/separators.ts";
import { suggest } from "../policy/suggest.ts";
import { type AuthMethods, authMethodsOf, type ClientMetadata, grantTypesFor } from "./client.ts";
import { isMlDsa } from "../keys/signing_algorithm.ts";
import { describeUriProblem, type UriIssue } from "./uri_problem.ts";
import { findRedirectUriProblem } from "./redirect_uri.ts";

/** The server with which a client is compared. */
export interface ComparedServer {
  readonly policy: Policy;
  /** Shows a value in messages. Default: {@link quoteValue}. */
  readonly quote?: (value: unknown) => string;
  /** The end of a sentence about a member of the policy that something else decides. Default: empty. */
  readonly decidedBy?: (name: keyof Policy) => string;
}

/**
 * Without one of its methods, a client cannot authenticate.
 *
 * @param methods The methods that the client may use. Default: those that the core reads from its metadata.
 */
export function validateAuthMethod(
  client: ClientMetadata,
  { policy: { clientAuthMethods }, quote = quoteValue, decidedBy = nothing }: ComparedServer,
  methods: AuthMethods = authMethodsOf(client),
): ConfigIssue[] {
  const { token_endpoint_auth_method: method } = client;
  // An empty list is an issue of the policy.
  if (clientAuthMethods.length === 0 || methods.some((name) => clientAuthMethods.includes(name))) return [];
  return [{
    path: "token_endpoint_auth_method",
    expected: `one of ${clientAuthMethods.join(", ")}${decidedBy("clientAuthMethods")}`,
    received: method === undefined ? `nothing (default: ${methods.join(" or ")})` : quote(method),
    hint: "Register the client for one of them.",
  }];
}

/** Maximum length of a client secret, in characters. */
export const maxSecretChars = 512;

/** Some methods need a secret, and others forbid it. */
export function validateSecret(
  { client_secret: secret, token_endpoint_auth_method: method }: ClientMetadata,
  { quote = quoteValue }: Partial<ComparedServer>,
): ConfigIssue[] {
  const issue = (expected: string, received: string, hint: string) => [
    { path: "client_secret", expected, received, hint },
  ];
  const because = `because token_endpoint_auth_method is ${quote(method)}`;
  const needsSecret = method?.startsWith("client_secret_");
  if (secret === undefined) {
    if (!needsSecret) return [];
    const hint = `Add a client_secret, or set token_endpoint_auth_method to "none" for a public client.`;
    return issue(`a secret, ${because}`, "nothing", hint);
  }
  if (method !== undefined && !needsSecret) {
    return issue(`no secret, ${because}`, "a secret", "Remove client_secret, or name the method that uses it.");
  }
  if (/^[\x20-\x7E]+$/.test(secret) && secret.length <= maxSecretChars) return [];
  return issue(
    `1 to ${maxSecretChars} printable ASCII characters`,
    secret === ""
      ? "an empty text"
      : secret.length > maxSecretChars
      ? `${secret.length} characters`
      : "other characters",
    "Choose a random secret of 20 to 60 letters and digits.",
  );
}

/**
 * Each request with an unsupported grant type would be rejected.
 *
 * @param hintFor How to fix it.
 */
export function validateGrantTypes(
  { grant_types = [] }: ClientMetadata,
  supported: readonly string[],
  { quote = quoteValue }: Partial<ComparedServer>,
  hintFor: (type: string) => string,
): ConfigIssue[] {
  return grant_types.flatMap((type, i) =>
    supported.includes(type) ? [] : [{
      path: `grant_types[${i}]`,
      expected: `one of ${supported.join(", ")}`,
      received: quote(type),
      hint: type === "password" || type === "implicit"
        ? "OAuth 2.1 has no such grant type: use authorization_code."
        : hintFor(type),
    }]
  );
}

/** @param known The response types that a server could have. */
export function validateResponseTypes(
  { response_types = [], grant_types }: ClientMetadata,
  { policy: { responseTypes }, quote = quoteValue, decidedBy = nothing }: ComparedServer,
  known: readonly string[] = [],
): ConfigIssue[] {
  const decider = decidedBy("responseTypes");
  const unsupported = response_types.flatMap((type, i) => {
    const name = sortResponseType(type);
    return responseTypes.includes(name) ? [] : [{
      path: `response_types[${i}]`,
      expected: `${responseTypes.map(quote).join(" or ")}${decider}`,
      received: quote(type),
      hint: decider === "" && known.includes(name)
        ? "Add it to the setting responseTypes, or remove it here."
        : `Write ["code"].`,
    }];
  });
  if (unsupported.length > 0 || grant_types === undefined) return unsupported;
  const beside = response_types.filter((type) => type !== "code");
  return grantTypesFor(beside).filter((needed) => !grant_types.includes(needed)).map((needed) => ({
    path: "grant_types",
    expected: `${needed}, because response_types contains ${quote(beside.join(", "))}`,
    received: quote(grant_types.join(" ")),
    hint: `Add ${needed}, or leave grant_types out.`,
  }));
}

export function validateResponseModes(
  { response_modes = [] }: ClientMetadata,
  { policy: { responseModes }, quote = quoteValue, decidedBy = nothing }: ComparedServer,
): ConfigIssue[] {
  // An empty list is an issue of the policy.
  if (responseModes.length === 0) return [];
  return response_modes.flatMap((mode, i) =>
    responseModes.includes(mode) ? [] : [{
      path: `response_modes[${i}]`,
      expected: `one of ${responseModes.join(", ")}${decidedBy("responseModes")}`,
      received: quote(mode),
      hint: "Add it to responseModes, or remove it here.",
    }]
  );
}

/**
 * The URIs that authorization responses may be sent to.
 *
 * @param check The issue of one of them. Default: {@link findRedirectUriProblem}.
 */
export function validateRedirectUris(
  { redirect_uris: uris = [], grant_types = ["authorization_code"] }: ClientMetadata,
  { policy: { allows: { localUrls } }, quote = quoteValue }: ComparedServer,
  check = (uri: string): UriIssue | undefined => {
    const problem = findRedirectUriProblem(uri, localUrls);
    return problem && describeUriProblem(problem, uri, localUrls);
  },
): ConfigIssue[] {
  if (uris.length === 0 && grant_types.includes("authorization_code")) {
    return [{
      path: "redirect_uris",
      expected: "at least one redirect URI, because the client is registered for authorization_code",
      received: "none",
      hint: "Add the URI that the client listens on, or change grant_types.",
    }];
  }
  return uris.flatMap((uri, i) => {
    const issue = check(uri);
    return issue === undefined ? [] : [{ path: `redirect_uris[${i}]`, ...issue, received: quote(uri) }];
  });
}

/** Maximum number of unknown scope values that are described: clients register them, and each takes time. */
const maxDescribedValues = 20;

/** An issue for each scope value that the server does not have, up to a limit. */
export function validateScope(
  path: "scope" | "defaultScope",
  scope: string | undefined,
  scopes: readonly string[],
  { quote = quoteValue }: Partial<ComparedServer>,
): ConfigIssue[] {
  const unknown = splitScope(scope ?? "").filter((value) => !scopes.includes(value));
  return unknown.slice(0, maxDescribedValues).map((value) => {
    const meant = suggest(value, scopes);
    const joined = findJoinedValues(value, scopes)?.join(" ");
    return {
      path,
      expected: `scope values of the server (${scopes.join(" ")})`,
      received: quote(value),
      hint: joined !== undefined
        ? `Separate the values of ${path} by spaces alone, as ${quote(joined)}.`
        : meant === undefined
        ? `Add ${quote(value)} to scopes, or remove it from ${path}.`
        : `Did you mean ${meant}?`,
    };
  });
}

/** The server must accept the algorithm that a member names. */
export function validateAlgorithm(
  path: string,
  alg: string | undefined,
  { policy: { signatureAlgorithms }, quote = quoteValue, decidedBy = nothing }: ComparedServer,
): ConfigIssue[] {
  // An empty list is an issue of the policy.
  if (alg === undefined || signatureAlgorithms.length === 0 || signatureAlgorithms.includes(alg)) return [];
  return [{
    path,
    expected: `one of ${signatureAlgorithms.join(", ")}${decidedBy("signatureAlgorithms")}`,
    received: quote(alg),
    hint: isMlDsa(alg)
      ? "Choose one of them, leave it out, or add it to signatureAlgorithms."
      : "Choose one of them, or leave it out.",
  }];
}

/** The issues of clients whose id an earlier one has, by their index. */
export function repeatedClients(
  clients: readonly Pick<ClientMetadata, "client_id">[],
  quote = quoteValue,
): ReadonlyMap<number, ConfigIssue[]> {
  return findRepeatedIds(clients.map(({ client_id }) => client_id), (i, first) => ({
    path: `clients[${i}].client_id`,
    expected: "an id that no other client has",
    received: quote(clients[i]!.client_id),
    hint: `Rename this one, or remove clients[${first}].`,
  }));
}

/** The issues of ids that are in a list before, by their index. */
export function findRepeatedIds(
  ids: readonly string[],
  issueOf: (i: number, first: number) => ConfigIssue,
): ReadonlyMap<number, ConfigIssue[]> {
  const first = new Map(ids.map((id, i) => [id, i] as const).reverse());
  return new Map(ids.flatMap((id, i) => first.get(id) === i ? [] : [[i, [issueOf(i, first.get(id)!)]] as const]));
}

/** Issues whose paths are relative to an item of a list, or to a group. */
export function issuesBelow(path: string, issues: readonly ConfigIssue[]): ConfigIssue[] {
  return issues.map((issue) => ({ ...issue, path: `${path}.${issue.path}` }));
}

function nothing(): string {
  return "";
}
