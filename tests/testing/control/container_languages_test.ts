/** The files for Testcontainers in other languages, read or run by their own tools. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { startProgram } from "./container_program.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-container-"));
after(() => rmSync(folder, { recursive: true }));
const files = ["LatchkeyContainer.cs", "LatchkeyContainer.java", "latchkey.go", "latchkey_container.py"];
const isInstalled = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;

test("the files for other languages set the same variables, port and path", () => {
  const own = readFileSync("src/testing/control/container.ts", "utf8");
  for (const file of files) {
    const text = readFileSync(`static/testcontainers/${file}`, "utf8");
    for (
      const part of ["LATCHKEY_ISSUER", "from-host", "LATCHKEY_CONTROL", "LATCHKEY_CONFIG_JSON", "9000", "/readyz"]
    ) {
      assertStringIncludes(text, part, file);
      assertStringIncludes(own, part);
    }
  }
});

test("gofmt reads the file for Go and changes nothing", { skip: !isInstalled("go", "version") }, () => {
  const { status, stdout, stderr } = spawnSync("gofmt", ["-l", "static/testcontainers/latchkey.go"], {
    encoding: "utf8",
  });
  assertEquals([status, stdout, stderr], [0, "", ""]);
});

test("javac accepts the file for Java, with the signatures of Testcontainers", {
  skip: !isInstalled("javac", "-version"),
}, () => {
  const stubs: Readonly<Record<string, string>> = {
    "org/testcontainers/containers/wait/strategy/WaitStrategy.java":
      "package org.testcontainers.containers.wait.strategy; public interface WaitStrategy {}",
    "org/testcontainers/containers/wait/strategy/HttpWaitStrategy.java":
      "package org.testcontainers.containers.wait.strategy; public class HttpWaitStrategy implements WaitStrategy { public HttpWaitStrategy forPort(int port) { return this; } }",
    "org/testcontainers/containers/wait/strategy/Wait.java":
      "package org.testcontainers.containers.wait.strategy; public class Wait { public static HttpWaitStrategy forHttp(String path) { return new HttpWaitStrategy(); } }",
    "org/testcontainers/containers/GenericContainer.java":
      `package org.testcontainers.containers; public class GenericContainer<SELF extends GenericContainer<SELF>> {
        public GenericContainer(String image) {}
        public SELF withExposedPorts(Integer... ports) { return null; }
        public SELF withEnv(String name, String value) { return null; }
        public SELF waitingFor(org.testcontainers.containers.wait.strategy.WaitStrategy strategy) { return null; }
        public String getHost() { return null; }
        public Integer getMappedPort(int port) { return null; } }`,
  };
  for (const [path, text] of Object.entries(stubs)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const own = resolve("static/testcontainers/LatchkeyContainer.java");
  const args = ["-Xlint:all", "-Werror", "-d", join(folder, "out"), "-sourcepath", folder, own];
  const { status, stderr } = spawnSync("javac", args, { encoding: "utf8" });
  assertEquals([status, stderr], [0, ""]);
});

test("the file for Python starts, is ready, and has an issuer and a control that respond", {
  skip: !isInstalled("python3", "--version"),
}, async () => {
  const { port, close } = await startProgram({ LATCHKEY_ISSUER: "from-host", LATCHKEY_CONTROL: "on" });
  const home = join(folder, "testcontainers/core");
  mkdirSync(home, { recursive: true });
  writeFileSync(
    join(home, "container.py"),
    `class DockerContainer:
    def __init__(self, image): self.env = {}
    def with_exposed_ports(self, *ports): assert ports == (9000,)
    def with_env(self, name, value): self.env[name] = value
    def start(self): return self
    def stop(self): pass
    def get_container_host_ip(self): return "localhost"
    def get_exposed_port(self, inner): return ${port}
`,
  );
  const script = `import json, urllib.request
from latchkey_container import LatchkeyContainer
latchkey = LatchkeyContainer("latchkey:1", {"users": []}).start()
health = json.load(urllib.request.urlopen(latchkey.control + "/health"))
print(health["issuer"] == latchkey.issuer, json.dumps(latchkey.env, sort_keys=True))`;
  const env = {
    ...process.env,
    PYTHONPATH: `${folder}:${resolve("static/testcontainers")}`,
    PYTHONDONTWRITEBYTECODE: "1",
  };
  const child = spawn("python3", ["-c", script], { env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk) => void (output += chunk));
  await new Promise((resolve) => child.on("close", resolve));
  await close();
  const expected = { LATCHKEY_CONFIG_JSON: '{"users": []}', LATCHKEY_CONTROL: "on", LATCHKEY_ISSUER: "from-host" };
  const [same, ...rest] = output.trim().split(" ");
  assertEquals([same, JSON.parse(rest.join(" "))], ["True", expected]);
});
