/**
 * By what an application knows its users: for every key but issuer and `sub`, the check finds the users whom the key
 * makes one, and no others.
 */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import type { AttackResult, CheckReport, ClientDriver, ClientJourney, ClientSession } from "../../src/check/mod.ts";
import { checkUsers, claimsIn } from "../../src/check/user_texts.ts";
import type { Fetch } from "../../src/testing/fetch.ts";
import { sample } from "../sample.ts";
import { checkClientWithEdDsa } from "./patient_check.ts";
import { smallClient } from "./small_client.ts";

type Claims = Readonly<Record<string, unknown>>;

/** What identifies a user. */
type Key = (claims: Claims) => string;

/** The claims that an application may take, alone or for a user who has them. */
const parts: Readonly<Record<string, (claims: Claims) => unknown>> = {
  "sub": ({ sub }) => sub,
  "email": ({ email }) => email,
  "local part of email": ({ email }) => email === undefined ? undefined : String(email).split("@")[0],
  "preferred_username": ({ preferred_username }) => preferred_username,
  "name": ({ name }) => name,
};

/** What an application does with a text before it compares it. */
const forms: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  "in lower case": (text) => text.toLowerCase(),
  "without white space": (text) => text.trim(),
  "its first characters": (text) => text.slice(0, 5),
  "after the last bar": (text) => text.split("|").at(-1)!,
};

/** Every key, by name; those without `iss` are of all issuers. */
const keys: readonly (readonly [string, Key])[] = Object.entries(parts).flatMap(([part, read]) =>
  Object.entries(forms).flatMap(([form, write]) => {
    const key = (claims: Claims) => write(String(read(claims) ?? claims.sub));
    return [
      [`${part}, ${form}, of an issuer`, (claims: Claims) => `${claims.iss} ${key(claims)}`] as const,
      [`${part}, ${form}`, key] as const,
    ];
  })
);

const correct = "sub, as it is, of an issuer";

/**
 * The correct client in an application that keeps the first claims of each user, by this key. Each journey has users of
 * its own, so that no verdict depends on the user of another attack.
 */
function applicationWith(key: Key): ClientDriver {
  const usersOf = new WeakMap<Fetch, Map<string, Claims>>();
  const client = smallClient();
  const inApplication = async ({ fetch }: ClientJourney, login: Promise<ClientSession>): Promise<ClientSession> => {
    const { claims = {}, ...session } = await login;
    const users = usersOf.get(fetch) ?? new Map<string, Claims>();
    usersOf.set(fetch, users);
    const name = key(claims);
    if (!users.has(name)) users.set(name, claims);
    const user = users.get(name)!;
    return { ...session, sub: String(user.sub), claims: user };
  };
  return {
    ...client,
    logIn: (journey) => inApplication(journey, client.logIn!(journey)),
    receiveCallback: (journey, callback) => inApplication(journey, client.receiveCallback!(journey, callback)),
  };
}

/** The user whom the attack described. */
const newUserIn = ({ evidence }: AttackResult): Claims =>
  Object.assign({}, ...evidence.exchanges.flatMap(claimsIn).filter(({ email }) => email !== undefined));

/** Whether a key makes one user of the new one and of the one who logged in before. */
function isOneUser(key: Key, result: AttackResult, known: Claims): boolean {
  const user = newUserIn(result);
  const iss = result.attack.journey === "second issuer" ? "https://other.test" : user.iss;
  return key(user) === key({ ...known, iss });
}

for (const [name, key] of sample(keys, 10, 3)) {
  test(`users known by ${name}: the check finds those whom this makes one, and no others`, async () => {
    const report: CheckReport = await checkClientWithEdDsa(applicationWith(key), {
      only: ["id-token/user-similar", "id-token/sub-of-another-issuer"],
    });
    assert(report.control.passed, String(report));
    const known = report.control.claims!;
    const expected = report.results.map((result) => isOneUser(key, result, known) ? "failed" : "passed");
    assertEquals(report.results.map(({ verdict }) => verdict), expected, String(report));
    assertEquals(expected.includes("failed"), name !== correct, String(report));
  });
}

test("no claim of a user of a check has the sub of one, or a part of it", () => {
  for (const { sub } of checkUsers) {
    const others = checkUsers.flatMap(({ sub: _, ...claims }) => Object.values(claims).map(String));
    const parts = Array.from({ length: sub.length - 2 }, (_, index) => sub.slice(index, index + 3).toLowerCase());
    assertEquals(parts.filter((part) => others.some((text) => text.toLowerCase().includes(part))), []);
  }
});
