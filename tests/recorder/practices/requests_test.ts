/** Practices of requests: their form, repetitions, client authentication, codes, tokens and refreshes. */

import type { KeyTestClient } from "../../../src/testing/clients.ts";
import type { TestLatchkey } from "../../../src/testing/mod.ts";
import { faults } from "../../../src/testing/mod.ts";
import { attempt, discover, type Journey, postToken, testPractice, withRefresh } from "./practice_case.ts";
import { signingKey } from "../../../src/client/authentication.ts";
import { assertionOf, signingContext } from "../../server/client_jwts.ts";

const logIn: Journey = (as) => as.logIn(as.client());

/** A login, then something with its result. */
const after = (
  use: (as: TestLatchkey, login: Awaited<ReturnType<TestLatchkey["logIn"]>>, id: string) => Promise<unknown>,
): Journey =>
async (as) => {
  const client = as.client();
  await use(as, await as.logIn(client, withRefresh), client.client_id);
};

const userinfo = (as: TestLatchkey, accessToken: string, query = "", init: RequestInit = {}) =>
  as.fetch(`/oauth2/userinfo${query}`, { headers: { authorization: `Bearer ${accessToken}` }, ...init });

type Claims = Readonly<Record<string, unknown>>;

const clientCredentials = { grant_type: "client_credentials" };

const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` });

testPractice("http-well-formed", {
  has: logIn,
  lacks: [
    [/is a GET/, (as) => as.fetch("/oauth2/token?grant_type=authorization_code")],
    [
      /content type is application\/json/,
      (as) =>
        as.fetch("/oauth2/token", { method: "POST", body: "{}", headers: { "content-type": "application/json" } }),
    ],
    [/accepts only text\/html/, (as) => postToken(as, clientCredentials, { accept: "text/html" })],
  ],
  notSeen: discover,
});

testPractice("parameters-clean", {
  has: logIn,
  lacks: [
    [/has scope twice/, (as) => as.fetch("/oauth2/authorize?client_id=a&scope=read&scope=write")],
    [/state is empty/, (as) => as.fetch("/oauth2/authorize?client_id=a&state=")],
    [/code is the text undefined/, (as) => postToken(as, { grant_type: "authorization_code", code: "undefined" })],
    [/state is the text \[object Object\]/, (as) => as.fetch("/oauth2/authorize?client_id=a&state=[object Object]")],
  ],
  notSeen: discover,
});

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

testPractice("authentication-as-agreed", {
  has: async (as) => {
    await discover(as);
    await as.logIn(as.client({ token_endpoint_auth_method: "client_secret_basic" }));
  },
  lacks: [[/registered for client_secret_basic, and uses client_secret_post/, async (as) => {
    await discover(as);
    const { client_id, client_secret } = as.client({ token_endpoint_auth_method: "client_secret_basic" });
    await postToken(as, { ...clientCredentials, client_id, client_secret });
  }], [/does not list client_secret_post/, async (as) => {
    as.issue.everyMetadata({ token_endpoint_auth_methods_supported: ["private_key_jwt"] });
    await discover(as);
    const { client_id, client_secret } = as.client({ confidential: true });
    await postToken(as, { ...clientCredentials, client_id, client_secret });
  }]],
  notSeen: (as) => as.logIn(as.client({ confidential: true })),
});

const specialSecret = "a secret:+%&-with-more-than-enough-characters";

testPractice("basic-encoded", {
  has: (as) => as.logIn(as.client({ client_secret: specialSecret, token_endpoint_auth_method: "client_secret_basic" })),
  lacks: [[/not form-encoded/, (as) => postToken(as, clientCredentials, basic("client", "a secret:+%&"))]],
  notSeen: (as) => as.logIn(as.client({ confidential: true })),
});

/** A token request with an assertion of our own. */
async function assertWith(as: TestLatchkey, client: KeyTestClient, claims: Claims): Promise<void> {
  const context = signingContext(as.clock.now() / 1000, as.issuer);
  const changes = { claims: { jti: "one", ...claims } };
  const assertion = await assertionOf(client.client_id, await signingKey(client), changes, context);
  await postToken(as, { ...clientCredentials, ...assertion });
}

const asserting = (...all: readonly Claims[]): Journey => async (as) => {
  const client = as.client({ token_endpoint_auth_method: "private_key_jwt" });
  for (const claims of all) await assertWith(as, client, claims);
};

const validFor = (seconds: number): Journey => (as) => {
  as.clock.freeze("2030-01-01T00:00:00Z");
  return asserting({ exp: Date.parse("2030-01-01T00:00:00Z") / 1000 + seconds })(as);
};

testPractice("assertion-narrow", {
  has: (as) => as.logIn(as.client({ token_endpoint_auth_method: "private_key_jwt" })),
  lacks: [
    [/has 2 audiences/, (as) => asserting({ aud: [as.issuer, "https://other.test"] })(as)],
    [/neither the issuer nor the endpoint/, asserting({ aud: "https://other.test" })],
    [/iss and sub/, asserting({ iss: "other" })],
    [/no jti/, asserting({ jti: undefined })],
    [/valid for 3601 s/, validFor(3601)],
    [/same jti/, asserting({}, {})],
  ],
  notes: [[/valid for 3600 s, more than some servers accept/, validFor(3600)]],
  notSeen: logIn,
});

testPractice("code-once", {
  has: logIn,
  lacks: [[
    /exchanged twice$/,
    after((as, { code, verifier }, client_id) =>
      postToken(as, { grant_type: "authorization_code", code, code_verifier: verifier, client_id })
    ),
  ]],
  notes: [[/after a request without tokens/, async (as) => {
    const client = as.client();
    as.on("token").once(faults.drop("before"));
    const { code = "" } = await as.browser().authorize({
      ...{ client_id: client.client_id, redirect_uri: client.redirect_uri, response_type: "code" },
      ...{ code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256" },
    });
    const exchangeCode = () => postToken(as, { grant_type: "authorization_code", code, client_id: client.client_id });
    await exchangeCode().catch(() => undefined);
    await exchangeCode();
  }]],
  notSeen: discover,
});

testPractice("token-in-header", {
  has: after((as, { tokens }) => userinfo(as, tokens.access_token)),
  lacks: [
    [/in the query/, after((as, { tokens }) => as.fetch(`/oauth2/userinfo?access_token=${tokens.access_token}`))],
    [
      /in the header and the body/,
      after((as, { tokens }) =>
        userinfo(as, tokens.access_token, "", {
          method: "POST",
          headers: { authorization: `Bearer ${tokens.access_token}` },
          body: new URLSearchParams({ access_token: tokens.access_token }),
        })
      ),
    ],
  ],
  notSeen: logIn,
});

testPractice("id-token-not-as-key", {
  has: after((as, { tokens }) => userinfo(as, tokens.access_token)),
  lacks: [[/an ID token instead/, after((as, { tokens }) => userinfo(as, tokens.id_token!))]],
  notSeen: logIn,
});

testPractice("dead-token-dropped", {
  has: after(async (as, { tokens }) => {
    as.clock.advance(100_000);
    await userinfo(as, tokens.access_token);
  }),
  lacks: [
    [
      /got a 401/,
      after(async (as, { tokens }) => {
        as.clock.advance(100_000);
        for (let i = 0; i < 3; i++) await userinfo(as, tokens.access_token);
      }),
    ],
    [
      /was revoked/,
      after(async (as, { tokens }, client_id) => {
        await as.fetch("/oauth2/revoke", {
          method: "POST",
          body: new URLSearchParams({ token: tokens.access_token, client_id }),
        });
        await userinfo(as, tokens.access_token);
      }),
    ],
  ],
  notSeen: after((as, { tokens }) => userinfo(as, tokens.access_token)),
});

const loggedOut = "https://client.test/logged-out";

testPractice("logout-complete", {
  has: after((as, { tokens }) => as.browser().logOut({ idToken: tokens.id_token, postLogoutRedirectUri: loggedOut })),
  lacks: [
    [
      /neither id_token_hint nor client_id/,
      after((as) => as.fetch(`/oauth2/logout?post_logout_redirect_uri=${loggedOut}`)),
    ],
    [
      /a userinfo request uses a token/,
      after(async (as, { tokens }) => {
        await as.browser().logOut({ idToken: tokens.id_token });
        await userinfo(as, tokens.access_token);
      }),
    ],
  ],
  notSeen: logIn,
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

testPractice("refresh-single-flight", {
  has: refreshes(newest, newest),
  lacks: [[
    /overlap in time/,
    after(async (as, { tokens }, client_id) => {
      as.clock.freeze();
      const refresh = () =>
        postToken(as, { grant_type: "refresh_token", refresh_token: tokens.refresh_token!, client_id });
      await Promise.all([refresh(), refresh()]);
    }),
  ]],
  notSeen: refreshes(newest),
});

testPractice("refresh-when-due", {
  has: after(async (as, { tokens }, client_id) => {
    as.clock.advance(tokens.expires_in! - 30);
    await postToken(as, { grant_type: "refresh_token", refresh_token: tokens.refresh_token!, client_id });
  }),
  lacks: [[/refreshed 0 s after it was issued for \d+ s/, refreshes(newest)]],
  notSeen: logIn,
});

testPractice("referer-clean", {
  has: (as) => as.fetch("/oauth2/jwks", { headers: { referer: "https://client.test/callback" } }),
  lacks: [[
    /the Referer has code/,
    (as) => as.fetch("/oauth2/jwks", { headers: { referer: "https://client.test/callback?code=a&state=b" } }),
  ]],
  notSeen: async (as) => {
    await attempt(as.logIn(as.client()));
  },
});
