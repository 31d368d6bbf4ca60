/** What keycloak-js loads in frames, and the public document of a realm. */

import type { App } from "../app.ts";
import type { Endpoint } from "../endpoint.ts";
import { parameters } from "../../core/http/params.ts";

/** The endpoints of a realm besides those of OpenID Connect. */
export function keycloakPages({ site: { base } }: App): readonly Endpoint[] {
  const at = `${base}/protocol/openid-connect`;
  const load = () => import("./keycloak_handlers.ts");
  const realm: Endpoint = {
    ...{ name: "keycloak_realm", path: base, methods: ["GET"], role: "document", cors: true },
    ...{ caller: "any", title: "Realm", errors: "json" },
    load: async () => ({ GET: (await load()).showRealm }),
  };
  const page = (
    [name, path, title]: readonly [name: string, path: string, title: string],
    handler: "loginStatusFrame" | "checkLogin" | "setTestCookie" | "readTestCookie",
    more: Partial<Endpoint> = {},
  ): Endpoint => ({
    ...{ name: `keycloak_${name}`, path: `${at}/${path}`, methods: ["GET"], role: "page" },
    ...{ caller: "browser", title, errors: "page", ...more },
    load: async () => ({ GET: (await load())[handler] }),
  });
  return [
    page(["login_status", "login-status-iframe.html", "Frame that watches the login"], "loginStatusFrame"),
    page(["login_check", "login-status-iframe.html/init", "Whether the login is the same"], "checkLogin", {
      ...{ errors: "json", parameters: parameters("client_id", "origin", "session_state") },
    }),
    page(["cookie_test", "3p-cookies/step1.html", "Frame that sets a cookie"], "setTestCookie"),
    page(["cookie_result", "3p-cookies/step2.html", "Frame that reads the cookie"], "readTestCookie"),
    ...realmPath.test(base) ? [realm] : [],
  ];
}

/** The path of an issuer that is a realm. */
const realmPath = /\/realms\/[^/]+$/;
