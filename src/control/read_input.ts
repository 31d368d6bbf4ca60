/** Reads the input of a verb: a query for verbs that read, a JSON object for all others. */

import type { Context } from "../app/context.ts";
import { readParams } from "../app/client_endpoint.ts";
import { readJsonObject } from "../http/json_body.ts";
import type { Field } from "../oauth/config/field.ts";
import type { Verb } from "./verb.ts";

/**
 * Reads the input, without validating it.
 *
 * @throws {HttpError} If the body is not a JSON object.
 * @throws {OAuthError} If a parameter is repeated.
 */
export async function readInput(context: Context, { reads, input }: Verb): Promise<Readonly<Record<string, unknown>>> {
  if (!reads) return await readJsonObject(context.request, "CO-04");
  const params = await readParams(context);
  params.rejectRepeated("CO-05");
  const names = [...new URLSearchParams(context.target.query).keys()];
  return Object.fromEntries(names.flatMap((name) => {
    const text = params.get(name);
    return text === undefined ? [] : [[name, parseText(input.members[name], text)]];
  }));
}

/** Converts a parameter to the type of its field; returns the text unchanged if it is not of that type. */
function parseText(field: Field | undefined, text: string): unknown {
  if (field?.type === "integer") return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  if (field?.type === "boolean") return text === "true" || text === "false" ? text === "true" : text;
  return text;
}
