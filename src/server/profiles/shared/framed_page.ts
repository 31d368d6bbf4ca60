/** Pages that only pages of named origins can frame, and whose only content is a script. */

import { html, type HttpResponse } from "../../../core/http/message.ts";
import { randomId } from "../../../core/keys/secrets.ts";
import type { Server } from "../../../core/server.ts";
import { policyOrigin } from "../../login/client_presentation.ts";

/**
 * Makes the page.
 *
 * @param origins The pages that can frame it.
 * @param script Its code, without `</script`.
 * @param text A sentence for users who open it.
 */
export function framedPage(
  { randomBytes }: Pick<Server, "randomBytes">,
  origins: readonly string[],
  script: string,
  text: string,
  extra: Readonly<Record<string, string>> = {},
): HttpResponse {
  const nonce = randomId(randomBytes);
  const ancestors = origins.filter((origin) => policyOrigin.test(origin)).join(" ") || "'none'";
  const page = html(
    200,
    `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Response</title></head><body>` +
      `<p>${text}</p><script nonce="${nonce}">${script}</script></body></html>`,
    {
      "content-security-policy": `default-src 'none'; script-src 'nonce-${nonce}'; connect-src 'self'; ` +
        `base-uri 'none'; frame-ancestors ${ancestors}`,
      ...extra,
    },
  );
  const { "x-frame-options": _, ...headers } = page.headers;
  return { ...page, headers };
}
