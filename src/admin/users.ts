/** GET and POST /users and /users/{sub}: who can log in, with which claims, and forms that change it. */

import { HttpFault } from "../http/http_error.ts";
import type { Incoming, Reply } from "../http/message.ts";
import { htmlWithForms, redirect } from "../http/responses.ts";
import type { Target } from "../http/router.ts";
import { isInAccessTokens, releasingScopes } from "../oauth/claims.ts";
import type { User } from "../oauth/clients/client.ts";
import { quote } from "../oauth/config/config_issue.ts";
import { digestOf, writePasswordDigest } from "../oauth/users/password.ts";
import { ConfigurationError } from "../oauth/config/configuration_error.ts";
import { recogniseBrowser } from "../app/browser_cookie.ts";
import { answerHere, readId } from "./admin_endpoint.ts";
import type { DirectoryOptions } from "./admin_endpoint.ts";
import { editToken, longestList, readEdit } from "../app/csrf.ts";
import type { Answers, Desk } from "../app/endpoint.ts";
import type { FieldFault, ListedUser, UserProps, UsersProps } from "../app/pages.ts";

/** The list. */
export function users(desk: Desk, { edit }: DirectoryOptions): Answers {
  return answerHere(desk, {
    show: (here, request) => showList(here, request, edit, {}, []),
    change: edit ? add : undefined,
  });
}

/** The page of each user. */
export function user(desk: Desk, { edit }: DirectoryOptions): Answers {
  const find = (here: Desk, target: Target): User => {
    const known = here.server.users.find(readId(here, "/users/", target));
    if (known === undefined) throw new HttpFault(404, "HT-01", "There is no user of this subject");
    return known;
  };
  return answerHere(desk, {
    show: (here, request, target) => showOne(here, request, edit, find(here, target)),
    change: edit ? (here, request, target) => change(here, request, find(here, target)) : undefined,
  });
}

/** A user as pages show it: never the password. */
export function listUser({ site, server }: Desk, user: User): ListedUser {
  const { sub, name } = user;
  return {
    sub,
    name: typeof name === "string" ? name : undefined,
    href: `${site.base}/users/${encodeURIComponent(sub)}`,
    claims: Object.entries(claimsOf(user)).map(([name, value]) => ({
      name,
      json: JSON.stringify(value),
      releasedBy: releasingScopes(server.claims, name, value).filter((scope) => server.scopes.includes(scope)),
      inAccessTokens: isInAccessTokens(server.claims, name, value, server.scopes),
    })),
  };
}

function claimsOf({ sub: _, password: __, ...claims }: User): Readonly<Record<string, unknown>> {
  return claims;
}

async function showList(
  here: Desk,
  request: Incoming,
  edit: boolean,
  values: Readonly<Record<string, string>>,
  faults: readonly FieldFault[],
): Promise<Reply> {
  const browser = await recogniseBrowser(here, request);
  const props: UsersProps = {
    ...here.site,
    users: here.server.users.all().map((user) => listUser(here, user)),
    form: edit
      ? { token: await editToken(here, browser), values, faults, isKept: here.server.users.isKept }
      : undefined,
  };
  const pages = await here.pages();
  return htmlWithForms(faults.length > 0 ? 400 : 200, pages.users(props), browser.headers);
}

async function showOne(
  here: Desk,
  request: Incoming,
  edit: boolean,
  user: User,
  claims: string = JSON.stringify(claimsOf(user), null, 2),
  faults: readonly FieldFault[] = [],
): Promise<Reply> {
  const browser = await recogniseBrowser(here, request);
  const props: UserProps = {
    ...here.site,
    user: listUser(here, user),
    first: here.server.users.all()[0] === user,
    form: edit
      ? { token: await editToken(here, browser), values: { claims }, faults, isKept: here.server.users.isKept }
      : undefined,
  };
  const pages = await here.pages();
  return htmlWithForms(faults.length > 0 ? 400 : 200, pages.user(props), browser.headers);
}

async function add(here: Desk, request: Incoming): Promise<Reply> {
  const { users } = here.server;
  const params = await readEdit(here, request);
  const values = { sub: params.get("sub") ?? "", claims: params.get("claims") ?? "{}" };
  const refuse = (faults: readonly FieldFault[]) => showList(here, request, true, values, faults);
  if (users.find(values.sub) !== undefined) {
    return await refuse([{
      field: "sub",
      expected: "a subject that no other user has",
      found: quote(values.sub),
      mend: "Choose another one, or change that user on a page of its own.",
    }]);
  }
  if (users.all().length >= longestList) {
    return await refuse([{
      field: "sub",
      expected: `at most ${longestList} users`,
      found: "as many as that",
      mend: "Remove one first.",
    }]);
  }
  return await keep(here, values.sub, values.claims, {}, refuse);
}

async function change(here: Desk, request: Incoming, user: User): Promise<Reply> {
  const { users } = here.server;
  const params = await readEdit(here, request);
  switch (params.get("action")) {
    case "remove":
      users.delete(user.sub);
      break;
    case "first":
      users.putFirst(user.sub);
      break;
    default: {
      const claims = params.get("claims") ?? "{}";
      const digest = digestOf(user);
      const kept = digest === undefined ? {} : { password: writePasswordDigest(digest) };
      return await keep(here, user.sub, claims, kept, (faults) => showOne(here, request, true, user, claims, faults));
    }
  }
  await users.kept();
  return redirect("POST", `${here.site.base}/users`);
}

/** Registers a user, replacing one of the same subject, or says what is wrong. */
async function keep(
  { server, site }: Desk,
  sub: string,
  text: string,
  kept: Pick<User, "password">,
  refuse: (faults: readonly FieldFault[]) => Promise<Reply>,
): Promise<Reply> {
  const claims = readClaims(text);
  if ("fault" in claims) return await refuse([claims.fault]);
  try {
    server.users.set({ ...claims.read, ...kept, sub });
    await server.users.kept();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return await refuse(error.faults.map(({ place, ...fault }) => ({
      // Any other place is one of the claims.
      field: place === "sub" ? place : "claims",
      ...fault,
    })));
  }
  return redirect("POST", `${site.base}/users`);
}

/** Reads claims written as JSON; two names are not for this field. */
function readClaims(
  text: string,
): { readonly read: Readonly<Record<string, unknown>> } | { readonly fault: FieldFault } {
  const fault = (expected: string, found: string, mend: string) => ({
    fault: { field: "claims", expected, found, mend },
  });
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    // The runtime's message repeats part of the text.
    return fault("a JSON object", "text that is not a JSON object", `Write it as {"name": "Carol"}.`);
  }
  if (typeof read !== "object" || read === null || Array.isArray(read)) {
    return fault("a JSON object", Array.isArray(read) ? "a list" : quote(read), `Write it as {"name": "Carol"}.`);
  }
  const alien = ["sub", "password"].find((name) => Object.hasOwn(read as object, name));
  if (alien === undefined) return { read: read as Record<string, unknown> };
  return fault(
    "claims alone",
    quote(alien),
    alien === "sub" ? "The subject never changes: leave it out here." : "Passwords belong in the configuration file.",
  );
}
