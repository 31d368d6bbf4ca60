/** Other authorization servers from npm, in a folder of their own and never among our dependencies. */

/** The versions that are measured. */
export const versions = { "oauth2-mock-server": "9.3.0", "oidc-provider": "9.13.3" } as const;

/** The name of a peer. */
export type PeerName = keyof typeof versions;

/** All of them. */
export const peers = Object.keys(versions) as PeerName[];

/** Where they are installed; programs that import them are bundled into this folder. */
export const peersFolder = "dist/bench/peers";

/** The name of a peer, so that neither the type checker nor the bundler looks for it. */
export function packageName(name: PeerName): string {
  return name;
}
