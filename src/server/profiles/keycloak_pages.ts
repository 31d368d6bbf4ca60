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
  return [
    {
      ...{ name: "keycloak_login_status", path: `${at}/login-status-iframe.html`, methods: ["GET"], role: "page" },
      ...{ caller: "browser", title: "Frame that watches the login", errors: "page" },
      load: async () => ({ GET: (await load()).loginStatusFrame }),
    },
    {
      ...{ name: "keycloak_login_check", path: `${at}/login-status-iframe.html/init`, methods: ["GET"], role: "page" },
      ...{ caller: "browser", title: "Whether the login is the same", errors: "json" },
      parameters: parameters("client_id", "origin", "session_state"),
      load: async () => ({ GET: (await load()).checkLogin }),
    },
    {
      ...{ name: "keycloak_cookie_test", path: `${at}/3p-cookies/step1.html`, methods: ["GET"], role: "page" },
      ...{ caller: "browser", title: "Frame that sets a cookie", errors: "page" },
      load: async () => ({ GET: (await load()).setTestCookie }),
    },
    {
      ...{ name: "keycloak_cookie_result", path: `${at}/3p-cookies/step2.html`, methods: ["GET"], role: "page" },
      ...{ caller: "browser", title: "Frame that reads the cookie", errors: "page" },
      load: async () => ({ GET: (await load()).readTestCookie }),
    },
    ...realmPath.test(base) ? [realm] : [],
  ];
}

/** The path of an issuer that is a realm. */
const realmPath = /\/realms\/[^/]+$/;
