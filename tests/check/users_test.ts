/** Verdicts by who is logged in: they depend neither on the default user nor on what a page shows of a user. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { accusations } from "./accusations.ts";
import { accountKeys, accountPage, accountTextsFor } from "./broken_accounts.ts";
import type { CheckReport } from "../../src/check/mod.ts";
import { checkUsers } from "../../src/check/user_texts.ts";
import type { User } from "../../src/mod.ts";
import { sample } from "../sample.ts";
import { checkClient } from "./patient_check.ts";
import { checkInProcess, shop } from "./fixed_issuer.ts";
import { smallClient } from "./small_client.ts";
import type { ApplicationMistake, ApplicationVariant } from "./small_web_application.ts";

/** What the pages of applications show of the userinfo of a session. */
const userPages: Readonly<Record<string, (info: object) => string>> = {
  "sub": (info) => pick(info, "sub"),
  "email": (info) => pick(info, "email"),
  "sub and email": (info) => pick(info, "sub", "email"),
  "name": (info) => pick(info, "name"),
  "all claims": (info) => JSON.stringify(info),
};

function pick(info: object, ...claims: string[]): string {
  return JSON.stringify(Object.fromEntries(Object.entries(info).filter(([name]) => claims.includes(name))));
}

/** Users of a server, the default user first. */
const userLists: Readonly<Record<string, readonly User[]>> = {
  "alice": [
    { sub: "alice", name: "Alice Adams", email: "alice@example.com" },
    { sub: "bob", name: "Bob Brown", email: "bob@example.com" },
  ],
  "bob": [
    { sub: "bob", name: "Bob Brown", email: "bob@example.com" },
    { sub: "alice", name: "Alice Adams", email: "alice@example.com" },
  ],
  "mallory": [
    { sub: "mallory", name: "Mallory Miller", email: "mallory@example.com" },
    { sub: "alice", name: "Alice Adams", email: "alice@example.com" },
  ],
  "a part of mallory": [
    { sub: "mal", name: "Mal", email: "mal@example.com", preferred_username: "mallory" },
    { sub: "mallory", name: "Mallory Miller", email: "mallory@example.com" },
  ],
  "a number": [
    { sub: "248289761001", name: "Jane Doe", email: "janedoe@example.com" },
    { sub: "2482897610012", name: "Jane Doe", email: "bigjanedoe@example.com" },
  ],
  "no email": [{ sub: "carol" }, { sub: "dave" }],
  "the user of a check": checkUsers,
};

/** The attacks whose verdict depends on who is logged in. */
const only = [
  ...["id-token/user-similar", "userinfo/sub-other", "userinfo/thin"],
  "refresh/id-token-other",
  ...["response/swapped", "response/twice", "response/state-of-another-browser"],
  "session/two-users",
];

interface Situation {
  readonly users: readonly User[];
  /** What the pages show of the userinfo of a session. */
  readonly userPage: (info: object) => string;
  /** Default: the page where the login ends. */
  readonly loggedInUrl?: string;
  readonly loggedInText?: string;
  readonly mistake?: ApplicationMistake;
  readonly variants?: readonly ApplicationVariant[];
}

/** Checks an application by the attacks whose verdict depends on who is logged in. */
const check = ({ users, userPage, loggedInUrl, loggedInText, mistake, variants }: Situation, attacks = only) =>
  checkInProcess({
    application: { mistake, variants, userPage },
    users,
    driver: { loggedInUrl, loggedInText, refreshUrl: `${shop}/refresh` },
    only: attacks,
  });

/** What attacks accuse the application of. */
function accusationsIn(report: CheckReport): readonly string[] {
  assertEquals(report.control.passed, true, String(report));
  return accusations(report).filter((id) => !id.startsWith("ability/"));
}

for (const [place, [name, users]] of sample([...Object.entries(userLists).entries()], 4, 0)) {
  test(`a correct application is accused of nothing whatever its page shows, with ${name} as the default user`, async () => {
    for (const [shown, userPage] of sample(Object.entries(userPages), 5, place)) {
      const loggedInUrl = shown === "sub and email" ? undefined : `${shop}/me`;
      const report = await check({ users, userPage, loggedInUrl });
      assertEquals([shown, accusationsIn(report)], [shown, []]);
    }
  });
}

test("a correct application is accused of nothing if the text of the user is of every user, or more than one claim", async () => {
  const users = userLists.bob!;
  const cases = [
    { text: "Log out", userPage: (info: object) => `${JSON.stringify(info)} Log out` },
    { text: "Hello bob@example.com", userPage: (info: object) => `Hello ${Object(info).email}` },
    { text: "Bob B", userPage: (info: object) => `Hello ${Object(info).name}` },
  ];
  for (const { text, userPage } of sample(cases, 3, 2)) {
    const report = await check({ users, userPage, loggedInUrl: `${shop}/me`, loggedInText: text });
    assertEquals([text, accusationsIn(report)], [text, []]);
  }
});

test("an application that takes userinfo of another user is accused for each default user", async () => {
  for (const name of sample(["alice", "bob", "mallory", "a number", "no email"], 3, 0)) {
    const report = await check({
      users: userLists[name]!,
      userPage: userPages.sub!,
      loggedInUrl: `${shop}/me`,
      mistake: "believes any userinfo",
    }, ["userinfo/sub-other"]);
    assertEquals([name, report.counts.failed > 0, report.counts.passed], [name, true, 0], String(report));
  }
});

/** Checks an application that keeps tokens alone: each page asks userinfo who is logged in. */
const checkEachPage = (only: readonly string[], mistake?: ApplicationMistake) =>
  checkInProcess({
    application: {
      variants: ["requests userinfo for each page"],
      mistake,
      userPage: ({ name, picture }) => `<p>Hello ${name} <img src="${picture}"></p>`,
    },
    users: [{ sub: "alice", name: "Ada Adams" }, { sub: "bob", name: "Bob Brown" }],
    driver: { loggedInUrl: undefined, loggedInText: "Ada Adams" },
    only,
  });

test("an application that requests userinfo for each page is accused of nothing, and found if it does not compare sub", async () => {
  const only = ["userinfo/sub-other", "userinfo/thin", "transport/redirect"];
  assertEquals(accusationsIn(await checkEachPage(only)), []);
  assert((await checkEachPage(["userinfo/sub-other"], "believes any userinfo")).counts.failed > 0);
});

test("an application that discards userinfo of another user or of none is not accused, whatever its page shows", async () => {
  for (const [place, name] of sample([...["alice", "bob", "mallory"].entries()], 3, 1)) {
    for (const shown of sample(["sub", "email", "name"], 3, place)) {
      const report = await check({
        users: userLists[name]!,
        userPage: userPages[shown]!,
        loggedInUrl: `${shop}/me`,
        variants: ["discards userinfo that is not valid"],
      }, ["userinfo/sub-other"]);
      // A page that has no claim of userinfo alone does not show whether the application used the response.
      const decided = report.counts[shown === "sub" ? "skipped" : "passed"];
      assertEquals([name, shown, accusationsIn(report), decided > 0], [name, shown, [], true], String(report));
    }
  }
});

/** The journeys with a new user who has the email address of the known one. */
const withEmail = ({ results }: CheckReport) =>
  results.filter(({ values: { how } }) => String(how).startsWith("the email address"));

test("a user who has no email is not attacked with it, and a page that shows the email alone decides nothing", async () => {
  const verdictsFor = async (name: string, shown: string) => {
    const report = await check({
      users: userLists[name]!,
      userPage: userPages[shown]!,
      loggedInUrl: `${shop}/me`,
    }, ["id-token/user-similar"]);
    return [...new Set(withEmail(report).map(({ verdict }) => verdict))];
  };
  assertEquals(await verdictsFor("no email", "sub"), ["skipped"]);
  for (const name of sample(["alice", "bob", "mallory"], 3, 0)) {
    assertEquals(await verdictsFor(name, "email"), ["skipped"], name);
    assertEquals(await verdictsFor(name, "sub and email"), ["passed"], name);
    assertEquals(await verdictsFor(name, "name"), ["passed"], name);
  }
});

test("values that only one user has decide, whatever text names the user, and a longer word is another user", async () => {
  const pages: Readonly<Record<string, (info: object) => string>> = {
    "sub and email": (info) => `Hello ${Object(info).sub} ${Object(info).email}.`,
    "sub": (info) => `Hello ${Object(info).sub}.`,
  };
  for (const [place, [shown, userPage]] of Object.entries(pages).entries()) {
    for (const loggedInText of sample([undefined, "alice"], 2, place)) {
      const report = await check({ users: userLists.alice!, userPage, loggedInUrl: `${shop}/me`, loggedInText }, [
        "id-token/user-similar",
      ]);
      const undecided = report.results.filter(({ verdict }) => verdict !== "passed").map(({ values }) => values.how);
      // A page shows no space at the end of a text.
      assertEquals([shown, ...undecided], shown === "sub" ? [shown, "the sub and a space"] : [shown], String(report));
      if (shown === "sub") {
        assertMatch(
          String(report),
          /SKIPPED, what does not apply to the client:\n {2}.*the page cannot show how this sub differs, .* \(1\)/,
        );
      }
    }
  }
});

for (const [place, key] of sample([...Object.keys(accountKeys).entries()], 8, 2)) {
  test(`an application that finds accounts by ${key} is found by each page that shows the account`, async () => {
    for (const text of sample(accountTextsFor(key), 3, place)) {
      const situation = { users: checkUsers, ...accountPage(key, text), loggedInUrl: `${shop}/me` };
      const report = await check(situation, ["id-token/user-similar"]);
      assert(report.counts.failed > 0, `${text}: ${report}`);
    }
  });
}

test("no claim of a user of a check has the sub of one, or a part of it", () => {
  for (const { sub } of checkUsers) {
    const others = checkUsers.flatMap(({ sub: _, ...claims }) => Object.values(claims).map(String));
    const parts = Array.from({ length: sub.length - 2 }, (_, index) => sub.slice(index, index + 3).toLowerCase());
    assertEquals(parts.filter((part) => others.some((text) => text.toLowerCase().includes(part))), []);
  }
});

test("an application that keeps the first claims of each user is accused of nothing", async () => {
  for (const shown of sample(["email", "name"], 2, 0)) {
    const kept = new Map<string, object>();
    const userPage = (info: object) => {
      const { sub } = Object(info);
      if (!kept.has(sub)) kept.set(sub, info);
      return pick(kept.get(sub)!, shown);
    };
    const report = await check({ users: userLists.alice!, userPage, loggedInUrl: `${shop}/me` }, [
      "id-token/user-similar",
    ]);
    assertEquals([shown, accusationsIn(report)], [shown, []]);
  }
});

test("an application that shows a failed refresh with status 200 is accused of nothing", async () => {
  const report = await check({
    users: userLists.alice!,
    userPage: userPages.sub!,
    loggedInUrl: `${shop}/me`,
    variants: ["shows a failed refresh with status 200"],
  }, ["refresh", "id-token/iss-wrong", "id-token/aud-wrong", "id-token/exp-past", "transport/redirect"]);
  assertEquals(accusationsIn(report), []);
});

test("an application that hides whether it refreshed is assessed by the tokens that it sends next", async () => {
  for (const mistake of [undefined, "refreshes as any user"] as const) {
    const report = await checkInProcess({
      application: { mistake },
      driver: { refreshUrl: `${shop}/refresh` },
      async respond(request, respond) {
        const response = await respond(request);
        return new URL(request.url).pathname === "/refresh" ? new Response("The page.") : response;
      },
      only: ["refresh/id-token-other"],
    });
    const [ofSub, ...others] = report.results;
    assertEquals(ofSub!.verdict, mistake === undefined ? "passed" : "failed", String(report));
    assertEquals(others.map(({ verdict }) => verdict), ["passed", "passed"], String(report));
  }
});

test("a client that registers itself is not accused because of a secret that it was not given", async () => {
  const { logIn, ...driver } = smallClient();
  const report = await checkClient({
    ...driver,
    client: { token_endpoint_auth_method: "client_secret_basic" },
    async logIn(journey) {
      const { redirectUri, fetch, issuer, client } = journey;
      const { token_endpoint_auth_method } = client;
      const response = await fetch(`${issuer}/oauth2/register`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ redirect_uris: [redirectUri], token_endpoint_auth_method }),
      });
      return await logIn!({ ...journey, client: { ...client, ...await response.json() } });
    },
  }, { only: ["token/secret-characters"], server: { registration: { scope: "all" } } });
  assertEquals(accusationsIn(report), []);
});
