/** The parameters of a request. */

import { parseFields, readForm } from "../http/form.ts";
import type { MaybePromise } from "../oauth/maybe_promise.ts";
import { paramsFromFields } from "../oauth/params.ts";
import type { Params } from "../oauth/params.ts";
import type { Context } from "./context.ts";

/**
 * Reads the parameters of a request: from the form of a POST, otherwise from the query.
 *
 * @throws {HttpError} If they cannot be decoded.
 */
export function readParams({ request, target, unrepeatable }: Context): MaybePromise<Params> {
  return request.method === "POST"
    ? readForm(request).then((fields) => paramsFromFields(fields, unrepeatable))
    : paramsFromFields(parseFields(target.query), unrepeatable);
}
