/** The versions of Node on which Latchkey runs. */

/** The first version of Node with node:sqlite without a flag. */
const minNodeVersion = [22, 13] as const;

/** The versions of a runtime, as `process.versions` names them. */
type Versions = Readonly<Record<string, string | undefined>>;

/**
 * Why this version of Node is not supported, in one sentence without a full stop; absent if it is supported, or for
 * another runtime.
 */
export function describeUnsupportedNode(
  versions: Versions | undefined = (globalThis as { readonly process?: { readonly versions?: Versions } }).process
    ?.versions,
): string | undefined {
  if (versions?.node === undefined || versions.bun !== undefined || versions.deno !== undefined) return undefined;
  const [major = 0, minor = 0] = versions.node.split(".").map(Number);
  if (major > minNodeVersion[0] || (major === minNodeVersion[0] && minor >= minNodeVersion[1])) return undefined;
  return `Latchkey needs Node ${minNodeVersion.join(".")} or newer, and this is ${versions.node}`;
}

/** @throws {Error} If this version of Node is not supported. */
export function assertSupportedNode(): void {
  const unsupported = describeUnsupportedNode();
  if (unsupported !== undefined) {
    throw new Error(`${unsupported}: use Deno or Bun, or install Node ${minNodeVersion.join(".")} or newer.`);
  }
}
