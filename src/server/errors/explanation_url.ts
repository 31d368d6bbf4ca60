/** The link from an error to the page that explains it. */

import { HttpError } from "../../core/http/message.ts";
import { OAuthError } from "../../core/rules/errors.ts";
import type { Context } from "../../core/http/context.ts";
import type { Site } from "../pages/layout.tsx";
import { flowUrl } from "../app.ts";
import { isCrossSite, isTrustedHost } from "../../core/http/cross_site.ts";

/**
 * The URL of the recorded step that explains an error; otherwise the URL of the page of its rule; `undefined` if the
 * server has neither. It is used only on test hosts, because these pages are not public on real hosts.
 */
export function explanationUrl(context: Context, thrown: unknown): string | undefined {
  const { server } = context;
  const site: Site = context.site;
  const flow = flowUrl(context);
  if (!server.policy.allows.explanations || isForOtherSite(context)) return undefined;
  const rule = flow === undefined ? publicRule(thrown) : undefined;
  if (rule === undefined || site.rulesPath === undefined) return flow;
  return `${server.names.frontChannel}${site.base}${site.rulesPath}/${rule}`;
}

/** Whether a script of another site may read the response: it may call endpoints for programs and unknown paths. */
function isForOtherSite(context: Context): boolean {
  const { endpoint, server, request } = context;
  if (endpoint?.caller === "browser") return false;
  return isCrossSite(context) || endpoint === undefined && !isTrustedHost(server, request);
}

/** The rule that the page of an error names. */
function publicRule(thrown: unknown): string | undefined {
  if (thrown instanceof HttpError) return thrown.rule;
  return thrown instanceof OAuthError ? thrown.explainToUser().rule : "AZ-22";
}
