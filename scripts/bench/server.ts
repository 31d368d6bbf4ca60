/** The server's side of the bench: `server.ts latchkey|reference ALG [CODE_LIFETIME]`; prints `{"port":…,"issuer":…}`. */

import type { SigningAlgorithm } from "../../src/mod.ts";
import { clients } from "./clients.ts";

const { Deno: deno } = globalThis as { Deno?: { args: string[] } };
const [which, alg, codeLifetime = "300"] = deno?.args ?? process.argv.slice(2);

console.log(JSON.stringify(which === "latchkey" ? await latchkeyItself() : await bareServer()));

async function latchkeyItself() {
  const { latchkey } = await import("../../src/mod.ts");
  const as = await latchkey({ clients, alg: alg as SigningAlgorithm, lifetimes: { code: Number(codeLifetime) } });
  const { url } = await as.listen({ port: 0, host: "127.0.0.1" });
  return { port: Number(new URL(url).port), issuer: as.issuer };
}

async function bareServer() {
  const { listen } = await import("./reference.ts");
  return await listen(alg as SigningAlgorithm);
}
