/** Other authorization servers from npm, installed in a separate folder and never as dependencies. */

/** Measured versions. */
export const versions = { "oauth2-mock-server": "9.3.0", "oidc-provider": "9.13.3" } as const;

/** The name of a peer. */
export type PeerName = keyof typeof versions;

/** All peers. */
export const peers = Object.keys(versions) as PeerName[];

/** Folder of the installed peers; programs that import them are bundled into it. */
export const peersFolder = "dist/bench/peers";

/** Name of a peer's package, as a variable that neither the type checker nor the bundler resolves. */
export function packageName(name: PeerName): string {
  return name;
}
