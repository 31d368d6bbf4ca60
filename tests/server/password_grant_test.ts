/** What a client that sends the password grant reads: the proposed command works (group TK). */

import { assert, assertEquals } from "@std/assert";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { forEachCase } from "../kit.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";

const run = promisify(execFile);
const hasCurl = await run("curl", ["--version"]).then(() => true, () => false);

test("[TK-05] the fix for a password, and for a grant type of a provider, has a command that gets a token", {
  skip: !hasCurl,
}, async () => {
  const grants = [
    "password",
    "http://auth0.com/oauth/grant-type/password-realm",
    "http://auth0.com/oauth/grant-type/passwordless/otp",
    "urn:okta:params:oauth:grant-type:otp",
    "urn:ietf:params:oauth:grant-type:uma-ticket",
  ];
  const profiles = [{}, { profile: "keycloak" as const }, { profile: "auth0" as const }];
  await forEachCase(
    profiles.flatMap((options) => grants.map((grant) => [options, grant] as const)),
    async ([options, grant_type]) => {
      await using as = await testLatchkey({ ...options, control: true });
      await as.listen();
      const client = as.client({ confidential: true });
      await as.token(client, { grant_type, username: "alice", password: "x" }).catch(() => {});
      const { fix } = as.log.last("token")!.rejection!.explanation;
      const [command] = /curl .*$/.exec(fix!)!;
      const { stdout } = await run("sh", ["-c", command]);
      const { token } = JSON.parse(stdout);
      assert(typeof token === "string" && token.length > 20, stdout);
    },
  );
});

test("[TK-05] a server on a real host proposes no tools of tests", async () => {
  await using as = await testLatchkey({
    issuer: "https://login.widgets.com",
    testKeys: false,
    insecure: ["auto-login"],
  });
  const client = as.client({ confidential: true });
  await as.token(client, { grant_type: "password", username: "alice", password: "x" }).catch(() => {});
  assertEquals(/curl/.test(as.log.last("token")!.rejection!.explanation.fix!), false);
});
