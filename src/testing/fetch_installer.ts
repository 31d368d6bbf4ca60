/** Installs the fetch of a mock: for the origin of its issuer, or for the origins of the provider that it imitates. */

import { plainText } from "../platform/http/response.ts";
import type { App } from "../server/app.ts";
import type { AppChanges, Plugin } from "../server/hosting/options.ts";
import { choice, object } from "../core/policy/field.ts";
import { quote } from "../server/config/config_issue.ts";
import { type Fetch, type HandledUrls, installFetch } from "./fetch.ts";
import { assertOptions } from "./options.ts";
import type { InstallFetchOptions } from "./test_control.ts";

const optionsField = object<InstallFetchOptions>("InstallFetchOptions", { origins: choice(["own", "real"]) }, {});

/** Creates the installer of one server. */
export function fetchInstaller(urls: HandledUrls, fetch: Fetch, getApp: () => App, moveTo: AppChanges["moveTo"]) {
  const installed = new Set<{ uninstall(): void }>();
  /** The installed fetches for the origins of the provider. */
  const real = new Set<object>();
  /** The issuer before the first of them was installed. */
  let ownIssuer = "";

  /** Moves the server to the issuer of the provider. */
  function moveToProvider(): void {
    const { issuer, policy } = getApp().server;
    const { origins, providers } = policy;
    if (origins.issuer === undefined) {
      throw new TypeError(
        'installFetch, origins: expected a profile that names the origin of its issuer, such as profile: "google", ' +
          `received ${providers.length === 0 ? "no profile of a provider" : quote(providers.join(", "))}`,
      );
    }
    if (real.size === 0) ownIssuer = issuer;
    moveTo(origins.issuer + ownIssuer.slice(new URL(ownIssuer).origin.length));
  }

  /** Rejects requests of the network while the server has the name of the provider, whose test keys are public. */
  const plugin: Plugin = {
    handle: (next) => async (request, peer) => {
      if (real.size === 0 || peer?.address === undefined) return await next(request, peer);
      return plainText(421, "This server has the name of a provider, and serves its own process alone.");
    },
  };

  return {
    plugin,
    installFetch(options: InstallFetchOptions = {}): Disposable & { uninstall(): void } {
      assertOptions("installFetch", optionsField, options);
      const isReal = options.origins === "real";
      if (isReal) moveToProvider();
      const replacement = installFetch(urls, fetch);
      const uninstall = () => {
        replacement.uninstall();
        installed.delete(handle);
        if (real.delete(handle) && real.size === 0) moveTo(ownIssuer);
      };
      const handle = { uninstall, [Symbol.dispose]: uninstall };
      installed.add(handle);
      if (isReal) real.add(handle);
      return handle;
    },
    uninstallAll(): void {
      for (const { uninstall } of installed) uninstall();
    },
    /** @throws {TypeError} If the server has the name of the provider. */
    assertMayListen(): void {
      if (real.size === 0) return;
      throw new TypeError(
        `listen: expected a server with a name of its own, received ${quote(getApp().server.issuer)}. ` +
          'Undo installFetch({ origins: "real" }) first.',
      );
    },
  };
}
