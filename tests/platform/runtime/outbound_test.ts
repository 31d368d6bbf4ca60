/** The program, with the permissions that its users start it with, fetches from https servers. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { challenge, encode } from "../../kit.ts";
import { certificate, privateKey } from "./certificate.ts";
import { startProgram } from "./run_program.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-outbound-"));
after(() => rmSync(folder, { recursive: true }));

/** Sends an authorization request of a client whose metadata document is on an https server of this machine. */
async function authorizeByDocument(env: Readonly<Record<string, string>>) {
  const requests: string[] = [];
  const redirectUri = "http://localhost:5173/cb";
  const server = createServer({ cert: certificate, key: privateKey }, ({ url, headers }, response) => {
    requests.push(url!);
    const document = {
      client_id: `https://${headers.host}${url}`,
      client_name: "Example app",
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
    };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document));
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const program = await startProgram({ args: ["--port", "0"], env });
  try {
    const query = encode({
      response_type: "code",
      client_id: `https://localhost:${(server.address() as AddressInfo).port}/client.json`,
      redirect_uri: redirectUri,
      scope: "read",
      code_challenge: challenge,
      code_challenge_method: "S256",
    });
    const response = await fetch(`http://localhost:${program.port}/oauth2/authorize?${query}`, {
      redirect: "manual",
      headers: { accept: "text/html" },
    });
    return { location: response.headers.get("location"), html: await response.text(), requests };
  } finally {
    program.signal("SIGKILL");
    await program.exited;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

test("[MC-04] the program fetches a metadata document over https, from an authority that NODE_EXTRA_CA_CERTS adds", async () => {
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, certificate);
  let response = await authorizeByDocument({ NODE_EXTRA_CA_CERTS: ca });
  // On a busy machine the first fetch of a program may take longer than its limit of five seconds.
  for (let i = 0; i < 2 && response.location === null; i++) {
    response = await authorizeByDocument({ NODE_EXTRA_CA_CERTS: ca });
  }
  const { location, html, requests } = response;
  assert(location !== null, html);
  assert(new URL(location).searchParams.has("code"), location);
  assertEquals(requests, ["/client.json"]);
});

test("[MC-04] the program fetches nothing over https from an unknown authority", async () => {
  const { location, html, requests } = await authorizeByDocument({});
  assertEquals([location, requests], [null, []]);
  assertStringIncludes(html, "The metadata document of the client cannot be fetched.");
  assert(!html.includes("--allow"), html);
});
