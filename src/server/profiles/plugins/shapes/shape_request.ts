/** Requests in the form that a provider accepts, rewritten to the form of the standards. */

import { isForm, parseFields, peekForm, readBodyText, replaceForm } from "../../../../platform/http/form.ts";
import type { Fields } from "../../../../platform/http/form.ts";
import { parseJsonObject, replaceParts, type RequestLike } from "../../../../platform/http/message.ts";
import type { EndpointShape } from "../../../config/provider_shapes.ts";
import type { Explanation } from "../../../oauth/explanation.ts";
import { splitScope } from "../../../oauth/params.ts";

/** A deviation of a request from the standards that the provider accepts. */
export type Leniency = Explanation & { readonly fix: string };

interface ShapedRequest {
  readonly request: RequestLike;
  readonly leniencies: readonly Leniency[];
}

const jsonType = /^application\/json[ \t]*(?:;|$)/i;

/** The request as the server reads it. A request that cannot be read stays as it is: the server rejects it. */
export async function shapeRequest(
  request: RequestLike,
  shape: EndpointShape,
  provider: string,
): Promise<ShapedRequest> {
  const { accepts = [], parameters = {}, renames = {}, scopeSeparator, impliedScope } = shape;
  const leniencies: Leniency[] = [];
  const unchanged: ShapedRequest = { request, leniencies };
  const isUsual = scopeSeparator === undefined && impliedScope === undefined && accepts.length === 0;
  if (request.method === "OPTIONS" || isUsual && isEmpty(parameters) && isEmpty(renames)) return unchanged;
  if (request.method === "GET" && accepts.includes("query")) return moveToken(request, provider) ?? unchanged;
  const isPost = request.method === "POST";
  const isJson = isPost && accepts.includes("json") && jsonType.test(request.headers.get("content-type") ?? "");
  const queryStart = (request.url.indexOf("?") + 1) || request.url.length;
  const [path, query] = [request.url.slice(0, queryStart), request.url.slice(queryStart)];
  const isInQuery = isPost && accepts.includes("query") && query !== "";
  let received: Fields | undefined;
  try {
    received = isJson
      ? fieldsOfJson(await readBodyText(request))
      : isPost
      ? isForm(request) ? await peekForm(request) : isInQuery ? [] : undefined
      : parseFields(query);
    if (isInQuery && received !== undefined) received = [...parseFields(query), ...received];
  } catch {
    return unchanged;
  }
  if (received === undefined) return unchanged;
  if (isJson) {
    leniencies.push({
      reason: `${provider} accepts parameters as JSON; other servers do not`,
      expected: "application/x-www-form-urlencoded (RFC 6749 §3.2)",
      received: "application/json",
      fix: "Send a form, which the provider accepts too.",
    });
  }
  if (isInQuery) {
    leniencies.push({
      reason: `${provider} accepts parameters in the query; other servers do not, because logs contain URLs`,
      expected: "all parameters in the body (OAuth 2.1 §2.4.1)",
      received: "parameters in the query",
      fix: "Send a form in the body, which the provider accepts too.",
    });
  }
  const isRenamed = (name: string) => Object.hasOwn(renames, name);
  const fields = received.map(([name, value]) => [isRenamed(name) ? renames[name]! : name, value] as [string, string]);
  for (const [name, value] of Object.entries(parameters)) {
    if (fields.some(([other]) => other === name)) continue;
    fields.push([name, value]);
    leniencies.push({
      reason: `${provider} accepts a request without ${name}; other servers do not`,
      expected: `${name}=${value}`,
      received: `no ${name}`,
      fix: `Send ${name}=${value}, which the provider accepts too.`,
    });
  }
  for (const field of fields) {
    if (field[0] !== "scope" || scopeSeparator === undefined || !field[1].includes(scopeSeparator)) continue;
    leniencies.push({
      reason: `${provider} accepts scope values with "${scopeSeparator}" between them; other servers do not`,
      expected: "scope values with spaces between them (RFC 6749 §3.3)",
      received: field[1],
      fix: "Separate scope values by spaces, which the provider accepts too.",
    });
    field[1] = field[1].split(scopeSeparator).map((value) => value.trim()).join(" ");
  }
  const isImplied = impliedScope !== undefined && addScope(fields, impliedScope);
  if (leniencies.length === 0 && !isImplied && !received.some(([name]) => isRenamed(name))) return unchanged;
  if (isPost) {
    return { request: replaceForm(request, fields, isInQuery ? path.slice(0, -1) : request.url), leniencies };
  }
  const url = `${path.replace(/\??$/, "?")}${new URLSearchParams(fields)}`;
  return { request: replaceParts(request, { url, original: request }), leniencies };
}

/** The request with the token of its query in the header; `undefined` unless it has exactly that token. */
function moveToken(request: RequestLike, provider: string): ShapedRequest | undefined {
  const [url = "", query = ""] = request.url.split("?");
  const [token, ...others] = [...query.matchAll(/(?:^|&)access_token=([\w.~-]*)(?=&|$)/g)];
  if (!token?.[1] || others.length > 0 || request.headers.get("authorization") !== null) return undefined;
  const headers: RequestLike["headers"] = {
    get: (name) => name.toLowerCase() === "authorization" ? `Bearer ${token[1]}` : request.headers.get(name),
  };
  return {
    request: replaceParts(request, { url, headers, original: request }),
    leniencies: [{
      rule: "BR-01",
      reason:
        `the access token was sent in the query, which logs contain: ${provider} lets this pass; OAuth 2.1 does not`,
      expected: "Authorization: Bearer TOKEN (OAuth 2.1 §5.1)",
      received: "access_token in the query",
      fix: "Send the token in the header Authorization, which the provider accepts too.",
    }],
  };
}

/** The members of a JSON object as parameters; `undefined` if one is neither a text nor a number or a boolean. */
function fieldsOfJson(json: string): Fields | undefined {
  const entries = Object.entries(parseJsonObject(json) ?? { invalid: {} }).filter(([, value]) => value !== null);
  const isScalar = entries.every(([, value]) => ["string", "number", "boolean"].includes(typeof value));
  return isScalar ? entries.map(([name, value]) => [name, String(value)]) : undefined;
}

/** Adds a scope value; returns whether it was missing. */
function addScope(fields: [string, string][], value: string): boolean {
  const scope = fields.find(([name]) => name === "scope");
  if (scope === undefined) fields.push(["scope", value]);
  else if (splitScope(scope[1]).includes(value)) return false;
  else scope[1] = `${scope[1]} ${value}`.trim();
  return true;
}

function isEmpty(object: object): boolean {
  return Object.keys(object).length === 0;
}
