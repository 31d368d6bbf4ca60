/**
 * Drivers of client libraries and web applications for {@link checkClient}. A driver takes the module of the library as
 * an argument, so Latchkey does not depend on the library.
 *
 * @example
 * ```ts ignore
 * import { checkClient } from "@latchkey/latchkey/check";
 * import { openidClientDriver } from "@latchkey/latchkey/check/drivers";
 * import * as openid from "openid-client";
 *
 * const report = await checkClient(openidClientDriver(openid));
 * console.log(String(report));
 * ```
 *
 * @module
 */

export { authJsDriver } from "./auth_js.ts";
export type { AuthJsModule, AuthJsOptions } from "./auth_js.ts";
export { browserApplication } from "./browser_application.ts";
export type { BrowserApplicationOptions, BrowserPage } from "./browser_application.ts";
export { mcpSdkDriver } from "./mcp_sdk.ts";
export type { McpSdkClient, McpSdkModule, McpSdkOptions, McpSdkTransport } from "./mcp_sdk.ts";
export { oauth4webapiDriver } from "./oauth4webapi.ts";
export type {
  Oauth4webapiClient,
  Oauth4webapiModule,
  Oauth4webapiOptions,
  Oauth4webapiServer,
  Oauth4webapiTokens,
} from "./oauth4webapi.ts";
export { oidcClientTsDriver } from "./oidc_client_ts.ts";
export type {
  OidcClientTsManager,
  OidcClientTsModule,
  OidcClientTsOptions,
  OidcClientTsUser,
} from "./oidc_client_ts.ts";
export { openidClientDriver } from "./openid_client.ts";
export type { OpenidClientModule, OpenidClientOptions, OpenidClientTokens } from "./openid_client.ts";
export type { DriverOptions } from "./options.ts";
export { webApplication } from "./web_application.ts";
export type { WebApplicationOptions } from "./web_application.ts";
