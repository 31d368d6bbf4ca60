/** Reads the input of a verb: a query for verbs that read, a JSON object for all others. */

import { type Context, readParams } from "../../core/http/context.ts";
import { readJsonObject } from "../../platform/http/json_body.ts";
import type { Field } from "../../core/policy/field.ts";
import { reject } from "../../server/rules/mod.ts";
import type { Verb } from "./verb.ts";

/**
 * Reads the input, without validating it.
 *
 * @throws {HttpError} If the body is not a JSON object.
 * @throws {OAuthError} If a parameter is repeated.
 */
export async function readInput(context: Context, { reads, input }: Verb): Promise<Readonly<Record<string, unknown>>> {
  if (!reads) return withDocumentedNames(await readJsonObject(context.request, "CO-04"), input.members);
  const params = await readParams(context);
  params.rejectRepeated((facts) => reject("CO-05", facts));
  const names = [...new URLSearchParams(context.target.query).keys()];
  const texts = Object.fromEntries(names.map((name) => [name, params.get(name)]));
  return Object.fromEntries(
    Object.entries(withDocumentedNames(texts, input.members)).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, parseText(input.members[name], text as string)]]
    ),
  );
}

/** Names with one meaning: a verb documents one of them, and accepts the others. */
const synonyms = [
  ["sub", "user"],
  ["client", "client_id"],
  ["idToken", "id_token", "id_token_hint"],
  ["accessToken", "access_token"],
  ["metadata", "claims"],
  ["userCode", "user_code"],
  ["authReqId", "auth_req_id"],
] as const;

/** The input with the documented name of each member that was sent by a synonym. */
function withDocumentedNames(
  input: Readonly<Record<string, unknown>>,
  members: Verb["input"]["members"],
): Readonly<Record<string, unknown>> {
  const documented = (name: string): string => {
    if (Object.hasOwn(members, name)) return name;
    const names = synonyms.find((group) => group.some((one) => one === name)) ?? [];
    return names.find((one) => Object.hasOwn(members, one) && !Object.hasOwn(input, one)) ?? name;
  };
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [documented(name), value]));
}

/** Converts a parameter to the type of its field; returns the text unchanged if it is not of that type. */
function parseText(field: Field | undefined, text: string): unknown {
  if (field?.type === "integer") return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  if (field?.type === "boolean") return text === "true" || text === "false" ? text === "true" : text;
  return text;
}
