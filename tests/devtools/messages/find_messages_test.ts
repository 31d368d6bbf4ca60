/** The matcher of the messages of client libraries: what it finds, and what it must not find. */

import { assert, assertEquals, assertLess } from "@std/assert";
import { test } from "node:test";
import { findMessages } from "../../../src/devtools/messages/find_messages.ts";
import { problems, problemsByName } from "../../../src/devtools/messages/messages.ts";
import { rulesOfSentence } from "../../../src/devtools/rules/find_by_sentence.ts";
import { forEachCase } from "../../kit.ts";
import { cpuTimeOf } from "../../until.ts";

const all = problems.flatMap((problem) => problem.messages.map((message) => ({ problem, message })));
/** The names of the problems of a text. */
const namesOf = (text: string) =>
  findMessages(text).map((found) => Object.keys(problemsByName).find((name) => problemsByName[name] === found.problem));

/** A message with values, as a library writes it. */
const written = (text: string) => text.replaceAll("*", "http://localhost:9000");

test("every message is found alone, in a stack trace, in a log as JSON, and without the quotes that a shell takes", async () => {
  const places: readonly ((text: string) => string)[] = [
    (text) => text,
    (text) => `OperationProcessingError: ${text}\n    at validate (file:///app/node_modules/x/index.js:12:3)`,
    (text) => JSON.stringify({ level: "error", message: `Error: ${text}` }),
    (text) => `Caused by: org.example.Exception: ${text.replaceAll(" ", "\n  ")}`,
    (text) => text.replaceAll(/["'`]/g, ""),
  ];
  await forEachCase(all, ({ problem, message }) => {
    for (const place of places) {
      const found = findMessages(place(written(message?.text)));
      assertEquals(found.map((one) => one.problem.title), [problem.title], place(written(message?.text)));
    }
  });
});

test("a part of a message counts if no other problem has it", () => {
  for (
    const [text, name] of [
      ["unexpected aud", "aud"],
      ["no matching state found", "browser_state"],
      ["issuer did not match the issuer returned", "metadata_issuer"],
    ] as const
  ) assertEquals(namesOf(text)[0], name, text);
  for (const text of ["does not match", "was missing", "jwt"]) assertEquals(namesOf(text), [], text);
});

test("each kind is recognized by its words, in any language and library, and other texts are not", async () => {
  const texts: Readonly<Record<string, readonly string[]>> = {
    name: [
      "getaddrinfo ENOTFOUND id.test",
      "dial tcp: lookup id.test on 127.0.0.11:53: no such host",
      "java.net.UnknownHostException: id.test",
      "socket.gaierror: [Errno -2] Name or service not known",
      "No such host is known. (id.test:443)",
      "cURL error 6: Could not resolve host: id.test",
      "dns error: failed to lookup address information: Name or service not known",
      "net::ERR_NAME_NOT_RESOLVED",
    ],
    refused: [
      "connect ECONNREFUSED ::1:9000",
      "dial tcp [::1]:9000: connect: connection refused",
      "No connection could be made because the target machine actively refused it.",
      "tcp connect error: Connection refused (os error 61)",
      "Failed to connect to localhost port 9000: Connection refused",
    ],
    reset: ["socket hang up", "read ECONNRESET", "Remote end closed connection without response"],
    timeout: [
      "connect ETIMEDOUT 10.0.0.1:443",
      "net/http: request canceled (Client.Timeout exceeded while awaiting headers)",
    ],
    certificate: [
      "x509: certificate signed by unknown authority",
      "PKIX path building failed: unable to find valid certification path to requested target",
      "invalid peer certificate: UnknownIssuer",
      "net::ERR_CERT_AUTHORITY_INVALID",
      "SSL certificate problem: unable to get local issuer certificate",
    ],
    tls: ["tls: first record does not look like a TLS handshake", "Unsupported or unrecognized SSL message"],
    csp: [`Refused to connect to 'http://localhost:9000' because it violates the document's Content Security Policy.`],
    cookie: ["This Set-Cookie header was blocked because it had the SameSite=None attribute but not Secure"],
    exp: ["JWTExpired", "ExpiredSignatureError", "The token is expired", "io.jsonwebtoken.ExpiredJwtException"],
    aud: ["InvalidAudienceError", "token has invalid audience", "IDX10214: Audience validation failed."],
    kid: ["JSON::JWK::Set::KidNotFound", "IDX10501: Signature validation failed.", "ERR_JWKS_NO_MATCHING_KEY"],
    iss: ["The claim 'iss' value doesn't match the required one", "token has invalid issuer"],
    invalid_client: ["AADSTS7000215: Invalid client secret provided.", "Invalid client or Invalid client credentials"],
    redirect_uri: ["redirect_uri_mismatch", "AADSTS50011: The redirect URI specified in the request does not match"],
  };
  await forEachCase(Object.entries(texts), ([name, examples]) => {
    for (const text of examples) assertEquals(namesOf(text)[0], name, text);
  });
  const others = [
    "npm error ERESOLVE unable to resolve dependency tree",
    "TypeError: Cannot read properties of undefined (reading 'token')",
    `SyntaxError: Unexpected token '<', "<!DOCTYPE "... is not valid JSON`,
    "psycopg2.OperationalError: connection to server at port 5432 failed: Connection refused",
    "ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: YES), mysql",
    "Invalid signature in the PDF document",
    "Each child in a list should have a unique key prop",
    "git@example.test: Permission denied (publickey).",
  ];
  await forEachCase(others, (text) => assertEquals(namesOf(text), [], text));
});

test("the values of a message are compared, and their difference stands first", async () => {
  const differences: readonly (readonly [expected: string, received: string, words: string])[] = [
    ["http://localhost:9000", "http://localhost:9000/", "a slash at the end"],
    ["http://localhost:9000", "http://127.0.0.1:9000", "127.0.0.1 instead of localhost"],
    ["http://localhost:9000", "http://localhost:9001", "the port, 9001 instead of 9000"],
    ["http://localhost:9000", "https://localhost:9000", "the scheme"],
    ["http://localhost:9000/A", "http://localhost:9000/a", "letter case"],
    ["http://id.test", "http://localhost", "the host, localhost instead of id.test"],
    ["http://id.test/realms/a", "http://id.test/realms/b", "the path"],
  ];
  await forEachCase(differences, ([expected, received, words]) => {
    for (
      const text of [
        `unexpected iss value, expected ${expected}, got: ${received}`,
        `invalid issuer of the token: expected "${expected}" but was "${received}"`,
        `oidc: id token issued by a different provider, expected "${expected}" got "${received}"`,
      ]
    ) {
      const [first] = findMessages(text);
      assertEquals(first!.causes[0]!.includes(words), true, `${text}: ${first!.causes[0]}`);
      assertEquals(first!.causes[0]!.endsWith(`expected ${expected}, received ${received}.`), true, text);
    }
  });
});

test("the times of a message are compared", () => {
  const cases = [
    ["ValidTo (UTC): '3/1/2025 10:00:00 AM', Current time (UTC): '3/1/2025 10:09:12 AM'", "9 minutes"],
    ["exp 1740823200, now 1740823260", "1 minute"],
    ["at 2025-03-01T10:00:00Z. Current time: 2025-03-01T12:00:00Z", "2 hours"],
    ["expired at 2025-03-01 10:00:00 +0000, now 2025-03-03 10:00:00 +0000", "2 days"],
  ] as const;
  for (const [times, words] of cases) {
    const [found] = findMessages(`the token is expired: ${times}`);
    assertEquals(found!.causes[0]!.startsWith(`The times of the message are ${words} apart`), true, found!.causes[0]);
  }
  const clock = findMessages("the token is expired: exp 1740823200, now 1740823260")[0]!;
  assertEquals(clock.causes[1], problemsByName.exp!.causes[1]);
});

test("every message has its facts, and the texts differ", () => {
  for (const { causes, application, server, guide, title } of problems) {
    assert(causes.length > 0 && application !== "" && server !== "" && /^[\w/.-]+\.md(#[\w-]+)?$/.test(guide), title);
  }
  const texts = all.map(({ message }) => message?.text);
  assertEquals(texts.filter((text, index) => texts.indexOf(text) !== index), []);
  assert(texts.length >= 80 && new Set(all.flatMap(({ message }) => message.libraries)).size >= 25);
});

test("a long text costs little", async () => {
  const cost = await cpuTimeOf(() => {
    findMessages("expected ".repeat(20_000));
    findMessages('unexpected JWT "'.repeat(6_000));
    findMessages("Invalid issuer. Expected ".repeat(4_000));
    findMessages(`(${"nonce did not match (wants x but got ".repeat(2_500)}\n)`);
    findMessages("Failed to connect to x port ".repeat(4_000));
    for (
      const part of [
        " ",
        ": ",
        "\n",
        "a",
        "A",
        "%41",
        "invalid_grant ",
        "token expired ",
        "expected 'x' got ",
        "http://a/b?c ",
      ]
    ) {
      findMessages(part.repeat(100_000));
      rulesOfSentence(part.repeat(100_000));
    }
  });
  assertLess(cost, 5_000);
});

test("a value may have the words of the message that follow it", () => {
  const text = "Protected resource http://a does not match expected http://b (or origin)";
  for (const value of ["http://a does not match expected", "b does not match expected c (or"]) {
    const found = findMessages(text.replace("http://a", value));
    assertEquals(found[0]?.message?.text, "Protected resource * does not match expected * (or origin)");
  }
});
