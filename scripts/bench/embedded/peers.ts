/** Other packages that give tests an authorization server, in a folder of their own and never among our dependencies. */

/** The versions that are measured. */
export const versions = { "oauth2-mock-server": "9.3.0", "oidc-provider": "9.13.3" } as const;

/** Where they are installed; programs that import them are bundled into this folder. */
export const peersFolder = "dist/bench/peers";

/** The name of a peer, so that neither the type checker nor the bundler looks for it. */
export function packageName(name: keyof typeof versions): string {
  return name;
}
