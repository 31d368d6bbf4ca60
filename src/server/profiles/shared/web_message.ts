/**
 * Authorization responses in a message to the page that opened the request in a frame or a window, which no final
 * specification defines. The receiver is the origin of the redirect URI and no other.
 */

import type { App } from "../../app.ts";
import type { Plugin } from "../../hosting/options.ts";
import { type HttpRequest, type HttpResponse, isResponse } from "../../../core/http/message.ts";
import { replaceParts } from "../../../platform/http/changed_request.ts";
import { parseFields } from "../../../core/http/form.ts";
import { parseTarget } from "../../../core/http/router.ts";
import { boundedCache } from "../../../platform/bounded_cache.ts";
import { framedPage } from "./framed_page.ts";

/** Maximum number of requests that wait for a login on pages. */
const maxPending = 1000;

/**
 * The functions of a plugin that accept a response mode.
 *
 * @param mode The value of `response_mode`.
 * @param toMessage The message with the parameters of a response.
 */
export function webMessage(
  mode: string,
  toMessage: (response: Readonly<Record<string, string>>) => object,
): Required<Pick<Plugin, "setup" | "handle">> {
  let app: App | undefined;
  /** The requests that asked for a message, by redirect URI and `state`, until their responses. */
  const pending = boundedCache<true>(maxPending);
  const keyOf = (uri: string | undefined, state: string | undefined) => `${uri} ${state}`;

  /** The request in the mode `form_post`, whose checks and parameters are the same; `undefined` for other modes. */
  function asFormPost(request: HttpRequest): HttpRequest | undefined {
    const { query } = parseTarget(request.url, {});
    if (request.method !== "GET" || !query.includes(mode)) return undefined;
    const fields = new Map(parseFields(query));
    const state = fields.get("state");
    if (fields.get("response_mode") !== mode || state === undefined) return undefined;
    pending.set(keyOf(fields.get("redirect_uri"), state), true);
    const url = request.url.replace(`response_mode=${mode}`, "response_mode=form_post");
    return replaceParts(request, { url, original: request });
  }

  function toMessagePage(response: HttpResponse | Response): HttpResponse | Response {
    if (isResponse(response) || response.form === undefined || app === undefined) return response;
    const { action, fields } = response.form;
    const members = Object.fromEntries(fields);
    const key = keyOf(action, members.state);
    if (pending.get(key) === undefined || !/^https?:/.test(action)) return response;
    pending.delete(key);
    const { origin } = new URL(action);
    const { "set-cookie": cookie } = response.headers;
    const extra: Record<string, string> = cookie === undefined ? {} : { "set-cookie": cookie };
    const text = "This page returns the response to the page that opened it.";
    return framedPage(app.server, [origin], messageScript(toMessage(members), origin), text, extra);
  }

  return {
    setup: (assembled) => void (app = assembled),
    handle: (next) => async (request, peer) => {
      let formPost: HttpRequest | undefined;
      try {
        formPost = asFormPost(request);
      } catch {
        // The server rejects a query that cannot be decoded.
      }
      return toMessagePage(await next(formPost ?? request, peer));
    },
  };
}

function messageScript(message: object, origin: string): string {
  const json = JSON.stringify({ message, origin }).replace(/[<>&\u2028\u2029]/g, toEscape);
  return `{const{message,origin}=${json},target=window.opener??(window.parent===window?undefined:window.parent);` +
    `target?.postMessage(message,origin)}`;
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
