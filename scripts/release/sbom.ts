/** Bills of materials in CycloneDX 1.6: contents and licences of a released file. */

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { CommandError } from "../command.ts";

/** An npm package that a file contains or depends on. */
export interface Component {
  readonly name: string;
  readonly version: string;
  /** SPDX identifier or expression, from the package. */
  readonly license: string;
  /** Hash of the tarball in the registry, as in lock files: `sha512-` and base64. */
  readonly integrity: string;
  /** Optional: installed only with the feature that needs it. */
  readonly scope: "required" | "optional";
  /** A platform is a runtime that executes the code. */
  readonly type: "library" | "platform";
  /** Names of other components. */
  readonly needs: readonly string[];
  /** Whether the project's own code imports it. */
  readonly direct: boolean;
}

/** The described file. */
export interface Subject {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly type: "library" | "application";
  readonly purl: string;
  readonly bytes: Uint8Array;
}

/** The document, reproducible: its time is that of the commit, its serial number a digest of its contents. */
export function billOfMaterials(subject: Subject, components: readonly Component[], seconds: number): string {
  const sorted = components.toSorted((one, other) => one.name < other.name ? -1 : 1);
  const refs = new Map(sorted.map((part) => [part.name, getPackageUrl(part)]));
  const getRefs = (names: readonly string[]) =>
    names.flatMap((name) => refs.get(name) ?? []).sort((one, other) => one < other ? -1 : 1);
  const direct = sorted.filter(({ direct }) => direct).map(({ name }) => name);
  const { name, version, license, type, purl, bytes } = subject;
  const contents = {
    metadata: {
      timestamp: new Date(seconds * 1000).toISOString(),
      lifecycles: [{ phase: "build" }],
      component: {
        type,
        "bom-ref": purl,
        name,
        version,
        hashes: [{ alg: "SHA-256", content: createHash("sha256").update(bytes).digest("hex") }],
        licenses: toLicenses(license),
        purl,
      },
    },
    components: sorted.map((part) => ({
      type: part.type,
      "bom-ref": getPackageUrl(part),
      name: part.name,
      version: part.version,
      scope: part.scope,
      licenses: toLicenses(part.license),
      purl: getPackageUrl(part),
      // The hash is that of the download, not of the bundled part.
      externalReferences: [{ type: "distribution", url: getTarballUrl(part), hashes: [parseIntegrity(part)] }],
    })),
    dependencies: [
      { ref: purl, dependsOn: getRefs(direct) },
      ...sorted.map((part) => ({ ref: getPackageUrl(part), dependsOn: getRefs(part.needs) })),
    ],
  };
  const head = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidFromDigest(JSON.stringify(contents))}`,
    version: 1,
  };
  return `${JSON.stringify({ ...head, ...contents }, null, 2)}\n`;
}

/** The package URL of an npm package. */
export function getPackageUrl({ name, version }: Pick<Component, "name" | "version">): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

function getTarballUrl({ name, version }: Component): string {
  return `https://registry.npmjs.org/${name}/-/${name.split("/").at(-1)}-${version}.tgz`;
}

function parseIntegrity({ name, integrity }: Component): { alg: string; content: string } {
  const [, base64] = /^sha512-([A-Za-z0-9+/]{86}==)$/.exec(integrity) ?? [];
  if (base64 === undefined) {
    throw new CommandError(`${name}: expected a sum such as sha512-…, found ${integrity || "none"}.`);
  }
  return { alg: "SHA-512", content: Buffer.from(base64, "base64").toString("hex") };
}

/** One identifier of the schema's list, or an expression of several. */
function toLicenses(license: string): unknown[] {
  return /^[\w.+-]+$/.test(license) ? [{ license: { id: license } }] : [{ expression: license }];
}

/** A UUID of version 8, whose bits are free: here a digest. */
function uuidFromDigest(text: string): string {
  const bytes = createHash("sha256").update(text).digest().subarray(0, 16);
  bytes[6] = bytes[6]! & 0x0f | 0x80;
  bytes[8] = bytes[8]! & 0x3f | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
