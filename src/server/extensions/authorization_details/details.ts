/**
 * Rich authorization requests (RFC 9396): objects that describe in detail the access of a client. Loaded with the first
 * request that contains `authorization_details`, on a server with types for them.
 *
 * `readDetails` reads the parameter; the other functions handle the details after that, for `mod.ts`. The schemas of
 * the types are in the setting `authorizationDetails`.
 */

import { metadataOf } from "../../config/client_metadata.ts";
import { isDeeperThan } from "../../../core/http/json_value.ts";
import { warn } from "../../trace.ts";
import type {
  AuthorizationDetail,
  AuthorizationDetails,
  ConsentItem,
  GrantedDetails,
} from "../../token/authorization_details.ts";
import type { Client } from "../../../core/clients/clients.ts";
import { type AuthorizationDetailsType, detailsTypes } from "./settings.ts";
import { quote } from "../../config/config_issue.ts";
import { compileSchema, type FindMismatch, findSchemaMistake, type JsonSchema, noSuchField } from "./json_schema.ts";
import { canonicalUri } from "../../../platform/http/absolute_uri.ts";
import { OAuthError } from "../../../core/rules/errors.ts";
import type { Params } from "../../../core/http/params.ts";
import type { Server } from "../../../core/server.ts";
import { findUnmatched, isWithin, listFields } from "./match_details.ts";
import { reject } from "./rules.ts";
import { printable } from "../../../core/http/quote_value.ts";
import type { ConfigIssue } from "../../../core/rules/configuration_error.ts";

/** Limits of one request: bytes of the value, number of objects, levels of an object. */
const maxBytes = 8 * 1024;
const maxObjects = 32;
const maxDepth = 8;

/** The field besides {@link listFields} that means the same in every type (RFC 9396 §2.2). */
const identifierField = "identifier";

/**
 * Reads the parameter of an authorization, device or token request that has it (`hasDetails`).
 *
 * @param isProtected Whether the client sent the request itself, or signed it.
 * @returns `undefined` for an empty list, which counts as absent.
 * @throws {OAuthError} `invalid_request` if it is not a list of objects, `invalid_authorization_details` if an object
 *   does not match its type.
 */
export function readDetails(
  server: Server,
  client: Client,
  params: Params,
  isProtected = true,
): AuthorizationDetails | undefined {
  const details = parseDetails(params.get("authorization_details")!);
  assertDetails(server, client, details);
  for (const detail of details) {
    if (isProtected || !findType(server, detail.type)!.requireProtectedRequest) continue;
    throw reject("RA-16", { type: detail.type });
  }
  if (details.length === 0) return undefined;
  server.passed("RA-03", details.map(({ type }) => type).join(" "));
  return details;
}

function parseDetails(text: string): AuthorizationDetails {
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > maxBytes) throw reject("RA-13", { unit: "bytes", limit: maxBytes, count: bytes });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw reject("RA-02", { received: "text that is not JSON" });
  }
  if (!Array.isArray(value)) throw reject("RA-02", { received: describe(value) });
  const other = value.find((item) => describe(item) !== "an object");
  if (other !== undefined) throw reject("RA-02", { received: `an array with ${describe(other)}` });
  if (value.length > maxObjects) {
    throw reject("RA-13", { unit: "objects", limit: maxObjects, count: value.length });
  }
  if (value.some((detail) => isDeeperThan(maxDepth, detail))) {
    throw reject("RA-13", { unit: "levels", limit: maxDepth });
  }
  if (!isPortable(value)) throw reject("RA-02", { received: "half of a surrogate pair, or a number out of range" });
  return value;
}

/** Whether a value stays the same in other JSON implementations, and in a store (RFC 7493 §2.1, §2.2). */
function isPortable(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || Object.entries(value).flat().every(isPortable);
}

/** The JSON type of a value, never the value: details may be confidential (RFC 9396 §12). */
function describe(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (value === null || value === undefined) return value === null ? "null" : "nothing";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function findType({ policy }: Server, type: string): AuthorizationDetailsType | undefined {
  const types = detailsTypes(policy) ?? {};
  return Object.hasOwn(types, type) ? types[type] : undefined;
}

function mayRequest(client: Client, type: string): boolean {
  return metadataOf(client).authorization_details_types?.includes(type) ?? true;
}

function assertDetails(server: Server, client: Client, details: AuthorizationDetails): void {
  const compiled = new Map<string, FindMismatch>();
  for (const [index, detail] of details.entries()) {
    const definition = assertType(server, client, detail, index);
    assertCommonFields(detail, index);
    const { type } = detail;
    if (!compiled.has(type)) compiled.set(type, compileSchema(closedSchema(definition)));
    const mismatch = compiled.get(type)!(detail);
    if (mismatch === undefined) continue;
    const { path, expected, received } = mismatch;
    throw expected === noSuchField
      ? reject("RA-03", { index, type, field: path.slice(1) })
      : reject("RA-03", { index, path, expected, received: describe(received) });
  }
}

function assertType(
  server: Server,
  client: Client,
  detail: AuthorizationDetail,
  index: number,
): AuthorizationDetailsType {
  // The type is unvalidated: the client may have sent any value.
  const type: unknown = detail.type;
  const definition = typeof type === "string" ? findType(server, type) : undefined;
  if (typeof type !== "string" || definition === undefined) {
    const known = Object.keys(detailsTypes(server.policy) ?? {});
    const received = typeof type === "string" ? `the unknown type ${quote(type)}` : describe(type);
    throw reject("RA-03", { index, path: ".type", expected: `one of ${known.join(", ")}`, received });
  }
  if (!mayRequest(client, type)) {
    const allowed = metadataOf(client).authorization_details_types!.join(", ") || "no authorization_details";
    const expected = `a type that this client may use: ${allowed}`;
    throw reject("RA-05", { index, path: ".type", expected, received: type });
  }
  return definition;
}

function assertCommonFields(detail: AuthorizationDetail, index: number): void {
  for (const name of [...listFields, identifierField]) {
    const value = detail[name];
    if (!Object.hasOwn(detail, name)) continue;
    if (name === identifierField ? isText(value) : Array.isArray(value) && value.every(isText)) continue;
    const expected = name === identifierField ? "a string that is not empty" : "an array of strings that are not empty";
    throw reject("RA-04", { index, path: `.${name}`, expected, received: describe(value) });
  }
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** The schema of a type, with the member `type` and without members that it does not define. */
function closedSchema({ schema }: AuthorizationDetailsType): JsonSchema {
  return { unevaluatedProperties: false, ...schema, properties: { type: true, ...schema.properties as JsonSchema } };
}

/**
 * The details that an approver grants: requested objects, or parts of them. They may be enriched if their type allows
 * it.
 *
 * @throws {Error} If the approver grants anything else.
 */
export function approvedDetails(
  server: Server,
  client: Client,
  requested: AuthorizationDetails,
  approved: AuthorizationDetails = [],
): AuthorizationDetails | undefined {
  const isAllowed = (detail: AuthorizationDetail, other: AuthorizationDetail) =>
    isWithinType(server, detail, other) ||
    detail.type === other.type && findType(server, detail.type)?.enrichable === true;
  if (findUnmatched(approved, requested, isAllowed) >= 0) {
    throw new Error("The approver granted authorization details that the client has not requested.");
  }
  assertDetails(server, client, approved);
  return approved.length === 0 ? undefined : approved;
}

function isWithinType(server: Server, detail: AuthorizationDetail, other: AuthorizationDetail): boolean {
  return isWithin(detail, other, findType(server, detail.type)?.narrowableLists);
}

/** Whether the client could still request the object: the types may have changed since its approval. */
function isStillAllowed(server: Server, client: Client, detail: AuthorizationDetail): boolean {
  try {
    assertDetails(server, client, [detail]);
    return true;
  } catch (error) {
    if (error instanceof OAuthError) return false;
    throw error;
  }
}

/**
 * The details of an access token: the requested part of the grant, or all of it. Objects that their type no longer
 * allows, or whose type was removed since the approval, are left out.
 *
 * @returns `items`: those of the access token; `granted`: those of the grant that are still allowed, if any.
 * @throws {OAuthError} `invalid_authorization_details` if the request asks for more than was granted.
 */
export function narrowDetails(
  server: Server,
  client: Client,
  { details: granted = [], scope }: GrantedDetails,
  params: Params,
): { readonly items: AuthorizationDetails; readonly granted?: AuthorizationDetails } {
  const registered = granted.filter((detail) => isStillAllowed(server, client, detail));
  if (registered.length < granted.length) {
    const texts = {
      reason: "the grant contains authorization_details that are no longer registered; they are left out",
      expected: Object.keys(detailsTypes(server.policy) ?? {}).join(" ") || "the setting authorizationDetails",
      received: granted.map(({ type }) => type).join(" "),
    };
    if (registered.length === 0 && scope.length === 0) {
      const message = "none of the granted authorization_details is still registered";
      throw new OAuthError("invalid_grant", message, { rule: "RA-09", internalRule: "RT-09", ...texts });
    }
    warn(server, client.id, {
      rule: "RT-09",
      ...texts,
      fix: "Register the types again, or start a new login that requests registered ones.",
    });
  }
  const isRequested = detailsTypes(server.policy) !== undefined &&
    params.get("authorization_details") !== undefined;
  const requested = isRequested ? readDetails(server, client, params) : undefined;
  const fits = (detail: AuthorizationDetail, other: AuthorizationDetail) => isWithinType(server, detail, other);
  const unmatched = requested === undefined ? -1 : findUnmatched(requested, registered, fits);
  if (unmatched >= 0) {
    throw reject("RA-09", { index: unmatched, type: requested![unmatched]!.type });
  }
  server.passed("RA-09");
  return { items: requested ?? registered, granted: registered.length > 0 ? registered : undefined };
}

/**
 * Reads the details that a client requests on its own behalf.
 *
 * @returns `undefined` for an empty list.
 * @throws {OAuthError} As {@link readDetails}, and if the operator does not allow the client to have them without a
 *   user.
 */
export function readOwnDetails(
  server: Server,
  client: Client,
  params: Params,
): AuthorizationDetails | undefined {
  const details = readDetails(server, client, params);
  for (const [index, { type }] of (details ?? []).entries()) {
    if (findType(server, type)?.clientsWithoutUser?.includes(client.id)) continue;
    const expected = "a type that this client may use without a user";
    throw reject("RA-10", { index, path: ".type", expected, received: type });
  }
  return details;
}

/**
 * Reads the details that an assertion grants: the objects of types that the client may use here.
 *
 * @throws {OAuthError} If the claim is not a list of objects, or an object does not match its type.
 */
export function readClaimedDetails(server: Server, client: Client, claim: unknown): AuthorizationDetails {
  if (detailsTypes(server.policy) === undefined) return [];
  const details = parseDetails(JSON.stringify(claim)).filter(({ type }) =>
    findType(server, type) !== undefined && mayRequest(client, type)
  );
  assertDetails(server, client, details);
  return details;
}

/**
 * The requested details whose types another authorization server supports.
 *
 * @throws {OAuthError} If the parameter is not a list of objects, or no type is allowed.
 */
export function limitDetails(
  params: Params,
  types: readonly string[],
  rejectTypes: (types: readonly string[]) => Error,
): AuthorizationDetails {
  const requested = parseDetails(params.get("authorization_details")!);
  const granted = requested.filter(({ type }) => types.includes(type));
  if (granted.length > 0 || requested.length === 0) return granted;
  const shown = requested.map(({ type }) => typeof type === "string" ? quote(type) : describe(type));
  throw rejectTypes(shown);
}

/**
 * The objects for these audiences: all objects except those that name only other locations. Without an audience: all
 * objects.
 */
export function visibleDetails(
  details: AuthorizationDetails,
  audiences: readonly string[],
): AuthorizationDetails | undefined {
  const uris = audiences.map(canonicalUri);
  const concerned = audiences.length === 0
    ? details
    : details.filter(({ locations }) =>
      !Array.isArray(locations) || locations.some((uri) => typeof uri === "string" && uris.includes(canonicalUri(uri)))
    );
  return concerned.length > 0 ? concerned : undefined;
}

/** Every field of every object, with the titles that the schema of its type has. */
export function describeDetails(
  { policy }: Server,
  details: AuthorizationDetails,
): readonly ConsentItem[] {
  return details.map((detail) => {
    const { [detail.type]: definition } = detailsTypes(policy) ?? {};
    const properties = definition?.schema.properties as Record<string, { title?: unknown } | undefined> | undefined;
    const fields = Object.entries(detail).filter(([name]) => name !== "type").flatMap(([name, value]) => {
      const title = properties?.[name]?.title;
      return showFields(typeof title === "string" ? title : printable(name), value);
    });
    return { type: detail.type, title: definition?.title, fields };
  });
}

function showFields(label: string, value: unknown): ConsentItem["fields"] {
  if (Array.isArray(value)) {
    if (value.some(isStructure)) return value.flatMap((item, i) => showFields(`${label} ${i + 1}`, item));
    return [{ label, values: value.map(showValue) }];
  }
  const inner = isStructure(value) ? Object.entries(value) : [];
  if (inner.length > 0) return inner.flatMap(([name, item]) => showFields(`${label} › ${printable(name)}`, item));
  return [{ label, values: isStructure(value) ? [] : [showValue(value)] }];
}

function isStructure(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Texts without control characters that would change how the rest of the page is displayed; other values as JSON. */
function showValue(value: unknown): string {
  return typeof value === "string" && value !== "" ? printable(value) : JSON.stringify(value);
}

/** All issues of types that match their description. */
export function validateAuthorizationDetails(types: Readonly<Record<string, AuthorizationDetailsType>>): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  for (const [type, { schema }] of Object.entries(types)) {
    if (type === "") {
      issues.push({
        path: "authorizationDetails",
        expected: "types with a name",
        received: quote(type),
        hint: "Write the value of the member type, such as payment.",
      });
    }
    const mistake = findSchemaMistake(schema);
    if (mistake === undefined) continue;
    issues.push({
      path: `authorizationDetails.${type}.schema${mistake.path}`,
      expected: mistake.expected,
      received: quote(mistake.received),
      hint: "Write JSON Schema 2020-12 without $id; $ref refers to an entry of $defs.",
    });
  }
  return issues;
}
