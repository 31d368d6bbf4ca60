/** A driver of oidc-client-ts (version 3). */

import { randomId } from "../../oauth/secrets.ts";
import { randomPool } from "../../runtime/crypto.ts";
import type { ClientDriver } from "../driver.ts";
import { withGlobalFetch } from "./global_fetch.ts";
import { defaultScope, type DriverOptions, methodOf } from "./options.ts";

/** Options of {@link oidcClientTsDriver}. */
export interface OidcClientTsOptions extends DriverOptions {
  /** Further settings of the `UserManager`, such as `requestTimeoutInSeconds`. Default: none. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** The members of a `User` of the library that the driver uses. */
export interface OidcClientTsUser {
  /** The claims of the ID token and of userinfo. */
  readonly profile: { readonly sub: string };
}

/** The members of a `UserManager` of the library that the driver uses. */
export interface OidcClientTsManager {
  /** The timers of the session. */
  readonly events: { unload(): unknown };
  /** Begins a login. */
  signinRedirect(parameters: { readonly nonce?: string }): Promise<void>;
  /** Ends a login. */
  signinRedirectCallback(url: string): Promise<OidcClientTsUser>;
  /** Refreshes the tokens. */
  signinSilent(): Promise<OidcClientTsUser | null>;
}

/** The members of oidc-client-ts that the driver uses. */
export interface OidcClientTsModule {
  /** The client; its second argument is the navigator, which opens URLs. */
  readonly UserManager: new (settings: never, redirectNavigator: never) => OidcClientTsManager;
  /** Stores states and users. */
  readonly WebStorageStateStore: new (options: never) => unknown;
  /** A storage outside of a browser. */
  readonly InMemoryWebStorage: new () => unknown;
}

/**
 * Drives the `UserManager` of [oidc-client-ts](https://github.com/authts/oidc-client-ts) with `loadUserInfo` and a
 * nonce. `signinSilent` refreshes the tokens. The library uses the global fetch, which is replaced during its requests.
 *
 * @param oidc The module: `import * as oidc from "oidc-client-ts"`.
 *
 * @example
 * ```ts ignore
 * const report = await checkClient(oidcClientTsDriver(oidc));
 * ```
 */
export function oidcClientTsDriver(oidc: OidcClientTsModule, options: OidcClientTsOptions = {}): ClientDriver {
  const { name = "oidc-client-ts", client: registration, scope = defaultScope, settings = {} } = options;
  const random = randomPool();
  const newStore = () => new oidc.WebStorageStateStore({ store: new oidc.InMemoryWebStorage() } as never);
  return {
    name,
    client: registration,
    verifiesIdTokenSignature: false,
    async logIn({ issuer, client, redirectUri, fetch, signal, authorize }) {
      const method = methodOf("oidcClientTsDriver", client);
      let authorizationUrl = "";
      const navigator = {
        prepare: () =>
          Promise.resolve({ navigate: ({ url }: { url: string }) => void (authorizationUrl = url), close() {} }),
        callback: () => Promise.resolve(),
      };
      const manager = new oidc.UserManager(
        {
          authority: issuer,
          client_id: client.client_id,
          client_secret: client.client_secret,
          client_authentication: method === "none" ? undefined : method,
          redirect_uri: redirectUri,
          scope,
          loadUserInfo: true,
          automaticSilentRenew: false,
          stateStore: newStore(),
          userStore: newStore(),
          ...settings,
        } as never,
        navigator as never,
      );
      signal.addEventListener("abort", () => manager.events.unload(), { once: true });
      await withGlobalFetch(fetch, () => manager.signinRedirect({ nonce: randomId(random) }));
      const { url } = await authorize(authorizationUrl);
      const { profile } = await withGlobalFetch(fetch, () => manager.signinRedirectCallback(url));
      return {
        sub: profile.sub,
        claims: { ...profile },
        refresh: async () => void await withGlobalFetch(fetch, () => manager.signinSilent()),
      };
    },
  };
}
