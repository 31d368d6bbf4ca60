/** mod_auth_openidc of Debian's package, as its README sets it up. */

import { assert, assertEquals } from "@std/assert";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { webApplication } from "../../../src/check/mod.ts";
import { startProcess } from "../../many/processes.ts";
import { findFreePort } from "../../platform/runtime/free_port.ts";
import { testLatchkey } from "../../testing/test_latchkey.ts";
import { until } from "../../until.ts";
import { findingLines } from "../accusations.ts";
import { checkClient } from "../patient_check.ts";

const modules = "/usr/lib/apache2/modules";

/** Loads what every Apache of Debian loads, and then has the README's configuration. The page shows the user. */
const configuration = (folder: string, port: number, issuer: string, id: string, secret: string) => `
ServerName localhost
DefaultRuntimeDir ${folder}
PidFile ${folder}/pid
ErrorLog ${folder}/error.log
Listen 127.0.0.1:${port}
User www-data
${
  ["mpm_event", "authn_core", "authz_core", "authz_user", "include", "auth_openidc"]
    .map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`).join("\n")
}
DocumentRoot ${folder}
ForceType text/html
Options +Includes
SetOutputFilter INCLUDES

OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration
OIDCClientID ${id}
OIDCClientSecret ${secret}
OIDCRedirectURI http://localhost:${port}/secure/redirect_uri
OIDCCryptoPassphrase a-random-passphrase
<Location /secure>
  AuthType openid-connect
  Require valid-user
</Location>
`;

/** What the check finds in version 2.4.12, with the function that causes it. */
const findings = [
  // oidc_util_http_call: libcurl follows a redirect of the token endpoint, with 307 and 308 with the code.
  ...[301, 302, 303].map((status) => `warning transport/redirect {"status":${status}}`),
  ...[307, 308].map((status) => `failed transport/redirect {"status":${status}}`),
  // oidc_util_issuer_match: a slash more or less at the end is no difference.
  'failed id-token/iss-wrong {"value":"slash"}',
  // oidc_proto_validate_aud_and_azp: the client is one of the audiences, and the others may be any.
  'failed id-token/aud-wrong {"value":"list"}',
  // oidc_proto_validate_idtoken: `sub` is a string, and may be empty.
  'warning id-token/sub-missing {"value":"empty"}',
  // oidc_jwt_parse: no line reads `crit`.
  ...["urn:example:extension", "b64"].map((name) => `failed id-token/parts {"how":"crit ${name}"}`),
  // oidc_proto_validate_jwt: it reads `exp` and `iat`, and not `nbf`.
  'warning id-token/nbf-future {"value":"in an hour"}',
  // oidc_proto_validate_response_type_mode_issuer: a code may be empty, and an absent `iss` is accepted. Of a repeated
  // parameter one is read.
  'warning response/iss-missing {"value":"absent"}',
  'warning response/code-missing {"value":"empty"}',
  'warning response/repeated {"parameter":"code"}',
];

test("mod_auth_openidc, as its README sets it up, has the findings that its source explains", {
  skip: !existsSync(`${modules}/mod_auth_openidc.so`),
}, async () => {
  await using as = await testLatchkey({ alg: "RS256" });
  const { url: issuer } = await as.listen();
  const port = await findFreePort();
  const page = `http://localhost:${port}/secure`;
  const client = as.client({ redirect_uri: `${page}/redirect_uri`, confidential: true });
  // Not in the temporary folder of the tests, which Apache's own user may not enter.
  const folder = await mkdtemp("/tmp/apache-");
  const file = join(folder, "apache.conf");
  await chmod(folder, 0o755);
  await writeFile(file, configuration(folder, port, issuer, client.client_id, client.client_secret!));
  await writeFile(join(folder, "secure"), 'Hello <!--#echo var="OIDC_CLAIM_sub" -->');
  const apache = startProcess("/usr/sbin/apache2", ["-f", file, "-DFOREGROUND"]);
  try {
    await until(() => existsSync(join(folder, "pid")));
    const only = ["response", ...findings.map((finding) => finding.split(" ")[1]!)];
    const report = await checkClient(webApplication(page, { loggedInText: "alice" }), { as, recoveryMs: 0, only });
    assert(report.control.passed, `${report}${apache.output()}`);
    assertEquals(findingLines(report).toSorted(), findings.toSorted(), String(report));
  } finally {
    await apache.end();
    await rm(folder, { recursive: true });
  }
});
