/** Reproducible archives: tar.gz and zip. */

import { Buffer } from "node:buffer";
import { crc32, deflateRawSync, gzipSync } from "node:zlib";
import { CommandError } from "../command.ts";

/** A file of an archive. */
export interface ArchiveEntry {
  /** With slashes; below 100 bytes, the limit of plain tar. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Permissions, such as 0o755. */
  readonly mode: number;
}

/** Higher levels take twice as long for less than half a percent. */
const compressionLevel = 6;

/** A gzipped tar (ustar) of files owned by root, with this modification time. */
export function tarGz(files: readonly ArchiveEntry[], seconds: number): Uint8Array {
  const blocks = files.flatMap(({ path, bytes, mode }) => {
    const padding = new Uint8Array((512 - bytes.length % 512) % 512);
    return [tarHeader(path, bytes.length, mode, seconds), bytes, padding];
  });
  return gzipSync(Buffer.concat([...blocks, new Uint8Array(1024)]), { level: compressionLevel });
}

function tarHeader(path: string, size: number, mode: number, seconds: number): Uint8Array {
  const header = Buffer.alloc(512);
  const octal = (value: number, at: number, width: number) =>
    header.write(value.toString(8).padStart(width - 1, "0"), at, "ascii");
  if (Buffer.byteLength(path) > 100) {
    throw new CommandError(`${path} is too long a name for the archive: 100 bytes at most.`);
  }
  header.write(path, 0, "utf8");
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(seconds, 136, 12);
  // The checksum counts itself as spaces.
  header.write("        ", 148, "ascii");
  header.write("0", 156, "ascii");
  header.write("ustar\x0000", 257, "ascii");
  header.write("root", 265, "ascii");
  header.write("root", 297, "ascii");
  octal(header.reduce((sum, byte) => sum + byte, 0), 148, 7);
  return header;
}

/** A zip of files with this modification time. */
export function zip(files: readonly ArchiveEntry[], seconds: number): Uint8Array {
  const local: Uint8Array[] = [];
  const central: Uint8Array[] = [];
  let offset = 0;
  for (const { path, bytes, mode } of files) {
    const name = Buffer.from(path, "utf8");
    const packed = deflateRawSync(bytes, { level: compressionLevel });
    // Version 2.0: deflate; bit 11: UTF-8 name; then time, date, checksum and both sizes.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x0800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(dosTime(seconds), 6);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    local.push(Buffer.from("PK\x03\x04", "ascii"), common, name, packed);
    // Made by Unix, so that the permissions in the upper half count.
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((0o100000 | mode) * 0x10000, 6);
    rest.writeUInt32LE(offset, 10);
    central.push(Buffer.from([0x50, 0x4b, 1, 2, 20, 3]), common, rest, name);
    offset += 4 + common.length + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", 0, "ascii");
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(central.reduce((sum, { length }) => sum + length, 0), 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, ...central, end]);
}

/** Time of day below, date above, in steps of two seconds, as in DOS; here in UTC. */
function dosTime(seconds: number): number {
  const at = new Date(seconds * 1000);
  const time = at.getUTCHours() << 11 | at.getUTCMinutes() << 5 | at.getUTCSeconds() >> 1;
  const date = at.getUTCFullYear() - 1980 << 9 | at.getUTCMonth() + 1 << 5 | at.getUTCDate();
  return date * 0x10000 + time;
}
