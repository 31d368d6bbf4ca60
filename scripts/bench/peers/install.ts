/** Installs the peers. */

import { npm, run } from "../../run.ts";
import { type PeerName, peers, peersFolder, versions } from "./packages.ts";

/** Installs missing peers into a folder with its own manifest, so that the project cannot depend on them. */
export async function installPeers(): Promise<void> {
  if ((await Promise.all(peers.map(isInstalled))).every(Boolean)) return;
  await Deno.mkdir(peersFolder, { recursive: true });
  const manifest = { private: true, dependencies: versions };
  await Deno.writeTextFile(`${peersFolder}/package.json`, JSON.stringify(manifest, null, 2));
  await run([npm, "install", "--prefix", peersFolder, "--no-audit", "--no-fund", "--silent"]);
}

async function isInstalled(name: PeerName): Promise<boolean> {
  const manifest = await Deno.readTextFile(`${peersFolder}/node_modules/${name}/package.json`).catch(() => "{}");
  return JSON.parse(manifest).version === versions[name];
}
