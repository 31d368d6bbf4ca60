/** Codes that no client exchanges, which the recorder notes. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../src/devtools/mod.ts";
import { logging } from "../../src/cli/operating/logging.ts";
import { recorder } from "../../src/recorder/recorder.ts";
import { faults } from "../../src/testing/mod.ts";
import { forEachCase, goodRequest, realHost, sharedStore, type TestServer, testServer } from "../kit.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";
import { libraries, librariesOverSockets, type LibraryLogin } from "../testing/library_logins.ts";
import { until } from "../until.ts";

/** The notes about codes. */
function notes({ events }: Pick<TestServer, "events">) {
  return events.filter((event) => event.type === "note" && event.explanation.rule === "CI-12");
}

/** Lets the recorder look at its codes, which it does after each request. */
async function look(server: TestServer): Promise<void> {
  await server.get("/.well-known/openid-configuration");
  // A note is made in the background.
  await new Promise((resolve) => setTimeout(resolve));
}

test("[CI-12] a code that no token request names is a note after 10 seconds, once, on the flow and in Markdown", async () => {
  const server = await testServer({ plugins: [inspector()] });
  await server.code();
  await look(server);
  server.advance(9);
  await look(server);
  assertEquals(notes(server), []);
  server.advance(1);
  for (let times = 0; times < 3; times++) {
    await look(server);
    server.advance(10);
  }
  assertEquals(notes(server).length, 1);
  const reason = "the code was not exchanged: no token request with it came within 10 seconds";
  for (const path of ["/flows/1", "/flows/1.md"]) {
    const text = await (await server.get(path)).text();
    assertMatch(text, new RegExp(reason, "i"), path);
    assertStringIncludes(text, "Usually its state or session cookie did not come back");
  }
});

test("[CI-12] the log has the note of each client once, with the link to the flow", async () => {
  const lines: string[] = [];
  const log = logging({ write: (line) => lines.push(line), format: "text" });
  const server = await testServer({ plugins: [log, inspector()] });
  for (let times = 0; times < 3; times++) {
    await server.code();
    await server.code({ client_id: "web", redirect_uri: "https://web.example/cb" });
    server.advance(10);
    await look(server);
  }
  const written = () => lines.filter((line) => line.includes("CI-12"));
  await until(() => written().length >= 2);
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(written().length, 2);
  for (const line of written()) {
    assertMatch(line, /note.*CI-12[\s\S]*the code was not exchanged[\s\S]*https:\/\/as\.test\/flows\/of\/\d/);
  }
  assertEquals(notes(server).length, 6);
});

test("[CI-12] a server that listens looks by itself, without a request", async () => {
  await using as = await testLatchkey();
  const client = as.client();
  await as.listen({ port: 0 });
  await as.browser().authorize({ ...goodRequest, client_id: client.client_id, redirect_uri: client.redirect_uri });
  as.clock.advance(10);
  await until(() => as.log.exchanges.some(({ events }) => events.some(({ type }) => type === "note")));
});

test("[CI-12] a token request with the code, also a rejected one, is no note", async () => {
  await forEachCase(
    [{}, { code_verifier: "x".repeat(43) }, { redirect_uri: "https://spa.example/x" }],
    async (fields) => {
      const server = await testServer({ plugins: [recorder()] });
      await server.token({ code: await server.code(), ...fields });
      server.advance(10);
      await look(server);
      assertEquals(notes(server), []);
    },
  );
});

test("[CI-12] a token request after a jump of the clock is no note, nor is a code before the clock was set back", async () => {
  const server = await testServer({ plugins: [recorder()] });
  const code = await server.code();
  server.advance(3600);
  await server.token({ code });
  await server.code();
  server.advance(-60);
  await look(server);
  server.advance(3600);
  await look(server);
  assertEquals(notes(server), []);
});

test("[CI-12] it is no note: another instance exchanged the code, a callback of this server, a fault, a real host", async () => {
  const store = sharedStore();
  const server = await testServer({ store, plugins: [recorder()] });
  const other = await testServer({ store });
  assertEquals((await other.token({ code: await server.code() })).status, 200);

  const own = "https://as.test/authorized";
  const ofPage = await testServer({
    clients: [{ client_id: "spa", redirect_uris: [own] }],
    plugins: [recorder()],
  });
  await ofPage.code({ redirect_uri: own });

  const real = await testServer({ ...realHost, plugins: [recorder()] });
  await real.code();
  for (const one of [server, ofPage, real]) {
    one.advance(10);
    await look(one);
    assertEquals(notes(one), []);
  }

  await using as = await testLatchkey();
  as.on("authorize").once(faults.authorizationResponse.edited({ state: "another" }));
  const { client_id, redirect_uri } = as.client();
  await as.browser().authorize({ ...goodRequest, client_id, redirect_uri });
  as.clock.advance(10);
  await as.fetch(`${as.issuer}/oauth2/jwks`);
  assertEquals(as.log.exchanges.flatMap(({ events }) => events.filter(({ type }) => type === "note")), []);
});

test("[CI-12] two recorders of a server make one note", async () => {
  const server = await testServer({ plugins: [recorder(), recorder()] });
  await server.code();
  server.advance(10);
  await look(server);
  assertEquals(notes(server).length, 1);
});

test("[CI-12, RU-16] no correct client sees either observation", async () => {
  const listening = await testLatchkey({ alg: "RS256" });
  await listening.listen({ port: 0 });
  const inProcess = await testLatchkey({ alg: "RS256" });
  const logins: readonly (readonly [string, LibraryLogin])[] = [
    ...Object.entries(libraries),
    ...Object.entries(librariesOverSockets),
  ];
  await forEachCase(logins, async ([name, logIn]) => {
    const as = Object.hasOwn(libraries, name) ? inProcess : listening;
    await logIn(as);
    assert(as.log.exchanges.some(({ endpoint }) => endpoint === "token"));
    as.clock.advance(60);
    await as.fetch(`${as.issuer}/oauth2/jwks`);
    await new Promise((resolve) => setTimeout(resolve));
    const seen = as.log.exchanges.flatMap(({ events }) => events).flatMap((event) =>
      "explanation" in event ? [event.explanation.rule] : []
    );
    assertEquals(seen.filter((rule) => rule === "CI-12" || rule === "RU-16"), []);
    as.reset();
  });
  await listening.close();
  await inProcess.close();
});
