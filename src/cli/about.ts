/** The version, the commit and the licences of the program. */

import manifest from "../../deno.json" with { type: "json" };

/** The values that the build of the single executable file defines. */
interface BuildInfo {
  /** The short hash of the commit. */
  readonly commit?: string;
  /** The full licences of the packages inside. */
  readonly licences: string;
}

declare const LATCHKEY_ABOUT: BuildInfo;

function readBuildInfo(): BuildInfo {
  if (typeof LATCHKEY_ABOUT !== "undefined") return LATCHKEY_ABOUT;
  return {
    licences:
      "Latchkey stands under the MIT licence, in the file LICENSE; the packages that it uses, under those beside " +
      "them in node_modules; and those inside its npm package, under the ones in THIRD_PARTY_LICENSES.",
  };
}

export const version = manifest.version;

/** `latchkey` and the version, with the commit if it is known. */
export function formatVersion(): string {
  const { commit } = readBuildInfo();
  return `latchkey ${version}${commit === undefined ? "" : ` (${commit})`}`;
}

/** The licences, or their location. */
export function formatLicences(): string {
  return readBuildInfo().licences.trimEnd();
}
