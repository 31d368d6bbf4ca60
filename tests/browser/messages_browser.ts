/** What Chromium says of a server that it cannot reach, and of a page that may not read a response. */

import { test } from "node:test";
import { findFreePort } from "../platform/runtime/free_port.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";
import { assertKnown } from "../devtools/messages/provoke.ts";
import { findChromium } from "./chromium.ts";

const chromium = findChromium();

/** The page that Chromium shows, and what its console says. */
async function visit(url: string): Promise<string> {
  const profile = await Deno.makeTempDir({ prefix: "latchkey-messages-" });
  try {
    const args = [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--enable-logging=stderr",
      `--user-data-dir=${profile}`,
    ];
    const { stdout, stderr } = await new Deno.Command(chromium!, {
      args: [...args, "--virtual-time-budget=5000", "--dump-dom", url],
    }).output();
    return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  } finally {
    await Deno.remove(profile, { recursive: true });
  }
}

test("Chromium says what the table of messages has", { skip: chromium === undefined }, async () => {
  await using as = await testLatchkey();
  const { url } = await as.listen({ port: 0 });
  await using secure = await testLatchkey();
  const { url: secureUrl } = await secure.listen({ port: 0, tls: "self-signed" });
  const page =
    `<p id=failure></p><script>fetch("${url}/oauth2/authorize").catch((error) => failure.textContent = error)</script>`;
  const server = Deno.serve(
    { port: 0, hostname: "localhost", onListen: () => {} },
    () => new Response(page, { headers: { "content-type": "text/html" } }),
  );
  try {
    assertKnown("Chromium", "ERR_SSL_PROTOCOL_ERROR", await visit(url.replace("http:", "https:")));
    assertKnown("Chromium", "ERR_CONNECTION_REFUSED", await visit(`http://localhost:${await findFreePort()}/`));
    assertKnown("Chromium", "ERR_CERT_AUTHORITY_INVALID", await visit(secureUrl));
    const printed = await visit(`http://localhost:${server.addr.port}/`);
    assertKnown("Chromium", "has been blocked by CORS policy", printed.replaceAll("Failed to fetch", ""));
    assertKnown("Chromium", "TypeError: Failed to fetch", printed.replace(/^.*blocked by CORS.*$/gm, ""));
  } finally {
    await server.shutdown();
  }
});
