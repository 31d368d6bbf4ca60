/** What a path leads to, and who may change it. */

import type nodeProcess from "node:process";

/** `process` is not imported, because an import evaluates all exports, which opens standard input and output. */
const { process } = globalThis as unknown as { readonly process: typeof nodeProcess };

/** What a path leads to, links followed. */
interface FileStatus {
  readonly kind: "file" | "directory" | "named pipe" | "device or socket";
  readonly size: number;
  /** The other user that owns it, unless that is root. Absent on Windows, which has no such users. */
  readonly otherOwner?: number;
  /** Whether its group or all users may write it. False on Windows. */
  readonly othersMayWrite: boolean;
}

/** `undefined` if nothing is there, or the process may not look. */
export function fileStatus(path: string): FileStatus | undefined {
  try {
    const file = process.getBuiltinModule("node:fs").statSync(path);
    const user = process.getuid?.();
    return {
      kind: file.isFile()
        ? "file"
        : file.isDirectory()
        ? "directory"
        : file.isFIFO()
        ? "named pipe"
        : "device or socket",
      size: file.size,
      ...user !== undefined && ![user, 0].includes(file.uid) && { otherOwner: file.uid },
      othersMayWrite: user !== undefined && (file.mode & 0o022) !== 0,
    };
  } catch {
    return undefined;
  }
}
