/** Makes a command trust the certificate that the server generated: files, and the variables that name them. */

import type { ConfigurationWarning } from "../../core/rules/configuration_error.ts";
import { type createTemporaryFolder, systemRoots } from "../../platform/runtime/tools.ts";
import type { Environment } from "../environment.ts";

/**
 * Variables that name a file with certificates. Those with `roots` replace the roots of the system, others add to
 * them. `requests` of Python reads the variable of curl if its own is not set.
 */
const variables: readonly { readonly name: string; readonly roots: boolean; readonly instead?: string }[] = [
  { name: "NODE_EXTRA_CA_CERTS", roots: false },
  { name: "DENO_CERT", roots: false },
  { name: "SSL_CERT_FILE", roots: true },
  { name: "CURL_CA_BUNDLE", roots: true },
  { name: "REQUESTS_CA_BUNDLE", roots: true, instead: "CURL_CA_BUNDLE" },
];

interface TrustedCertificate {
  /** The file that has the certificate alone. */
  readonly file: string;
  /** The variables, each with the path of its file. */
  readonly variables: Environment;
}

/**
 * Writes a file for each variable: the certificates of the file that it named, else the roots of the system if it
 * replaces them, followed by the certificate of the server.
 *
 * @param env The variables that the command would have.
 * @param warn Receives a warning about a file that cannot be read.
 */
export async function trustCertificate(
  cert: string,
  env: Environment,
  { write }: Awaited<ReturnType<typeof createTemporaryFolder>>,
  readTextFile: (path: string) => Promise<string>,
  warn: (warning: ConfigurationWarning) => void,
): Promise<TrustedCertificate> {
  const roots = await systemRoots();
  const entries = variables.map(async ({ name, roots: needsRoots, instead = name }) => {
    const path = env[name] || env[instead];
    const named = path && await readTextFile(path).catch((error: Error) => {
      warn({
        path: name,
        message: `its file cannot be read, so the command does not trust those certificates: ${error.message}`,
      });
    });
    const before = named || (needsRoots ? roots : "");
    return [name, await write(`${name}.pem`, `${before.trimEnd()}\n${cert}`)] as const;
  });
  return { file: await write("latchkey.pem", cert), variables: Object.fromEntries(await Promise.all(entries)) };
}
