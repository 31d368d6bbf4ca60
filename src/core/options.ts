/** The options of `core()`, and the mistakes in them with which a server does not start. */

import type { Approver } from "./approver.ts";
import { authMethodsOf, type ClientMetadata, type User } from "./clients/client.ts";
import type { CoreExtension } from "./extension.ts";
import { changeableNames, type CorePolicy, isFixed, policyFor } from "./policy_defaults.ts";
import type { RandomBytes } from "./secrets.ts";
import type { GrantType, Server } from "./server.ts";
import type { Store } from "./store/store.ts";
import type { CoreTrace } from "./trace.ts";
import type { ConfigIssue } from "./configuration_error.ts";
import type { Policy } from "./policy.ts";
import { isTextList } from "./json_value.ts";
import { sortResponseType, splitScope } from "./params.ts";
import { describeKind, quoteValue } from "./quote_value.ts";
import { findRedirectUriProblem, isUndottedScheme } from "./redirect_uri.ts";

/** What a server is made of. */
export interface CoreOptions {
  /** The issuer identifier: the URL of the server, without a slash at its end. */
  readonly issuer: string;
  /** The clients, as in dynamic registration (RFC 7591 §2). */
  readonly clients: readonly ClientMetadata[];
  /** The users. The first one is logged in, unless a request has `login_hint`. */
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
  readonly trace?: CoreTrace;
  /** Decides which user is logged in, and what is approved. Default: the first user, and the whole request. */
  readonly approver?: Approver;
  /** Grant types besides authorization code, refresh token and client credentials. Default: none. */
  readonly grantTypes?: readonly GrantType[];
  /** What adds to the server or changes it. Default: none. */
  readonly extensions?: readonly CoreExtension[];
}

/** Adds an issue. @param received Default: the value, quoted. */
type Add = (path: string, expected: string, value: unknown, hint: string, received?: string) => void;

/** A received secret. */
const hidden = "a value (hidden)";

const aFunction = (): void => {};

/** Values of the kinds that the options have. No option is a member of the policy. */
const optionSamples: Readonly<Record<keyof CoreOptions, unknown>> = {
  ...{ issuer: "", clients: [], users: [], policy: {}, store: {}, grantTypes: [], extensions: [] },
  ...{ now: aFunction, randomBytes: aFunction, trace: aFunction, approver: aFunction },
};

/** What the value of a member must be. */
type MemberCheck = readonly [expected: string, isValid: (value: unknown) => boolean];

const string: MemberCheck = ["a string", (value) => typeof value === "string"];
const strings: MemberCheck = ["an array of strings", isTextList];
const seconds: MemberCheck = [
  "whole seconds, at least 0",
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
];

/** The members that the core reads. It reads no keys: only extensions authenticate clients by keys. */
const memberChecks: Readonly<Record<keyof ClientMetadata, MemberCheck>> = {
  client_id: [
    "1 to 256 printable ASCII characters",
    (value) => typeof value === "string" && /^[\x20-\x7E]{1,256}$/.test(value),
  ],
  client_secret: string,
  client_secret_expires_at: seconds,
  client_name: string,
  redirect_uris: strings,
  token_endpoint_auth_method: string,
  grant_types: strings,
  response_types: strings,
  scope: ["a string of space-separated scope values", string[1]],
  response_modes: strings,
  id_token_signed_response_alg: string,
  require_pkce: ["true or false", (value) => typeof value === "boolean"],
  default_max_age: seconds,
  application_type: ["web or native", (value) => value === "web" || value === "native"],
};

const clientMembers: ReadonlyMap<string, MemberCheck> = new Map(Object.entries(memberChecks));

/** The issues of the options that are checked before there is a server. */
export function findOptionIssues(options: CoreOptions, settings: Policy): ConfigIssue[] {
  const { allows, lifetimes, refresh, pkce } = settings;
  const { issuer, approver } = options;
  const [issues, add] = issueList();
  checkOptionKinds(options, add);
  // The other checks need values of the right kinds.
  if (issues.length > 0) return issues;
  const isIssuer = (text: string) => /^https?:\/\/[^/]+(?:\/[A-Za-z0-9._~-]+)*$/.test(text);
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const normalForm = url === undefined ? "" : url.origin + url.pathname.replace(/\/$/, "");
  if (issuer !== normalForm || !isIssuer(issuer)) {
    const other = "Write it as http://localhost:9000, or on a real host as https://host or https://host/path.";
    const hint = isIssuer(normalForm) ? `Write it as ${normalForm}.` : other;
    add("issuer", "an absolute URL in its normal form, without a slash at its end", issuer, hint);
  } else if (url?.protocol === "http:" && !allows.openLogin) {
    add("issuer", "https, or http on a test host such as localhost", issuer, "Use https.");
  } else if (approver === undefined && !allows.openLogin) {
    const expected = "a function, because the issuer is not on a test host";
    add("approver", expected, approver, "Pass one that logs users in.");
  }
  for (const [name, value] of Object.entries(lifetimes)) {
    const isShort = name === "code";
    const max = isShort ? 600 : Math.floor(Number.MAX_SAFE_INTEGER / 1000);
    if (Number.isInteger(value) && value > 0 && value <= max) continue;
    const expected = isShort ? `whole seconds from 1 to ${max}` : "a positive whole number of seconds";
    add(`policy.lifetimes.${name}`, expected, value, "Choose another.");
  }
  if (!(Number.isInteger(refresh.grace) && refresh.grace >= 0 && refresh.grace <= 60)) {
    add("policy.refresh.grace", "whole seconds from 0 to 60", refresh.grace, "10 seconds are enough.");
  }
  for (const name of ["insecureAllowMissing", "insecureAllowPlain"] as const) {
    if (pkce[name] && !allows.openLogin) add(`policy.pkce.${name}`, "false on a real host", true, "Remove it.");
  }
  checkClients(options, settings, add);
  checkUsers(options.users, add);
  return issues;
}

/** Checks the names of the options and of the members of the policy, and the kinds of their values. */
function checkOptionKinds(options: CoreOptions, add: Add): void {
  for (const name of ["issuer", "clients", "users"] as const) {
    if (options[name] === undefined) add(name, describeKind(optionSamples[name]), undefined, "Pass one.");
  }
  checkKinds("", options, optionSamples, add);
  const policy = Object(options.policy);
  const samples = Object.fromEntries(
    Object.entries(policyFor(options.issuer)).filter(([name]) => changeableNames.has(name)),
  );
  // Extensions have settings of their own.
  const hasOwn = Array.isArray(options.extensions) && options.extensions.length > 0;
  const isOwn = (name: string) => hasOwn && !isFixed(name) && !Object.hasOwn(optionSamples, name);
  checkKinds("policy.", policy, samples, add, isOwn);
  for (const group of ["lifetimes", "pkce", "refresh"]) {
    checkKinds(`policy.${group}.`, Object(policy[group]), samples[group] as object, add);
  }
}

/**
 * Checks that an object has only the members of another one, of the same kinds.
 *
 * @param mayHave Whether it may have another member. Default: none.
 */
function checkKinds(path: string, given: object, samples: object, add: Add, mayHave = (_name: string) => false): void {
  const kinds = new Map(Object.entries(samples).map(([name, sample]) => [name, describeKind(sample)]));
  for (const [name, value] of Object.entries(given)) {
    const kind = kinds.get(name);
    if (kind === undefined && !mayHave(name)) {
      const isMisplaced = path === "" && changeableNames.has(name);
      const hint = isMisplaced ? "Move it into policy." : "Correct its name, or remove it.";
      add(path + name, `one of ${[...kinds.keys()].join(", ")}`, name, hint);
    }
    if (kind === undefined || value === undefined || describeKind(value) === kind) continue;
    add(path + name, kind, value, `Write ${kind}.`);
  }
}

/** The issues of policies and clients that name what the server lacks, with its extensions. */
export function findServerIssues(server: Server, clients: readonly ClientMetadata[]): ConfigIssue[] {
  const { settings } = server;
  const [issues, add] = issueList();
  const methods = server.clientAuthentication.map(({ method }) => method);
  const known: readonly (readonly [name: string, values: readonly string[], supported: readonly string[]])[] = [
    ["alg", [settings.alg], settings.signatureAlgorithms],
    ["responseModes", settings.responseModes, [...server.responseModes.keys()]],
    ["responseTypes", settings.responseTypes, [...server.responseTypes.keys()]],
    ["clientAuthMethods", settings.clientAuthMethods, methods],
  ];
  for (const [name, values, supported] of known) {
    const wrong = values.find((value) => !supported.includes(value));
    if (wrong !== undefined) add(`policy.${name}`, `one of ${supported.join(", ")}`, wrong, "Choose another.");
  }
  const grantTypes = server.grantTypes.map(({ type }) => type);
  const repeated = grantTypes.find((type, i) => grantTypes.indexOf(type) < i);
  if (repeated !== undefined) add("grantTypes", "grant types that the server does not have", repeated, "Remove it.");
  const responseModes: readonly string[] = [...server.responseModes.keys()];
  for (const [i, client] of clients.entries()) {
    for (const [name, supported] of [["grant_types", grantTypes], ["response_modes", responseModes]] as const) {
      const wrong = client[name]?.find((value) => !supported.includes(value));
      const expected = `some of ${supported.join(", ")}`;
      if (wrong !== undefined) {
        add(
          `clients[${i}].${name}`,
          expected,
          wrong,
          "Correct it, or add the grant type or extension that supports it.",
        );
      }
    }
  }
  return issues;
}

function checkClients({ clients, extensions = [] }: CoreOptions, settings: Policy, add: Add): void {
  const ids = new Set<string>();
  for (const [i, client] of clients.entries()) {
    const at = (path: string) => `clients[${i}]${path}`;
    if (typeof client !== "object" || client === null) {
      add(at(""), "an object", client, "Pass the metadata of a client.");
      continue;
    }
    const { client_id } = client;
    if (ids.has(client_id)) add(at(".client_id"), "an id that no other client has", client_id, "Choose another.");
    ids.add(client_id);
    checkClient(client, settings, extensions.length > 0, (path, ...texts) => add(at(path), ...texts));
  }
}

function checkClient(client: ClientMetadata, settings: Policy, mayHaveOthers: boolean, add: Add): void {
  const { client_secret: secret, redirect_uris = [], response_types = [], scope = "" } = client;
  let hasWrongType = false;
  for (const name of new Set(["client_id", ...Object.keys(client)])) {
    const check = clientMembers.get(name);
    if (check === undefined) {
      if (mayHaveOthers) continue;
      add(
        `.${name}`,
        "a member that this server reads",
        name,
        "Correct its name, remove it, or add the extension that reads it.",
      );
      continue;
    }
    const [expected, isValid] = check;
    const value: unknown = client[name as keyof ClientMetadata];
    const isOmitted = value === undefined && name !== "client_id";
    if (isOmitted || isValid(value)) continue;
    hasWrongType = true;
    add(`.${name}`, expected, value, `Write it as ${expected}.`, name === "client_secret" ? hidden : undefined);
  }
  // The other checks need values of the right types.
  if (hasWrongType) return;
  const [method] = authMethodsOf(client);
  const isWithSecret = method === "client_secret_basic" || method === "client_secret_post";
  if (!settings.clientAuthMethods.includes(method)) {
    const methods = settings.clientAuthMethods.join(", ");
    add(".token_endpoint_auth_method", `one of ${methods}`, method, "Choose another method.");
  } else if (isWithSecret ? !secret : method === "none" && secret !== undefined) {
    const expected = isWithSecret ? "a string that is not empty" : "no secret";
    add(".client_secret", expected, secret, "Fix the secret or the method.", secret === undefined ? undefined : hidden);
  }
  const { id_token_signed_response_alg: alg } = client;
  if (alg !== undefined && !settings.signatureAlgorithms.includes(alg)) {
    const expected = `one of ${settings.signatureAlgorithms.join(", ")}`;
    add(".id_token_signed_response_alg", expected, alg, "Choose another.");
  }
  const unknownScope = splitScope(scope).find((value) => !settings.scopes.includes(value));
  if (unknownScope !== undefined) {
    const expected = `some of ${settings.scopes.join(" ")}`;
    add(".scope", expected, unknownScope, "Choose another, or add it to policy.scopes.");
  }
  const types: readonly string[] = settings.responseTypes;
  const unknownType = response_types.find((type) => !types.includes(sortResponseType(type)));
  if (unknownType !== undefined) {
    add(".response_types", `some of ${types.join(", ")}`, unknownType, "Choose another.");
  }
  for (const [j, uri] of redirect_uris.entries()) {
    if (findRedirectUriProblem(uri, settings.allows.localUrls) === undefined && !isUndottedScheme(uri)) continue;
    const expected = "an absolute URL without user information, fragment, * and response parameters: https, http on " +
      "this machine, or com.example.app:/callback";
    add(`.redirect_uris[${j}]`, expected, uri, "Register the URL that the client sends.");
  }
}

function checkUsers(users: readonly User[], add: Add): void {
  const subjects = new Set<unknown>();
  for (const [i, user] of users.entries()) {
    const sub: unknown = user?.sub;
    if (subjects.has(sub)) add(`users[${i}].sub`, "a subject that no other user has", sub, "Choose another.");
    if (typeof sub !== "string" || !/^[\x21-\x7E]{1,255}$/.test(sub)) {
      const expected = "1 to 255 printable ASCII characters without spaces";
      add(`users[${i}].sub`, expected, sub, 'Write the user like { sub: "alice" }.');
    }
    subjects.add(sub);
    if (!isJson(user)) add(`users[${i}]`, "claims that JSON can represent", user, "Use neither bigint nor cycles.");
    if (user?.password !== undefined) {
      add(`users[${i}].password`, "no password", user, "Remove it: the core has no login page.", hidden);
    }
  }
}

function issueList(): readonly [ConfigIssue[], Add] {
  const issues: ConfigIssue[] = [];
  const add: Add = (path, expected, value, hint, received = quoteValue(value)) => {
    issues.push({ path, expected, received, hint });
  };
  return [issues, add];
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}
