/** Short names of the endpoints, as tests and people call them. */

/** What an endpoint is called; `page` is everything for people that is none of the others, static files included. */
export type EndpointName =
  | "authorize"
  | "login"
  | "consent"
  | "token"
  | "jwks"
  | "userinfo"
  | "revoke"
  | "introspect"
  | "logout"
  | "discovery"
  | "page";

const namesByPath: Readonly<Record<string, EndpointName>> = {
  "/oauth2/authorize": "authorize",
  "/oauth2/login": "login",
  "/oauth2/consent": "consent",
  "/oauth2/token": "token",
  "/oauth2/jwks": "jwks",
  "/oauth2/userinfo": "userinfo",
  "/oauth2/revoke": "revoke",
  "/oauth2/introspect": "introspect",
  "/oauth2/logout": "logout",
};

const allNames = new Set<string>([...Object.values(namesByPath), "discovery", "page"]);

/**
 * Refuses a name that is none, as it can come from JavaScript.
 *
 * @param alsoAllowed What is allowed besides.
 * @throws {TypeError}
 */
export function assertEndpointName(name: string, ...alsoAllowed: readonly string[]): void {
  const allowed = [...allNames, ...alsoAllowed];
  if (allowed.includes(name)) return;
  throw new TypeError(`There is no endpoint ${JSON.stringify(name)}: expected ${allowed.join(", ")}.`);
}

/** The name of the endpoint at a path; `base` is the path of the issuer, without a slash at its end. */
export function endpointName(base: string, path: string): EndpointName {
  if (path.startsWith("/.well-known/") || path.startsWith(`${base}/.well-known/`)) return "discovery";
  const relativePath = path.startsWith(`${base}/`) ? path.slice(base.length) : path;
  return Object.hasOwn(namesByPath, relativePath) ? namesByPath[relativePath]! : "page";
}
