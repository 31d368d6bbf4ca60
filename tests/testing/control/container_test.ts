/** Latchkey by Testcontainers: the program, configured by the variables of the container, instead of the image. */

import { assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { startLatchkey } from "../../../src/testing/control/connect.ts";
import { startProgram } from "./container_program.ts";

const stopped: string[] = [];

/** The package `testcontainers`, whose image is the program. */
function fakeTestcontainers(change: (env: Record<string, string>) => Record<string, string> = (env) => env) {
  class GenericContainer {
    #env: Record<string, string> = {};
    constructor(readonly image: string) {}
    withExposedPorts(port: number) {
      assertEquals(port, 9000);
      return this;
    }
    withEnvironment(env: Record<string, string>) {
      this.#env = env;
      return this;
    }
    withWaitStrategy(strategy: unknown) {
      assertEquals(strategy, "GET /readyz 9000");
      return this;
    }
    async start() {
      const { port, close } = await startProgram(change(this.#env));
      return {
        getHost: () => "localhost",
        getMappedPort: (inner: number) => inner === 9000 ? port : 0,
        stop: async () => {
          stopped.push(this.image);
          await close();
        },
      };
    }
  }
  return { GenericContainer, Wait: { forHttp: (path: string, port: number) => `GET ${path} ${port}` } };
}

test("startLatchkey connects to the server in the container, whose issuer has the mapped port, and stops it", async () => {
  const settings = { users: [{ sub: "carol" }], scopes: ["openid", "orders"] };
  const as = await startLatchkey(fakeTestcontainers(), { image: "latchkey:1", settings });
  assertEquals((await as.users.all()).map(({ sub }) => sub), ["carol"]);
  const metadata = await (await fetch(`${as.issuer}/.well-known/openid-configuration`)).json();
  assertEquals([metadata.issuer, metadata.scopes_supported.includes("orders")], [as.issuer, true]);
  await as.stop();
  await as[Symbol.asyncDispose]();
  assertEquals(stopped.splice(0), ["latchkey:1"]);
});

test("a container whose server has no control is stopped", async () => {
  const without = fakeTestcontainers(({ LATCHKEY_CONTROL: _, ...env }) => env);
  await assertRejects(() => startLatchkey(without, { image: "latchkey:2" }), Error, "The server has no control");
  assertEquals(stopped.splice(0), ["latchkey:2"]);
});
