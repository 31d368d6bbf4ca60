/** A driver of oidc-client-ts (version 3). */

import { randomId } from "../../../../src/core/keys/secrets.ts";
import { randomBytes } from "../../../../src/core/keys/crypto.ts";
import type { ClientDriver } from "../../../../src/check/driver.ts";
import { withGlobalFetch } from "./global_fetch.ts";
import * as oidc from "oidc-client-ts";
import { type DriverOptions, methodOf, scope } from "./options.ts";

/**
 * Drives the `UserManager` of [oidc-client-ts](https://github.com/authts/oidc-client-ts) with `loadUserInfo` and a
 * nonce. `signinSilent` refreshes the tokens. The library uses the global fetch, which is replaced during its requests.
 */
export function oidcClientTsDriver({ client: registration }: DriverOptions = {}): ClientDriver {
  const newStore = () => new oidc.WebStorageStateStore({ store: new oidc.InMemoryWebStorage() });
  return {
    name: "oidc-client-ts",
    client: registration,
    async logIn({ issuer, client, redirectUri, fetch, signal, authorize }) {
      const method = methodOf("oidcClientTsDriver", client);
      let authorizationUrl = "";
      const navigate = ({ url }: { readonly url: string }) => {
        authorizationUrl = url;
        return Promise.resolve({ url });
      };
      const navigator = { prepare: () => Promise.resolve({ navigate, close() {} }), callback: () => Promise.resolve() };
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
        },
        navigator,
      );
      signal.addEventListener("abort", () => manager.events.unload(), { once: true });
      await withGlobalFetch(fetch, () => manager.signinRedirect({ nonce: randomId(randomBytes) }));
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
