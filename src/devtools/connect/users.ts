/** GET and POST /users and /users/{sub}: the users, their claims, and forms that change them. */

import { HttpError, type HttpResponse } from "../../core/http/message.ts";
import { isReservedClaim } from "../../core/claims.ts";
import type { User } from "../../core/clients/client.ts";
import { quote } from "../../server/config/config_issue.ts";
import { isInAccessTokens, releasingScopes } from "../../server/config/received_claims.ts";
import { ConfigurationError } from "../../core/configuration_error.ts";
import { userWarnings } from "../../server/config/user_warnings.ts";
import type { Params } from "../../core/params.ts";
import { formatPasswordDigest, getPasswordDigest } from "../../server/config/password_digest.ts";
import {
  directoryHandlers,
  type DirectoryOptions,
  idFromPath,
  pageWithForm,
  readPage,
  traceChange,
  unknownAction,
} from "./admin_endpoint.ts";
import { redirectWithConfirmation } from "../../server/login/confirmation.ts";
import { maxListLength, readProtectedForm } from "../../server/pages/csrf.ts";
import type { Context } from "../../core/context.ts";
import type { Handlers } from "../../core/route.ts";
import type { HostedServer } from "../../server/hosted_server.ts";
import { changedPlaces, type ClaimPlaces, claimPlaces, configurationFile, userEntry } from "./configuration_file.ts";
import { changeExclusively, recordVersion, removeRecord } from "./exclusive_change.ts";
import type { FieldError } from "../../server/pages/field.tsx";
import { renderPage } from "../../core/pages/render_page.ts";
import { type ListedUser, User as UserPage, type UserProps, Users, type UsersProps } from "./pages/users.tsx";
import { describeJsonSyntaxError } from "../../server/config/json_syntax_error.ts";

export function userListPage(options: DirectoryOptions): Handlers<HostedServer> {
  return directoryHandlers({
    show: (context) => showList(context, options, {}, []),
    change: options.edit ? (context) => addUser(context, options) : undefined,
  });
}

async function findUser(context: Context<HostedServer>): Promise<User> {
  const user = await context.server.users.find(idFromPath(context, "/users/"));
  if (user !== undefined) return user;
  throw new HttpError(404, "HT-01", "No user has this subject", { fix: "Choose a user of the list at /users." });
}

export function userPage({ edit }: DirectoryOptions): Handlers<HostedServer> {
  return directoryHandlers({
    show: async (context) => await showOne(context, edit, await findUser(context)),
    change: edit ? async (context) => await changeUser(context, await findUser(context)) : undefined,
  });
}

/** A user for pages, without the password. */
export function toListedUser({ site, server }: Context<HostedServer>, user: User): ListedUser {
  const { sub, name } = user;
  return {
    sub,
    name: typeof name === "string" ? name : undefined,
    href: `${site.base}/users/${encodeURIComponent(sub)}`,
    claims: Object.entries(userClaims(user)).map(([name, value]) => ({
      name,
      json: JSON.stringify(value),
      releasedBy: releasingScopes(server.claims, name, value).filter((scope) => server.settings.scopes.includes(scope)),
      inAccessTokens: isInAccessTokens(server.claims, name, value, server.settings.scopes),
    })),
    inIdTokens: server.claims.idToken === "like-userinfo",
    warnings: userWarnings(server.claims, server.settings.scopes, user).map(({ message }) => message),
  };
}

async function userVersion(server: HostedServer, user: User): Promise<string> {
  return await recordVersion(server, userClaims(user));
}

function userClaims({ sub: _, password: __, ...claims }: User): Readonly<Record<string, unknown>> {
  return claims;
}

async function showList(
  context: Context<HostedServer>,
  { edit }: DirectoryOptions,
  values: Readonly<Record<string, string>>,
  errors: readonly FieldError[],
  { idTokenClaims, accessTokenClaims }: ClaimPlaces = claimPlaces(context.server),
): Promise<HttpResponse> {
  const { users, store } = context.server;
  const { entries, position } = await readPage(context, users, ({ sub }) => sub);
  const props: UsersProps = {
    ...context.site,
    users: entries.map((user) => toListedUser(context, user)),
    position,
  };
  return await pageWithForm(
    context,
    edit && {
      values: { ...values, id_token_claims: idTokenClaims, access_token_claims: accessTokenClaims.join(" ") },
      ...{ errors, isPersistent: store.persistent === true },
    },
    (form) => renderPage(Users, { ...props, form }),
  );
}

async function showOne(
  context: Context<HostedServer>,
  edit: boolean,
  user: User,
  claims: string = JSON.stringify(userClaims(user), null, 2),
  errors: readonly FieldError[] = [],
  unsaved?: readonly string[],
): Promise<HttpResponse> {
  const { users } = context.server;
  const props: UserProps = {
    ...context.site,
    user: toListedUser(context, user),
    isFirst: (await users.list({ limit: 1 }))[0]?.sub === user.sub,
    lines: edit ? configurationFile({ users: [userEntry(user)], ...changedPlaces(context.server) }) : undefined,
  };
  const values = { claims, version: await userVersion(context.server, user) };
  const fields = { values, errors, unsaved, isPersistent: context.server.users.persists(user.sub) };
  return await pageWithForm(
    context,
    edit && fields,
    (form) => renderPage(UserPage, { ...props, form }),
    unsaved && 409,
  );
}

async function addUser(context: Context<HostedServer>, options: DirectoryOptions): Promise<HttpResponse> {
  const { users, store } = context.server;
  const params = await readProtectedForm(context);
  if (params.get("action") === "first") return await makeDefault(context, params.get("sub") ?? "");
  if (params.get("action") === "places") return await savePlaces(context, options, params);
  const values = { sub: params.get("sub") ?? "", claims: params.get("claims") ?? "{}" };
  const reject = (errors: readonly FieldError[]) => showList(context, options, values, errors);
  if (await users.find(values.sub) !== undefined) {
    return await reject([{
      field: "sub",
      expected: "a subject that no other user has",
      received: quote(values.sub),
      hint: "Choose another subject, or change that user on its page.",
    }]);
  }
  if (!store.persistent && await users.count() >= maxListLength) {
    return await reject([{
      field: "sub",
      expected: `at most ${maxListLength} users`,
      received: `${maxListLength + 1} users`,
      hint: "Remove a user first.",
    }]);
  }
  return await saveUser(context, { sub: values.sub, done: "Added" }, values.claims, {}, reject);
}

async function changeUser(context: Context<HostedServer>, user: User): Promise<HttpResponse> {
  const { server } = context;
  const params = await readProtectedForm(context);
  switch (params.get("action")) {
    case "remove":
      await removeRecord(server, "user", user.sub);
      traceChange(context, `removed user ${user.sub}`);
      return await redirectToList(context, `Removed ${user.sub}`);
    case "first":
      return await makeDefault(context, user.sub);
    case "save":
      return await saveClaims(context, user.sub, params);
    default:
      throw unknownAction("save, first or remove", params.get("action"));
  }
}

/** Saves which tokens have claims, for all users, until the process ends. */
async function savePlaces(
  context: Context<HostedServer>,
  options: DirectoryOptions,
  params: Params,
): Promise<HttpResponse> {
  const { claims } = context.server;
  const idToken = params.get("id_token_claims") === "like-userinfo" ? "like-userinfo" : "minimal";
  const accessToken = (params.get("access_token_claims") ?? "").split(/[\s,]+/).filter((name) => name !== "");
  const reserved = accessToken.find((name) => isReservedClaim(name, "access token"));
  if (reserved !== undefined) {
    const error = {
      field: "access_token_claims",
      expected: "names of claims about a user",
      received: quote(reserved),
      hint: "Remove it: the server itself sets this claim.",
    };
    return await showList(context, options, {}, [error], { idTokenClaims: idToken, accessTokenClaims: accessToken });
  }
  Object.assign(claims, { idToken, accessToken });
  const text = `ID tokens: ${idToken}; access tokens: ${accessToken.join(" ") || "no claims of users"}`;
  traceChange(context, `changed which tokens have claims of users: ${text}`);
  return await redirectToList(context, text);
}

/** Saves the claims of a form, unless the form is older than the user. */
async function saveClaims(context: Context<HostedServer>, sub: string, params: Params): Promise<HttpResponse> {
  const { server, server: { users } } = context;
  const text = params.get("claims") ?? "{}";
  const saved = await changeExclusively(server, "user", sub, async () => {
    const current = await users.find(sub);
    if (current === undefined) return undefined;
    if (params.get("version") !== await userVersion(server, current)) {
      // A double click sends the form twice, and the browser shows the second response.
      const claims = await parseClaims(text);
      const isSaved = "read" in claims && JSON.stringify(claims.read) === JSON.stringify(userClaims(current));
      return isSaved ? await redirectAfter(context, { sub, done: "Saved" }) : undefined;
    }
    const digest = getPasswordDigest(current);
    const existingPassword = digest === undefined ? {} : { password: formatPasswordDigest(digest) };
    const reject = (errors: readonly FieldError[]) => showOne(context, true, current, text, errors);
    return await saveUser(context, { sub, done: "Saved" }, text, existingPassword, reject);
  });
  if (saved !== undefined) return saved;
  return await showOne(context, true, await findUser(context), undefined, [], []);
}

/** Makes a user the default. The form is on the page of the user and on the home page. */
async function makeDefault(context: Context<HostedServer>, sub: string): Promise<HttpResponse> {
  if (!await context.server.users.makeDefault(sub)) {
    throw new HttpError(404, "HT-01", "No user has this subject", { fix: "Choose a user of the list at /users." });
  }
  traceChange(context, `${sub} is the default user now`);
  return await redirectWithConfirmation(context, `${context.site.base}/`, `${sub} is the default user now`);
}

function redirectToList(context: Context<HostedServer>, text: string): Promise<HttpResponse> {
  return redirectWithConfirmation(context, `${context.site.base}/users`, text);
}

/** After an addition the list, for the next one; after a change the user. */
function redirectAfter(context: Context<HostedServer>, { sub, done }: Saving): Promise<HttpResponse> {
  const text = `${done} ${sub}`;
  if (done === "Added") return redirectToList(context, text);
  return redirectWithConfirmation(context, `${context.site.base}/users/${encodeURIComponent(sub)}`, text);
}

/** A change of a user. */
interface Saving {
  readonly sub: string;
  readonly done: "Added" | "Saved";
}

/** Registers a user, which replaces a user with the same subject. Returns the errors of the form. */
async function saveUser(
  context: Context<HostedServer>,
  { sub, done }: Saving,
  text: string,
  existingPassword: Pick<User, "password">,
  reject: (errors: readonly FieldError[]) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const claims = await parseClaims(text);
  if ("error" in claims) return await reject([claims.error]);
  try {
    await context.server.users.set({ ...claims.read, ...existingPassword, sub });
    traceChange(context, `${done === "Added" ? "added" : "changed"} user ${sub}`);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return await reject(error.issues.map(({ path, ...issue }) => ({
      // Every other path is a claim.
      field: path === "sub" ? path : "claims",
      ...issue,
    })));
  }
  return await redirectAfter(context, { sub, done });
}

/** Parses the claims, a JSON object. Two names have their own fields. */
async function parseClaims(
  text: string,
): Promise<{ readonly read: Readonly<Record<string, unknown>> } | { readonly error: FieldError }> {
  const invalid = (expected: string, received: string, hint: string) => ({
    error: { field: "claims", expected, received, hint },
  });
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return { error: { field: "claims", ...await describeJsonSyntaxError(text) } };
  }
  if (typeof read !== "object" || read === null || Array.isArray(read)) {
    return invalid(
      "a JSON object",
      Array.isArray(read) ? "an array" : quote(read),
      `Write the claims as {"name": "Carol"}.`,
    );
  }
  const reservedName = ["sub", "password"].find((name) => Object.hasOwn(read as object, name));
  if (reservedName === undefined) return { read: read as Record<string, unknown> };
  return invalid(
    "a JSON object without sub and password",
    quote(reservedName),
    reservedName === "sub"
      ? "Remove sub: the subject is set when the user is added, and never changes."
      : "Remove password, and set it in the configuration file.",
  );
}
