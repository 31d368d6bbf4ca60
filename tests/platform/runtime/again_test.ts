/** A server that is closed and created again on the same port, like in consecutive test suites. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { latchkey } from "../../secret_leak_check.ts";
import { findFreePort } from "./free_port.ts";

test("[OP-04] after close() and listen() on the same port the next request of the same program succeeds", async () => {
  const statuses: number[] = [];
  // Not one that the system chooses: an outgoing connection could take it between two rounds.
  const port = await findFreePort();
  for (let round = 0; round < 10; round++) {
    const as = await latchkey({ issuer: "https://as.test" });
    await as.listen({ port });
    try {
      const response = await fetch(`http://localhost:${port}/oauth2/jwks`);
      statuses.push(response.status);
      await response.text();
    } finally {
      await as.close();
    }
  }
  assertEquals(statuses, Array(10).fill(200));
});
