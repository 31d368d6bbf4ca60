/** The guide for tokens: the commands that it prints for a shell get tokens of the program as it starts. */

import { assert, assertEquals } from "@std/assert";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { promisify } from "node:util";
import { decodeClaims } from "../../kit.ts";
import { against } from "./program_requests.ts";

const guide = readFileSync("static/docs/get-a-token.md", "utf8");
const [machine, user, minted] = [...guide.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, script]) => script!);

test("the commands of the guide get a token of a machine, of a user, and without a login", {
  skip: process.platform === "win32",
}, async () => {
  await against({ args: ["--control", "on"] }, async (_, url) => {
    const print = async (script: string) => {
      const { stdout } = await promisify(execFile)("bash", ["-c", script.replaceAll("http://localhost:9000", url)]);
      return stdout.replaceAll("}{", "}\n{").trim().split("\n").map((line) => JSON.parse(line));
    };
    const [ofMachine] = await print(machine!);
    assertEquals([ofMachine.scope, decodeClaims(ofMachine.access_token).sub], ["read", "demo-confidential"]);
    const [ofUser] = await print(user!);
    assertEquals(ofUser.scope, "openid read offline_access");
    assertEquals(decodeClaims(ofUser.id_token).sub, "alice");
    assert(ofUser.refresh_token);
    const [valid, withRoles, expired] = (await print(minted!)).map(({ token }) => decodeClaims(token));
    assertEquals([valid!.scope, withRoles!.roles], ["read", ["admin"]]);
    assert(Number(expired!.exp) < Number(valid!.iat));
  });
});
