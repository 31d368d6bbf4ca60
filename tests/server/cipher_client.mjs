/**
 * Prints the cipher suites that a server accepts, as JSON: `node cipher_client.mjs PORT`. Each connection offers all that
 * no earlier one had. It runs on Node, because OpenSSL knows the old suites, and versions of TLS.
 */

import { connect, getCiphers } from "node:tls";

const port = Number(process.argv[2]);

/** The cipher suite of a connection; `undefined` if the server refuses all that is offered. */
function negotiate(version, ciphers) {
  return new Promise((resolve) => {
    const options = { minVersion: version, maxVersion: version, rejectUnauthorized: false };
    const socket = connect({ host: "127.0.0.1", port, ...options, ciphers: ciphers.join(":") });
    socket.on("secureConnect", () => {
      resolve(socket.getCipher().name);
      socket.destroy();
    });
    socket.on("error", () => resolve(undefined));
  });
}

const names = getCiphers().map((name) => name.toUpperCase());
const accepted = {};
for (const version of ["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"]) {
  accepted[version] = [];
  let offered = names.filter((name) => name.startsWith("TLS_") === (version === "TLSv1.3"));
  while (offered.length > 0) {
    const cipher = await negotiate(version, version === "TLSv1.3" ? offered : [...offered, "@SECLEVEL=0"]);
    if (cipher === undefined) break;
    accepted[version].push(cipher);
    offered = offered.filter((name) => name !== cipher);
  }
}
console.log(JSON.stringify(accepted));
process.exit();
