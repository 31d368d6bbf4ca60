/** The program as it is operated: https, logs, proxies, limits, and how it stops. */

import { assert, assertEquals, assertGreater, assertMatch, assertNotMatch, assertRejects } from "@std/assert";
import type { IncomingHttpHeaders } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { test } from "node:test";
import { version } from "../../../src/cli/about.ts";
import { sqliteStore } from "../../../src/platform/store/sqlite.ts";
import { basic, encode, forEachCase } from "../../kit.ts";
import { certificate, lockedKey, otherKey, privateKey } from "../../platform/runtime/certificate.ts";
import { against, file, folder } from "../../platform/runtime/program_requests.ts";
import { binary, runProgram } from "../../platform/runtime/run_program.ts";
import { latchkey } from "../../secret_leak_check.ts";
import { until } from "../../until.ts";
import {
  continuePattern,
  formRequestHead,
  getBody,
  getStatuses,
  openRawConnection,
  requestHead,
  sendRaw,
} from "../../platform/runtime/raw_connection.ts";

/** The response to one request over its own connection. */
async function get(port: number, path: string, ...headers: readonly string[]): Promise<string> {
  return await sendRaw(port, requestHead(`GET ${path} HTTP/1.1`, "Host: localhost", "Connection: close", ...headers));
}

const pem = ["--tls-cert", file("cert.pem", certificate), "--tls-key", file("key.pem", privateKey)];

/** GET over https, trusting the certificate of these tests alone. */
function securely(url: string): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ca: certificate, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => text += part);
      response.on("end", () => resolve({ status: response.statusCode!, headers: response.headers, text }));
    });
    sent.on("error", reject).end();
  });
}

test("[MT-08] the banner names the port that asks clients for certificates", async () => {
  // Bun, which executable files are made with, does not pass certificates on.
  if (binary !== undefined || "Bun" in globalThis) return;
  const config = file("mutual_tls.json", JSON.stringify({ mutualTls: { port: 0 } }));
  await against({ args: [...pem, "--config", config] }, async ({ banner, port }) => {
    const { text } = await securely(`https://localhost:${port}/.well-known/openid-configuration`);
    const { origin } = new URL(JSON.parse(text).mtls_endpoint_aliases.token_endpoint);
    assert(banner.includes(`\nMutual TLS ${origin}\n`), banner);
  });
});

test("[OP-05, HT-16] with a certificate the program serves https, and its issuer begins with it", async () => {
  await against({ args: pem }, async ({ banner, port }) => {
    const issuer = `https://localhost:${port}`;
    const [firstLine = ""] = banner.split("\n", 1);
    assert(firstLine.startsWith(`Latchkey ${version}, ready in `) && firstLine.endsWith(`, issuer ${issuer}`), banner);
    const { status, headers, text } = await securely(`${issuer}/.well-known/openid-configuration`);
    const metadata = JSON.parse(text);
    assertEquals([status, metadata.issuer, metadata.token_endpoint], [200, issuer, `${issuer}/oauth2/token`]);
    // It would bind every other program on this machine, too.
    assertEquals(headers["strict-transport-security"], undefined);
    const home = await securely(`${issuer}/`);
    assertMatch(String(home.headers["set-cookie"]), /; Secure/);
    assert(!home.text.includes(issuer.replace("https", "http")), home.text);
    assertEquals(getStatuses(await get(port, "/").catch(() => "")).filter((status) => status < 400), []);
    assertEquals((await securely(`${issuer}/readyz`)).status, 200);
  });
});

test("[OP-05, OP-04] over https a request in flight gets its response when the program is stopped", async () => {
  await against({ args: pem }, async (program) => {
    const body = "client_id=bob";
    const responded = new Promise<string>((resolve, reject) => {
      const headers = {
        ...{ "content-type": "application/x-www-form-urlencoded", "content-length": body.length },
        expect: "100-continue",
      };
      const url = `https://localhost:${program.port}/oauth2/token`;
      const sent = request(url, { method: "POST", headers, ca: certificate, agent: false }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => text += part).on("end", () => resolve(text));
      });
      sent.on("error", reject).flushHeaders();
      // The program has the request.
      sent.on("continue", () => {
        program.signal("SIGTERM");
        program.waitForOutput(/^Stopping/m).then(() => sent.end(body));
      });
    });
    assertMatch(await responded, /"error":"invalid_(client|request)"/);
    assertEquals((await program.exited).code, 0);
  });
});

test("[OP-05] unusable certificates end the start with exit code 1 and one fix", async () => {
  const cert = pem[1]!;
  const key = pem[3]!;
  const cases = [
    [
      cert,
      file("other.pem", otherKey),
      /does not match the certificate\. Give the two files that belong together\.$/,
    ],
    [cert, file("locked.pem", lockedKey), /has a passphrase\. Remove it/],
    [cert, file("empty.pem", ""), /private key is an empty file/],
    [key, key, /certificate is PEM of another kind/],
    [cert, join(folder, "none.pem"), /found no file at this path/],
  ] as const;
  await forEachCase(cases, async ([cert, key, sentence]) => {
    const { code, stdout, stderr } = await runProgram({ args: ["--port", "0", "--tls-cert", cert, "--tls-key", key] });
    assertEquals([code, stdout], [1, ""], stderr);
    assertMatch(stderr.trimEnd(), sentence);
    assertNotMatch(stderr, /^\s+at |Error\b|PRIVATE KEY-----\n/m);
  });
});

test("[HT-15, OP-03] a JSON log has one object per line, from the first to the last, with the sender that a trusted proxy names", async () => {
  const start = { args: ["--log", "json", "--trust-proxy", "127.0.0.0/8,::1"] };
  await against(start, async (program) => {
    const asked = await get(program.port, "/oauth2/jwks?a=secret", "X-Forwarded-For: 192.0.2.7", "X-Request-Id: up-1");
    assertMatch(asked, /\r\nx-request-id: up-1\r\n/i);
    const form = encode({ grant_type: "authorization_code", code: "a-guess" });
    await fetch(`http://localhost:${program.port}/oauth2/token`, {
      method: "POST",
      body: form,
      headers: { "content-type": "application/x-www-form-urlencoded", ...basic("unknown", "a-wrong-secret") },
    }).then((response) => response.body?.cancel());
    program.signal("SIGTERM");
    const { code, stdout, stderr } = await program.exited;
    assertEquals([code, stdout], [0, ""]);
    const lines = stderr.trimEnd().split("\n").map((line) => JSON.parse(line));
    assertEquals(lines.map(({ event }) => event).filter((event) => event !== "key_created"), [
      ...["listening", "request", "rejected", "request", "stopping"],
    ]);
    const [first, second] = lines.filter(({ event }) => event === "request");
    assertEquals([first.address, first.path, first.request], ["192.0.2.7", "/oauth2/jwks", "up-1"]);
    assertMatch(first.proxy, /^(127\.0\.0\.1|::ffff:127\.0\.0\.1|::1)$/);
    assertEquals([second.endpoint, second.status, second.level], ["token", 401, "info"]);
    for (const { time, level } of lines) {
      assertMatch(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      assertMatch(level, /^(info|warn|error)$/);
    }
    for (const secret of ["a=secret", "a-guess", "a-wrong-secret"]) assert(!stderr.includes(secret), secret);
  });
});

test("[OP-10] startup shows and logs what only the store has, and what the configuration replaces there", async () => {
  const path = join(folder, "changed.db");
  const before = await latchkey({ store: sqliteStore(path) });
  await before.clients.set({ client_id: "late", redirect_uris: ["https://late.example/cb"] });
  await before.clients.delete("demo-confidential");
  for (let i = 0; i < 25; i++) await before.users.set({ sub: `u${i}` });
  await before.close();
  await against({ args: ["--store", `sqlite:${path}`] }, async ({ banner, output, signal, exited }) => {
    assertMatch(
      banner,
      /^Clients +demo-public \(public\), demo-confidential \(.*\), late \(only in the store\); redirect URI of the demo: /m,
    );
    assertMatch(
      banner,
      /^Users +alice \(logs in automatically\), bob, u0 \(only in the store\), .* \(only in the store\), and 19 more;/m,
    );
    signal("SIGTERM");
    await exited;
    assertMatch(output(), /^\S+Z the store has clients that the configuration lacks: late$/m);
    assertMatch(output(), /^\S+Z the store has users that the configuration lacks: u0, u1, .*, u4 and 5 more$/m);
  });
  const client = { client_id: "late", client_secret: "new", redirect_uris: ["https://web.example/cb"] };
  const changed = file("changed.json", JSON.stringify({ clients: [client] }));
  const args = ["--store", `sqlite:${path}`, "--log", "json", "--config", changed];
  await against({ args }, async ({ output, signal, exited }) => {
    signal("SIGTERM");
    await exited;
    const lines = output().split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
    const left = lines.filter(({ rule }) => rule === "OP-10");
    assertEquals(left.map(({ level, client }) => [level, client]), [["warn", "late"]]);
    const stored = lines.filter(({ event }) => event === "stored_entries");
    assertEquals(stored.map(({ of, ids, more }) => [of, ids.length, more]), [["users", 20, 5]]);
  });
});

test("[OP-03] without a trusted proxy no header changes the sender of a request", async () => {
  await against({ args: ["--log", "json"] }, async (program) => {
    await get(program.port, "/oauth2/jwks", "X-Forwarded-For: 192.0.2.7", "X-Request-Id: up-1");
    await program.waitForOutput(/"event":"request"/);
    assert(!program.output().includes("192.0.2.7") && !program.output().includes("up-1"), program.output());
  });
});

test("a disabled log is empty", async () => {
  await against({ args: ["--log", "off"] }, async (program) => {
    await get(program.port, "/oauth2/authorize?client_id=unknown");
    program.signal("SIGTERM");
    assertEquals((await program.exited).stderr, "");
  });
});

test("[OP-01] requests beyond the program's concurrency limit are 503, and then it continues", async () => {
  await against({ args: ["--max-in-flight", "1"] }, async ({ port }) => {
    const kept = await openRawConnection(port);
    kept.send(formRequestHead("/oauth2/token", "Content-Length: 13", "Expect: 100-continue", "Connection: close"));
    await kept.until(continuePattern);
    const rejected = await sendRaw(port, formRequestHead("/oauth2/token", "Content-Length: 0", "Connection: close"));
    assertEquals(getStatuses(rejected), [503]);
    assertMatch(rejected, /\r\nretry-after: 1\r\n/i);
    // A request without a body still gets its response.
    assertEquals(getStatuses(await get(port, "/oauth2/jwks")), [200]);
    kept.send("client_id=bob");
    assertEquals(getStatuses(await kept.closed), [100, 401]);
    assertEquals(getStatuses(await get(port, "/oauth2/jwks")), [200]);
  });
});

test("[OP-04] a stop under load loses no request: not ready immediately, served until the timeout, then ended", async () => {
  const drain = 8;
  await against({ args: ["--drain", String(drain), "--log", "off"] }, async (program) => {
    const { port } = program;
    const url = `http://localhost:${port}`;
    let ready = true;
    let responded = 0;
    const failures: unknown[] = [];
    const ask = async (path: string, init?: RequestInit) => {
      try {
        const response = await fetch(url + path, init);
        await response.text();
        if (response.status === 200) responded++;
        else if (path !== "/readyz") failures.push(response.status);
        return response.status;
      } catch (error) {
        failures.push(error);
      }
    };
    const form = encode({ grant_type: "client_credentials" });
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      ...basic("demo-confidential", "demo-secret"),
    };
    // What a load balancer does: sends wherever it is ready, and asks again and again whether it is.
    const balancer = Promise.all([
      ...Array.from({ length: 6 }, async () => {
        while (ready) await ask("/oauth2/token", { method: "POST", body: form, headers });
      }),
      (async () => {
        while (ready) {
          ready = await ask("/readyz") === 200;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })(),
    ]);
    await until(() => responded >= 30 || failures.length > 0);
    const kept = await openRawConnection(port);
    kept.send(formRequestHead("/oauth2/token", "Content-Length: 13", "Expect: 100-continue", "Connection: close"));
    await kept.until(continuePattern);
    program.signal("SIGTERM");
    const logged = performance.now();
    await program.waitForOutput(/^Stopping in 8 seconds: until then/m);
    // During the drain requests are still served, on new connections too.
    assertEquals(getStatuses(await get(port, "/readyz")), [503]);
    assertEquals(getStatuses(await get(port, "/healthz")), [200]);
    assertEquals(getStatuses(await get(port, "/oauth2/jwks")), [200]);
    await balancer;
    assertEquals(failures, []);
    // Then no new connection is accepted, and requests in flight are finished.
    while (await openRawConnection(port).then((wire) => (wire.close(), true), () => false)) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assertGreater(performance.now() - logged, drain * 900);
    kept.send("client_id=bob");
    assertMatch(getBody(await kept.closed), /"error":"invalid_(client|request)"/);
    const { code, stderr } = await program.exited;
    assertEquals([code, stderr], [0, ""]);
    await assertRejects(() => openRawConnection(port));
  });
});

test("[OP-04] a second signal ends the program immediately", async () => {
  await against({ args: ["--drain", "60"] }, async (program) => {
    program.signal("SIGTERM");
    await program.waitForOutput(/^Stopping/m);
    program.signal("SIGTERM");
    assertEquals((await program.exited).code, 1);
  });
});

test("[OP-06] a client added on a page of one process works on another within a second, and after both restarted", async () => {
  const config = file("shared.json", JSON.stringify({ alg: "ES256", issuer: "http://shared.test" }));
  const start = { args: ["--config", config, "--store", `sqlite:${join(folder, "shared.db")}`] };
  const ask = (port: number) => {
    const client = "client_id=late&redirect_uri=https%3A%2F%2Flate.example%2Fcb";
    const challenge = "code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256";
    return get(port, `/oauth2/authorize?response_type=code&${client}&${challenge}&scope=openid`);
  };
  await against(start, (one) =>
    against(start, async (two) => {
      assertEquals(getStatuses(await ask(two.port)), [400]);
      const page = await fetch(`http://localhost:${one.port}/`);
      const cookie = page.headers.get("set-cookie")!.split(";")[0]!;
      const form_token = /name="form_token" value="([^"]+)"/.exec(await page.text())![1]!;
      for (const client_id of ["late", "brief"]) {
        const added = await fetch(`http://localhost:${one.port}/clients`, {
          method: "POST",
          redirect: "manual",
          headers: { cookie },
          body: new URLSearchParams({
            ...{ form_token, client_id, redirect_uris: "https://late.example/cb" },
            token_endpoint_auth_method: "none",
          }),
        });
        assertEquals(added.status, 303);
      }
      assertEquals(getStatuses(await ask(two.port)), [302]);
      assertEquals(getStatuses(await get(one.port, "/clients/brief")), [200]);
      const url = `http://localhost:${two.port}/clients/brief`;
      const brief = await fetch(url);
      const removed = await fetch(url, {
        method: "POST",
        redirect: "manual",
        headers: { cookie: brief.headers.get("set-cookie")!.split(";")[0]! },
        body: new URLSearchParams({
          form_token: /name="form_token" value="([^"]+)"/.exec(await brief.text())![1]!,
          action: "remove",
        }),
      });
      assertEquals(removed.status, 303);
      await until(async () => getStatuses(await get(one.port, "/clients/brief"))[0] === 404);
    }));
  await against(start, async ({ port }) => {
    assertEquals(getStatuses(await ask(port)), [302]);
    assertEquals(getStatuses(await get(port, "/clients/brief")), [404]);
  });
});

test("a configuration with secrets and store in separate files starts, and shows no store password", async () => {
  const config = file(
    "secrets.json",
    JSON.stringify({
      alg: "ES256",
      clients: [{
        client_id: "web",
        client_secret: { file: file("web.secret", "web-secret-web-secret\n") },
        grant_types: ["client_credentials"],
      }],
    }),
  );
  const store = file("store", `sqlite:${join(folder, "kept.db")}\n`);
  await against({ args: ["--config", config], env: { LATCHKEY_STORE_FILE: store } }, async ({ banner, port }) => {
    assertMatch(banner, /kept in .*kept\.db$/m);
    const response = await fetch(`http://localhost:${port}/oauth2/token`, {
      method: "POST",
      body: encode({ grant_type: "client_credentials", scope: "read" }),
      headers: { "content-type": "application/x-www-form-urlencoded", ...basic("web", "web-secret-web-secret") },
    });
    assertEquals(response.status, 200);
    await response.body?.cancel();
  });
});
