/** A generated certificate that stays the same at each start, for programs that pin it. */

import { selfSignedCertificate } from "../platform/runtime/self_signed.ts";
import type { TlsPair } from "../platform/runtime/tls.ts";
import { createPrivateFile } from "../platform/runtime/tools.ts";
import { CommandLineError } from "./command_line_error.ts";

/** Generates a certificate for hosts, and writes it and its key into new files. */
export async function newCertificate(
  files: Readonly<Record<keyof TlsPair, string>>,
  hosts: readonly string[],
): Promise<TlsPair> {
  const pair = await selfSignedCertificate(hosts);
  for (const name of ["key", "cert"] as const) {
    const path = files[name];
    const failure = await createPrivateFile(path, pair[name]).then(
      (isNew) => isNew ? undefined : "a file that another program has just written",
      (error: Error) => error.message,
    );
    if (failure === undefined) continue;
    const issue = { expected: "a file that can be written", received: failure, hint: "Name a file in another folder." };
    throw new CommandLineError([{ path, ...issue }]);
  }
  return pair;
}
