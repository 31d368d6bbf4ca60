/** Loads, once the server listens, the modules that requests import when they first need them. */

import { addPlugins, type Product, type Program, reportWarning } from "./program.ts";

type Load = () => Promise<unknown>;

/** What any server may need. */
const ofServer: readonly Load[] = [
  () => import("../../core/pages/render_page.ts"),
  () => import("../../core/keys/verify_jwt.ts"),
  () => import("../../server/config/json_syntax_error.ts"),
  () => import("../../server/hosting/page_handlers.ts"),
  () => import("../../server/errors/error_wording.ts"),
  () => import("../../server/pages/error_page.tsx"),
  () => import("../../core/pages/plain_pages.tsx"),
  () => import("../../core/discovery.ts"),
  () => import("../../core/demo/authorized.ts"),
  () => import("../../core/demo/demo_flow.ts"),
  () => import("../../core/pages/home.ts"),
  () => import("../../core/token/introspect.ts"),
  () => import("../../core/token/revoke.ts"),
  () => import("../../core/token/userinfo.ts"),
  () => import("../../platform/runtime/certificate.ts"),
  () => import("../../platform/runtime/safe_fetch.ts"),
  () => import("../../platform/runtime/scrypt.ts"),
  () => import("../../resource/connect_handlers.ts"),
  () => import("../../resource/hosted_handlers.ts"),
  () => import("../../server/explain/access_token.ts"),
  () => import("../../server/extensions/assertion_authentication/verify_assertion.ts"),
  () => import("../../server/extensions/assertion_grants/grant_type.ts"),
  () => import("../../server/extensions/authorization_details/details.ts"),
  () => import("../../server/extensions/ciba/endpoints.ts"),
  () => import("../../server/extensions/ciba/notify_client.ts"),
  () => import("../../server/extensions/client_documents/document_clients.ts"),
  () => import("../../server/extensions/client_logout/channels.ts"),
  () => import("../../server/extensions/device/endpoints.ts"),
  () => import("../../server/extensions/dpop/respond.ts"),
  () => import("../../server/extensions/encrypted_responses/encrypt.ts"),
  () => import("../../server/extensions/mutual_tls/authenticate.ts"),
  () => import("../../server/extensions/par/pushed_request.ts"),
  () => import("../../server/extensions/polled/poll.ts"),
  () => import("../../server/extensions/registration/endpoints.ts"),
  () => import("../../server/extensions/requested_claims/requested_claims.ts"),
  () => import("../../server/extensions/response_types/id_token_response.ts"),
  () => import("../../server/extensions/shared_signals/handlers.ts"),
  () => import("../../server/extensions/signed_requests/request_object.ts"),
  () => import("../../server/extensions/token_exchange/grant_type.ts"),
  () => import("../../server/login/mod.ts"),
  () => import("../../server/profiles/keycloak_handlers.ts"),
  () => import("../../server/rules.ts"),
  () => import("../../testing/user_decisions.ts"),
];

/** What the tools for developers need besides. */
const ofTools: readonly Load[] = [
  () => import("../../devtools/handlers.ts"),
  () => import("../../check/check_page_handlers.ts"),
  () => import("../../check/fault.ts"),
  () => import("../../check/open_check.ts"),
  () => import("../../testing/fault_pages/handlers.ts"),
];

/**
 * A server runs for a long time: an update of its folder must not mix two versions, and nobody may use up the file
 * descriptors that the first request for a page needs. From source, Deno also downloads packages now. The first tick of
 * each second is after the first requests, which this does not delay.
 */
export const withModules: Product = (program) => {
  let loading: Promise<void> | undefined;
  return addPlugins(program, {
    setup(_, { everySecond }) {
      everySecond(() => void (loading ??= loadModules(program)));
    },
  });
};

/** One after the other, so that requests are answered in between. */
async function loadModules(program: Program): Promise<void> {
  const { inspectorEnabled, faultsEnabled } = program;
  try {
    for (const load of [...ofServer, ...inspectorEnabled || faultsEnabled ? ofTools : []]) await load();
  } catch (error) {
    const message = `The pages do not work, because their packages cannot be loaded: ${(error as Error).message} ` +
      "Start once with a network.";
    reportWarning(program, { path: "pages", message });
  }
}
