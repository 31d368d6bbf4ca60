/**
 * Authorization responses in a message to the page that opened the request in a frame or a window, which no final
 * specification defines. The receiver is the origin of the redirect URI and no other.
 */

import type { App } from "../../app.ts";
import type { Plugin } from "../../hosting/options.ts";
import { html, isResponse, type RequestLike, type ResponseLike } from "../../../core/http/message.ts";
import { replaceParts } from "../../../platform/http/changed_request.ts";
import { parseFields } from "../../../core/http/form.ts";
import { parseTarget } from "../../../core/router.ts";
import { boundedCache } from "../../../platform/bounded_cache.ts";
import { randomId } from "../../../core/secrets.ts";

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
  function asFormPost(request: RequestLike): RequestLike | undefined {
    const { query } = parseTarget(request.url, {});
    if (request.method !== "GET" || !query.includes(mode)) return undefined;
    const fields = new Map(parseFields(query));
    const state = fields.get("state");
    if (fields.get("response_mode") !== mode || state === undefined) return undefined;
    pending.set(keyOf(fields.get("redirect_uri"), state), true);
    const url = request.url.replace(`response_mode=${mode}`, "response_mode=form_post");
    return replaceParts(request, { url, original: request });
  }

  function toMessagePage(response: ResponseLike): ResponseLike {
    if (isResponse(response) || response.form === undefined || app === undefined) return response;
    const { action, fields } = response.form;
    const members = Object.fromEntries(fields);
    const key = keyOf(action, members.state);
    if (pending.get(key) === undefined || !/^https?:/.test(action)) return response;
    pending.delete(key);
    const { origin } = new URL(action);
    const nonce = randomId(app.server.randomBytes);
    const { "set-cookie": cookie } = response.headers;
    const policy = `default-src 'none'; script-src 'nonce-${nonce}'; base-uri 'none'; frame-ancestors ${origin}`;
    const page = html(200, messagePage(nonce, toMessage(members), origin), {
      "content-security-policy": policy,
      ...cookie !== undefined && { "set-cookie": cookie },
    });
    const { "x-frame-options": _, ...headers } = page.headers;
    return { ...page, headers };
  }

  return {
    setup: (assembled) => void (app = assembled),
    handle: (next) => async (request, peer) => {
      let formPost: RequestLike | undefined;
      try {
        formPost = asFormPost(request);
      } catch {
        // The server rejects a query that cannot be decoded.
      }
      return toMessagePage(await next(formPost ?? request, peer));
    },
  };
}

function messagePage(nonce: string, message: object, origin: string): string {
  const json = JSON.stringify({ message, origin }).replace(/[<>&\u2028\u2029]/g, toEscape);
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Response</title></head><body>` +
    `<p>This page returns the response to the page that opened it.</p><script nonce="${nonce}">` +
    `{const{message,origin}=${json},target=window.opener??(window.parent===window?undefined:window.parent);` +
    `target?.postMessage(message,origin)}</script></body></html>`;
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
