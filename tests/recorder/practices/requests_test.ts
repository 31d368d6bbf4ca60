/** Practices of requests: repetitions, secrets, tokens and refreshes. */

import { faults, type TestLatchkey } from "../../../src/testing/mod.ts";
import { type Journey, postToken, testPractice, withRefresh } from "./practice_case.ts";

const logIn: Journey = (as) => as.logIn(as.client());

/** A login, then something with its result. */
const after = (
  use: (as: TestLatchkey, login: Awaited<ReturnType<TestLatchkey["logIn"]>>, id: string) => Promise<unknown>,
): Journey =>
async (as) => {
  const client = as.client();
  await use(as, await as.logIn(client, withRefresh), client.client_id);
};

const clientCredentials = { grant_type: "client_credentials" };

const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` });

/** Refreshes after each number of seconds, as long as the server is unavailable. */
const refreshing = (waits: readonly number[], headers?: Readonly<Record<string, string>>): Journey =>
  after(async (as, { tokens }, client_id) => {
    const rule = as.on("token").always(faults.status(503, { headers }));
    for (const seconds of [0, ...waits]) {
      as.clock.advance(seconds);
      await postToken(as, { grant_type: "refresh_token", refresh_token: tokens.refresh_token!, client_id });
    }
    rule.remove();
  });

testPractice("retry-measured", {
  has: refreshing([1, 2, 4]),
  lacks: [
    [/more than 3 times/, refreshing([1, 2, 4, 8])],
    [/sooner than the time before/, refreshing([10, 1])],
    [/Retry-After is 60 s/, refreshing([5], { "retry-after": "60" })],
    [/repeated after 400/, async (as) => {
      const { client_id } = as.client();
      for (let i = 0; i < 2; i++) await postToken(as, { grant_type: "authorization_code", client_id, code: "b" });
    }],
    [/repeated after 401/, async (as) => {
      for (let i = 0; i < 2; i++) await postToken(as, clientCredentials, basic("client", "wrong"));
    }],
  ],
  notSeen: logIn,
});

testPractice("secrets-not-in-urls", {
  has: logIn,
  lacks: [
    [/the URL has client_secret/, (as) => as.fetch("/oauth2/token?client_secret=a", { method: "POST" })],
    [
      /the URL has access_token/,
      after((as, { tokens }) => as.fetch(`/oauth2/userinfo?access_token=${tokens.access_token}`)),
    ],
  ],
});

/** A login, and refreshes with the tokens that are chosen from those issued so far. */
const refreshes = (
  ...choices: readonly ((issued: readonly string[]) => string)[]
): Journey =>
  after(async (as, { tokens }, client_id) => {
    const issued = [tokens.refresh_token!];
    for (const choose of choices) {
      const refresh_token = choose(issued);
      const response = await postToken(as, { grant_type: "refresh_token", refresh_token, client_id });
      issued.push((await response.json()).refresh_token ?? refresh_token);
    }
  });

const newest = (issued: readonly string[]) => issued.at(-1)!;
const first = (issued: readonly string[]) => issued[0]!;

testPractice("refresh-newest", {
  has: refreshes(newest, newest, newest),
  lacks: [[/an older refresh token/, refreshes(newest, first)]],
  notSeen: refreshes(newest),
});
