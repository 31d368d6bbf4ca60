/** The bench: its checks of responses, its copies of versions, and its figures. */

import { existsSync } from "node:fs";
import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import type { Connection, RawResponse } from "../../scripts/bench/connection.ts";
import { runFlow } from "../../scripts/bench/flow.ts";
import { latchkeySite } from "../../scripts/bench/site.ts";
import { formatRatio, median } from "../../scripts/bench/table.ts";
import { copyVersion } from "../../scripts/bench/versions.ts";

const site = latchkeySite("http://localhost:1234");
const signed = ["A".repeat(20), "B".repeat(100), "C".repeat(86)].join(".");
const code = "D".repeat(43);
const tokens = {
  ...{ access_token: signed, token_type: "Bearer", expires_in: 3600, scope: "openid profile read", id_token: signed },
};

/** What is to be wrong. */
interface Wrong {
  readonly redirect?: Record<string, string>;
  readonly body?: Record<string, unknown>;
  readonly status?: number;
  readonly cached?: boolean;
}

/** A server with valid responses, except for the given ones. */
function server({ redirect = {}, body = {}, status = 200, cached = false }: Wrong): Connection {
  return {
    get(path): Promise<RawResponse> {
      const state = new URLSearchParams(path.slice(path.indexOf("?"))).get("state")!;
      const response = new URLSearchParams({ code, state, iss: site.issuer, ...redirect });
      const head = `HTTP/1.1 302 Found\r\nLocation: https://client.example/authorized?${response}`;
      return Promise.resolve({ status: 302, head, body: "" });
    },
    post(): Promise<RawResponse> {
      const head = `HTTP/1.1 200 OK\r\nCache-Control: ${cached ? "max-age=60" : "no-store"}`;
      return Promise.resolve({ status, head, body: JSON.stringify({ ...tokens, ...body }) });
    },
    close() {},
  };
}

test("a flow with valid responses counts", async () => {
  assertEquals((await runFlow(server({}), site)).id_token, signed);
});

test("a flow with one invalid response ends the measurement", async () => {
  const each: readonly Wrong[] = [
    { redirect: { state: "another" } },
    { redirect: { iss: "https://another.example" } },
    { redirect: { code: "short" } },
    { status: 400 },
    { cached: true },
    { body: { token_type: "DPoP" } },
    { body: { access_token: "opaque" } },
    { body: { id_token: undefined } },
    { body: { surplus: true } },
  ];
  for (const wrong of each) {
    await assertRejects(() => runFlow(server(wrong), site), Error, "Expected ", JSON.stringify(wrong));
  }
});

test("another project's server must pass the same checks, except where the specifications leave a choice", async () => {
  const other = { ...site, exact: false };
  await runFlow(server({ body: { surplus: true }, redirect: { code: "short" } }), other);
  for (const wrong of [{ redirect: { state: "another" } }, { body: { id_token: "opaque" } }, { cached: true }]) {
    await assertRejects(() => runFlow(server(wrong), other), Error, "Expected ", JSON.stringify(wrong));
  }
});

test("the median of an even number is the mean of the two in the middle", () => {
  assertEquals([median([3, 1, 2]), median([4, 1, 3, 2])], [2, 2.5]);
});

test("a ratio is compared round by round, with its spread", () => {
  assertEquals(formatRatio([90, 110, 300], [100, 100, 300]), "1.00 (0.90 to 1.10)");
});

test("a version is a folder of its own, with the present files or those of a commit", async () => {
  for (const ref of [undefined, "HEAD"]) {
    const { folder } = await copyVersion("some", ref);
    assertEquals(["src/main.ts", "deno.json", "node_modules"].map((path) => existsSync(`${folder}/${path}`)), [
      ...[true, true],
      false,
    ]);
    await Deno.remove(folder, { recursive: true });
  }
  await assertRejects(() => copyVersion("none", "no-such-commit"), Error, "git archive");
});
