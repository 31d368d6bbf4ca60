/** Ports for programs that listen where a flag says. */

import { createServer } from "node:net";

/** A port that is free on every address, below those of outgoing connections, which could take it meanwhile. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  const isFree = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false)).listen(port, () => resolve(true));
  });
  await new Promise((resolve) => server.close(resolve));
  return isFree ? port : await findFreePort();
}
