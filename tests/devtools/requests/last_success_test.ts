/** On the page of a failed flow: what differs from the last success of its client. */

import { assert, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../../src/devtools/mod.ts";
import { type Fields, type TestServer, testServer } from "../../kit.ts";

/** The sentence of a page; `undefined` if it has none. */
async function readDifferences({ get }: TestServer, flow: number): Promise<string | undefined> {
  const html = await (await get(`/flows/${flow}`)).text();
  return /Since the last success, (.*?)<\/p>/.exec(html)?.[1]?.replace(/<[^>]*>/g, "");
}

async function start(): Promise<TestServer> {
  const redirect_uris = ["https://spa.example/cb", "https://spa.example/other"];
  return await testServer({
    plugins: [inspector()],
    clients: [
      { client_id: "spa", redirect_uris, token_endpoint_auth_method: "none" },
      { client_id: "web", redirect_uris, client_secret: "s3cret of the web client" },
    ],
  });
}

test("[FL-02] a failed flow names the parameters that differ from the client's last success", async () => {
  const server = await start();
  const { authorize } = server;
  const send = async (change: Fields) => void await authorize({ redirect_uri: "https://spa.example/cb", ...change });
  await send({ state: "first" });
  await send({ redirect_uri: "https://spa.example/wrong", state: "second", prompt: "login" });
  const differences = await readDifferences(server, 2);
  assertStringIncludes(differences ?? "", "flow 1: redirect_uri was https://spa.example/cb, prompt is new.");
  assert(!differences!.includes("state"));
});

test("[FL-02] there is no such sentence without a success of the client, or without a difference", async () => {
  const server = await start();
  const wrong = { redirect_uri: "https://spa.example/wrong" };
  await server.authorize(wrong);
  await server.authorize({ redirect_uri: "https://spa.example/cb", client_id: "web" });
  await server.authorize({ ...wrong, state: "another" });
  for (const flow of [1, 3]) assert(await readDifferences(server, flow) === undefined);
});
