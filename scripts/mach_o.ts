/**
 * Signatures in executables for macOS (Mach-O, 64 bits): reads a signature and verifies each page, and signs ad hoc. An
 * ad hoc signature has no identity; it only proves that the file is unchanged.
 */

import { createHash } from "node:crypto";

/** The bytes of a file. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** A signature inside a file. */
export interface Signature {
  readonly adHoc: boolean;
  /** Number of bytes it covers, from the start of the file to the signature. */
  readonly coveredBytes: number;
  /** Offset in the file. */
  readonly signatureOffset: number;
  /** Numbers of the pages that do not match. */
  readonly brokenPages: readonly number[];
}

/** Load commands used here (`mach-o/loader.h`), and the size of the header before the first. */
const loadCommands = { segment: 0x19, signature: 0x1d, header: 32 } as const;

/** Magic numbers and flags of signatures (`kern/cs_blobs.h`). */
const magicNumbers = { all: 0xfade0cc0, directory: 0xfade0c02 } as const;
const flags = { adHoc: 0x2, linkerSigned: 0x20000 } as const;
const sha256 = 2;
const pageBits = 12;
const page = 2 ** pageBits;

/** Whether every byte before the signature is unchanged. */
export function isSignatureValid({ coveredBytes, signatureOffset, brokenPages }: Signature): boolean {
  return coveredBytes === signatureOffset && brokenPages.length === 0;
}

/** Reads the signature of a file; undefined if it has none. */
export function readSignature(file: Bytes): Signature | undefined {
  const view = new DataView(file.buffer);
  const command = findLoadCommands(view).signature;
  if (command === undefined) return undefined;
  const signatureOffset = view.getUint32(command + 8, true);
  // From here on numbers are big-endian. First a list of kinds and offsets, which includes the code directory.
  const parts = Array.from(
    { length: view.getUint32(signatureOffset + 8) },
    (_, i) => view.getUint32(signatureOffset + 16 + 8 * i),
  );
  const directory = parts.map((offset) => signatureOffset + offset).find((at) =>
    view.getUint32(at) === magicNumbers.directory
  );
  if (directory === undefined) throw new Error("This signature has no code directory.");
  const hashes = directory + view.getUint32(directory + 16);
  const coveredBytes = view.getUint32(directory + 32);
  if (view.getUint8(directory + 37) !== sha256 || view.getUint8(directory + 39) !== pageBits) {
    throw new Error("This signature is not one of SHA-256 and pages of 4 KiB.");
  }
  const brokenPages = digests(file, coveredBytes).flatMap((digest, i) =>
    digest.equals(file.subarray(hashes + 32 * i, hashes + 32 * (i + 1))) ? [] : [i]
  );
  return { adHoc: (view.getUint32(directory + 12) & flags.adHoc) !== 0, coveredBytes, signatureOffset, brokenPages };
}

/** Replaces the signature of a file by an ad hoc signature. */
export function signAdHoc(file: Bytes, name: string): Bytes {
  const old = new DataView(file.buffer);
  const { signature, text, linkedit } = findLoadCommands(old);
  if (signature === undefined || text === undefined || linkedit === undefined) {
    throw new Error("There is no place for a signature in this file.");
  }
  const signatureOffset = old.getUint32(signature + 8, true);
  const identifier = new TextEncoder().encode(`${name}\0`);
  const head = { all: 20, directory: 88 };
  const hashes = head.directory + identifier.length;
  const pages = Math.ceil(signatureOffset / page);
  const size = head.all + hashes + 32 * pages;

  const signed = new Uint8Array(signatureOffset + size);
  signed.set(file.subarray(0, signatureOffset));
  const view = new DataView(signed.buffer);
  // The last segment contains the signature. Its size is signed too, so it is set first.
  view.setUint32(signature + 12, size, true);
  const inSegment = BigInt(signatureOffset + size) - view.getBigUint64(linkedit + 40, true);
  view.setBigUint64(linkedit + 32, (inSegment + 0x3fffn) & ~0x3fffn, true);
  view.setBigUint64(linkedit + 48, inSegment, true);

  const numbers = [magicNumbers.all, size, 1, 0, head.all];
  numbers.forEach((number, i) => view.setUint32(signatureOffset + 4 * i, number));
  const directory = signatureOffset + head.all;
  const version = 0x20400;
  const kinds = flags.adHoc | flags.linkerSigned;
  const fields = [
    magicNumbers.directory,
    size - head.all,
    version,
    kinds,
    hashes,
    head.directory,
    0,
    pages,
    signatureOffset,
  ];
  fields.forEach((number, i) => view.setUint32(directory + 4 * i, number));
  signed.set([32, sha256, 0, pageBits], directory + 36);
  // Size of the code, and the flag of a main executable.
  view.setBigUint64(directory + 72, view.getBigUint64(text + 48, true));
  view.setBigUint64(directory + 80, 1n);
  signed.set(identifier, directory + head.directory);
  digests(signed, signatureOffset).forEach((digest, i) => signed.set(digest, directory + hashes + 32 * i));
  return signed;
}

/** Digest of each page of this size; the last one may be shorter. */
function digests(file: Bytes, length: number): Buffer[] {
  return Array.from(
    { length: Math.ceil(length / page) },
    (_, i) => createHash("sha256").update(file.subarray(i * page, Math.min((i + 1) * page, length))).digest(),
  );
}

/** Offsets of the load commands for code, last segment and signature. */
function findLoadCommands(view: DataView): { signature?: number; text?: number; linkedit?: number } {
  const found: { signature?: number; text?: number; linkedit?: number } = {};
  let position: number = loadCommands.header;
  for (let left = view.getUint32(16, true); left > 0; left--) {
    const kind = view.getUint32(position, true);
    if (kind === loadCommands.signature) found.signature = position;
    if (kind === loadCommands.segment) {
      const name = String.fromCharCode(...new Uint8Array(view.buffer, position + 8, 16)).replaceAll("\0", "");
      if (name === "__TEXT") found.text = position;
      if (name === "__LINKEDIT") found.linkedit = position;
    }
    position += view.getUint32(position + 4, true);
  }
  return found;
}
