/** What the program says of itself: its version, the commit it was made of, and under which licences its parts stand. */

import manifest from "../../deno.json" with { type: "json" };

/** What is known when the program is made into one file, and put into it. */
interface BuildInfo {
  /** The commit, in short. */
  readonly commit?: string;
  /** The licences of the packages inside, in full. */
  readonly licences: string;
}

declare const LATCHKEY_ABOUT: BuildInfo;

const { commit, licences }: BuildInfo = typeof LATCHKEY_ABOUT === "undefined"
  ? {
    licences:
      "Latchkey stands under the MIT licence, in the file LICENSE; the packages that it uses, under those beside " +
      "them in node_modules; and those inside its npm package, under the ones in THIRD_PARTY_LICENSES.",
  }
  : LATCHKEY_ABOUT;

/** The number alone. */
export const version = manifest.version;

/** `latchkey` and the version, with the commit where it is known. */
export const versionLine = `latchkey ${version}${commit === undefined ? "" : ` (${commit})`}`;

/** The licences, or where they are. */
export const licencesText = licences.trimEnd();
