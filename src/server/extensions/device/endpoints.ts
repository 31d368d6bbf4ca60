/**
 * POST /oauth2/device_authorization (RFC 8628 §3.1): a device starts a login that the user completes in a browser. GET
 * and POST /device: the user types the code that the device shows, and continues to the decision (§3.3).
 */

import type { Approver } from "../../../core/authorize/approver.ts";
import { decideRequest } from "../../../core/authorize/authorize.ts";
import { readSession } from "../../../core/sessions/cookies.ts";
import { ensureBrowserCookie } from "../../../core/sessions/browser_cookie.ts";
import { type Context, readParams } from "../../../core/http/context.ts";
import { assertCsrfToken, type CsrfBinding, readSameOriginForm, withCsrfToken } from "../../pages/csrf.ts";
import { endpointPath, endpointUrl } from "../../../core/http/endpoint.ts";
import { traceRejection, withErrors } from "../../../core/responses/error_response.ts";
import { rejectUntrustedHost } from "../../../core/http/cross_site.ts";
import { clientEndpoint } from "../../../core/token/client_endpoint.ts";
import type { Handlers } from "../../../core/route.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { type HttpResponse, json } from "../../../core/http/message.ts";
import { htmlWithForms } from "../../../platform/http/response.ts";
import { describePolledRequest, type PendingRequest } from "../polled/polled_request.ts";
import { findDevice, formatUserCode, startDevice } from "./device_authorization.ts";
import { reject } from "./rules.ts";
import type { AuthenticationAttempt } from "../../clients/rate_limiter.ts";
import { Device, type DeviceProps } from "../../login/pages/device.tsx";
import type { Pages } from "../../pages.ts";
import { renderPage } from "../../../core/pages/render_page.ts";
import { explainUserCode } from "./explain_user_code.ts";
import { asServerPolicy } from "../../config/server_policy.ts";
import { decideImmediately } from "../polled/decide_immediately.ts";
import { pollInterval } from "./settings.ts";
import { deviceTexts } from "./explain.ts";

interface DevicePageOptions {
  /** Decides when the code is known: by login pages, or immediately. */
  readonly approver: Approver;
  /** Whether this page asks for the decision, because the approver shows no consent page. */
  readonly asks: boolean;
  /** Whether logins need no password. */
  readonly openLogin: boolean;
  /** The page of the embedding program. */
  readonly replacement: Pages["device"];
}

export function deviceHandlers({ approver, asks, openLogin, replacement }: DevicePageOptions): Handlers<HostedServer> {
  const show = ({ site }: Context, { part, status = 200, headers }: PageResponse): HttpResponse | Response =>
    htmlWithForms(status, renderPage(Device, { ...site, ...part }, replacement), headers);

  async function handleGet(context: Context): Promise<HttpResponse | Response> {
    if (openLogin) rejectUntrustedHost(context.server, context.request, "UI-20");
    const params = await readParams(context);
    if (params.get("error") !== undefined) return show(context, { part: { result: "denied" } });
    if (params.get("result") !== undefined) return show(context, { part: { result: "approved" } });
    // The link only fills in the code, because an attacker may have sent the link.
    return show(context, await codeForm(context, params.get("user_code") ?? ""));
  }

  async function handlePost(context: Context<HostedServer>): Promise<HttpResponse | Response> {
    const { server } = context;
    if (openLogin) rejectUntrustedHost(server, context.request, "UI-20");
    const params = await readSameOriginForm(context);
    const { secret } = await ensureBrowserCookie(context, "login");
    await assertCsrfToken(context, params, csrfBinding(secret));
    const typed = params.get("user_code") ?? "";
    const { fix } = deviceTexts["DV-02"];
    const attempts = await findAttempts(context);
    // No code between this check and the count of a failure waits, so concurrent guesses cannot exceed the limit.
    const device = await findDevice(server, typed, endpointPath(context.app, "device"));
    const wait = Math.max(...attempts.map((attempt) => server.rateLimiter?.retryAfter(attempt) ?? 0));
    if (wait > 0) {
      const reason = "too many wrong user codes";
      traceRejection(context, "access_denied", { rule: "DV-02", reason, expected: "fewer attempts", fix });
      const error = `Too many wrong codes. Try again in ${wait} s.`;
      return show(
        context,
        await codeForm(context, typed, { status: 429, error, headers: { "retry-after": String(wait) } }),
      );
    }
    if (device === undefined) {
      for (const attempt of attempts) server.rateLimiter?.recordFailure(attempt);
      const { reason, received, text } = await explainUserCode(server, typed);
      const expected = "the code that a device shows now";
      // The typed code is not traced: it may be almost right.
      traceRejection(context, "access_denied", { rule: "DV-02", reason, expected, received, fix });
      return show(context, await codeForm(context, typed, { status: 400, error: text }));
    }
    const { pending } = device;
    const decision = params.get("decision");
    if (asks && decision !== "allow" && decision !== "deny") {
      return await withErrors(
        context,
        { client: pending.client },
        async () => show(context, await confirmation(context, device)),
      );
    }
    return await withErrors(context, pending, async () => {
      if (asks && decision === "deny") throw reject("DV-06");
      return await decideRequest(context, pending, approver);
    });
  }

  return { GET: handleGet, POST: handlePost };
}

/** Guesses are limited for the network, and for the session across networks (RFC 8628 §5.1). */
async function findAttempts(context: Context): Promise<readonly AuthenticationAttempt[]> {
  const { address = "" } = context.target.clientAddress;
  const session = await readSession(context);
  return [
    { client: "user code", address },
    ...session === undefined ? [] : [{ client: "user code", address: `session ${session.sid}` }],
  ];
}

/** A part of the page, and how it is sent. */
interface PageResponse {
  readonly part: Pick<DeviceProps, "codeForm" | "confirmation" | "result">;
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

async function codeForm(
  context: Context,
  typed: string,
  { status, error, headers }: Omit<PageResponse, "part"> & { readonly error?: string } = {},
): Promise<PageResponse> {
  const userCode = formatUserCode(typed) ?? typed.slice(0, 40);
  const { action, fields, cookie } = await createForm(context, []);
  return { part: { codeForm: { action, fields, userCode, error } }, status, headers: { ...headers, ...cookie } };
}

async function confirmation(context: Context, device: PendingRequest): Promise<PageResponse> {
  const { client, request, destination } = device.pending;
  const { action, fields, cookie } = await createForm(context, [["user_code", destination.userCode!]]);
  const confirmation = {
    ...{ action, fields },
    client: { id: client.id, name: client.name },
    scope: request.scope,
    device: describePolledRequest(destination, device.record, context.target.clientAddress.address),
  };
  return { part: { confirmation }, headers: cookie };
}

async function createForm(context: Context, fields: readonly (readonly [string, string])[]) {
  const { secret, headers: cookie } = await ensureBrowserCookie(context, "login");
  return {
    action: endpointPath(context.app, "device"),
    fields: await withCsrfToken(context, fields, csrfBinding(secret)),
    cookie,
  };
}

function csrfBinding(holder: string): CsrfBinding {
  return { name: "device", holder };
}

/**
 * The handlers of the device authorization endpoint.
 *
 * @param approver Decides immediately, without the page `/device`. If it returns a response, the user decides on the
 *   page. Default: the user always does.
 */
export function deviceAuthorizationHandlers(approver?: Approver): Handlers {
  return clientEndpoint(async (server, { client, params }, context) => {
    // DNS rebinding: a page of an attacker could read the device code and get the tokens.
    if (approver !== undefined) rejectUntrustedHost(server, context.request, "UI-20");
    const { address } = context.target.clientAddress;
    const { deviceCode, userCode } = await startDevice(server, client, params, address);
    if (approver !== undefined) {
      const device = await findDevice(server, userCode, endpointPath(context.app, "device"));
      await decideImmediately(context, device!, approver);
    }
    const page = endpointUrl(context, "device");
    return json(200, {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${userCode}`,
      expires_in: asServerPolicy(server.policy).lifetimes.device_code,
      interval: pollInterval(server),
    });
  });
}
