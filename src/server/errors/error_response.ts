/** Error responses of the whole server: the channels of the core, plain text and problem details. */

import type { Context, CoreApp, FailedRequest } from "../../core/http/context.ts";
import { errorHandler } from "../../core/authorize/error_response.ts";
import { type HttpResponse, withHeaders } from "../../core/http/message.ts";
import { plainText } from "../../platform/http/response.ts";
import { toOAuthError } from "../../core/http/json_error.ts";
import { rejectionProblem } from "./problem_response.ts";
import type { Pages } from "../pages.ts";
import { explainedWording } from "./error_wording.ts";
import { explanationUrl } from "./explanation_url.ts";

/**
 * Creates the function that creates the error response for a value that a handler threw. On test hosts the header
 * `Link` leads to the page that explains the error (RFC 8288), for clients that show headers and no body.
 *
 * @param replacement The error page of the embedding program.
 */
export function explainedErrorHandler(
  replacement: Pages["error"],
): CoreApp["handleError"] {
  const wording = explainedWording(replacement);
  const handleError = errorHandler(wording);
  return async (thrown, context, about = {}) => {
    const url = explanationUrl(context, thrown);
    const response = await respond(thrown, context, about);
    return url === undefined ? response : withHeaders(response, { link: `<${url}>; rel="help"` });
  };

  async function respond(thrown: unknown, context: Context, about: FailedRequest): Promise<HttpResponse | Response> {
    const { server, endpoint, target } = context;
    switch (endpoint?.errors) {
      case "text": {
        // One line. Only internal errors are traced.
        const { status, message } = toOAuthError(server, target.path, thrown);
        return plainText(status, message);
      }
      case "problem": {
        // RFC 9457.
        const explained = await wording.explain!(context, thrown);
        return rejectionProblem(server.issuer, wording.toError(context, explained, about));
      }
      default:
        return await handleError(thrown, context, about);
    }
  }
}
