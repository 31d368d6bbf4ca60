/** GET and POST /users and /users/{sub}: the users, their claims, and forms that change them. */

import { HttpError, type HttpResponse } from "../../core/http/message.ts";
import { isReservedClaim } from "../../core/clients/claims.ts";
import type { User } from "../../core/clients/client.ts";
import { quote } from "../../server/config/config_issue.ts";
import { isInAccessTokens, releasingScopes } from "../../server/config/received_claims.ts";
import { ConfigurationError } from "../../core/rules/configuration_error.ts";
import { userWarnings } from "../../server/config/user_warnings.ts";
import type { Params } from "../../core/http/params.ts";
import { getPassword } from "../../server/config/password_digest.ts";
import {
  directoryHandlers,
  type DirectoryOptions,
  idFromPath,
  type JsonField,
  pageWithForm,
  readJsonField,
  readPage,
  recordVersion,
  traceChange,
  unknownAction,
} from "./admin_endpoint.ts";
import { redirectWithConfirmation } from "../../server/login/confirmation.ts";
import { maxListLength, readProtectedForm } from "../../server/pages/csrf.ts";
import type { Context } from "../../core/http/context.ts";
import type { Handlers } from "../../core/route.ts";
import type { HostedServer } from "../../server/hosted_server.ts";
import { changedPlaces, type ClaimPlaces, claimPlaces, configurationFile, userEntry } from "./configuration_file.ts";
import type { FieldError } from "../../server/pages/field.tsx";
import { renderPage } from "../../core/pages/render_page.ts";
import { type ListedUser, type UserProps, type UsersProps, UsersView, UserView as UserPage } from "./pages/users.tsx";

export function userListPage(options: DirectoryOptions): Handlers<HostedServer> {
  return directoryHandlers({
    show: (context) => showList(context, options, {}, []),
    change: options.edit ? (context) => addUser(context, options) : undefined,
  });
}

async function findUser(context: Context<HostedServer>): Promise<User> {
  const user = await context.server.users.find(idFromPath(context, "/users/"));
  if (user !== undefined) return user;
  throw unknownUser();
}

function unknownUser(): HttpError {
  return new HttpError(404, "HT-01", "No user has this subject", { fix: "Choose a user of the list at /users." });
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
      releasedBy: releasingScopes(server.claims, name, value).filter((scope) => server.policy.scopes.includes(scope)),
      inAccessTokens: isInAccessTokens(server.claims, name, value, server.policy.scopes),
    })),
    inIdTokens: server.claims.idToken === "like-userinfo",
    warnings: userWarnings(server.claims, server.policy.scopes, user).map(({ message }) => message),
  };
}

async function userVersion(server: HostedServer, user: User): Promise<string> {
  return await recordVersion(server, userClaims(user));
}

/** The claims that have a field of their own. */
const fieldNames = ["name", "email"] as const;

/** The values of the form of a user: the fields, and all other claims as JSON. */
function formValues(user: User): Readonly<Record<string, string>> {
  const claims = Object.entries(userClaims(user));
  const hasField = ([name, value]: readonly [string, unknown]) =>
    fieldNames.some((field) => field === name) && typeof value === "string";
  const others = Object.fromEntries(claims.filter((claim) => !hasField(claim)));
  const fields = claims.filter(hasField) as [string, string][];
  return { ...Object.fromEntries(fields), claims: JSON.stringify(others, null, 2) };
}

function typedValues(params: Params): Readonly<Record<string, string>> {
  return Object.fromEntries([...fieldNames, "claims"].map((name) => [name, params.get(name) ?? ""]));
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
    (form) => renderPage(UsersView, { ...props, form }),
  );
}

async function showOne(
  context: Context<HostedServer>,
  edit: boolean,
  user: User,
  { typed = formValues(user), errors = [], isOlder = false }: {
    /** The values that the visitor typed. Default: those of the user. */
    readonly typed?: Readonly<Record<string, string>>;
    readonly errors?: readonly FieldError[];
    /** Whether the form before was not saved, because it is older than the user. */
    readonly isOlder?: boolean;
  } = {},
): Promise<HttpResponse> {
  const { users } = context.server;
  const props: UserProps = {
    ...context.site,
    user: toListedUser(context, user),
    isFirst: (await users.list({ limit: 1 }))[0]?.sub === user.sub,
    lines: edit ? configurationFile({ users: [userEntry(user)], ...changedPlaces(context.server) }) : undefined,
  };
  const values = { ...typed, version: await userVersion(context.server, user) };
  const fields = { values, errors, isOlder, isPersistent: users.persists(user.sub) };
  return await pageWithForm(context, edit && fields, (form) => renderPage(UserPage, { ...props, form }));
}

async function addUser(context: Context<HostedServer>, options: DirectoryOptions): Promise<HttpResponse> {
  const { users, store } = context.server;
  const params = await readProtectedForm(context);
  if (params.get("action") === "first") return await makeDefault(context, params.get("sub") ?? "");
  if (params.get("action") === "places") return await savePlaces(context, options, params);
  const values = { ...typedValues(params), sub: params.get("sub") ?? "" };
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
  const claims = readClaims(params);
  if ("error" in claims) return await reject([claims.error]);
  const verified = params.get("email") ? { email_verified: true } : {};
  try {
    await users.set({ ...verified, ...claims.object, sub: values.sub });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return await reject(toFieldErrors(error));
  }
  traceChange(context, `added user ${values.sub}`);
  return await redirectToList(context, `Added ${values.sub}`);
}

async function changeUser(context: Context<HostedServer>, user: User): Promise<HttpResponse> {
  const { server } = context;
  const params = await readProtectedForm(context);
  switch (params.get("action")) {
    case "remove":
      await server.users.delete(user.sub);
      traceChange(context, `removed user ${user.sub}`);
      return await redirectToList(context, `Removed ${user.sub}`);
    case "first":
      return await makeDefault(context, user.sub);
    case "save":
      return await saveClaims(context, user, params);
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

/** Saves the claims of a form, unless the form is older than the user. The password stays. */
async function saveClaims(context: Context<HostedServer>, user: User, params: Params): Promise<HttpResponse> {
  const { server } = context;
  const { sub } = user;
  const typed = typedValues(params);
  const claims = readClaims(params);
  if ("error" in claims) return await showOne(context, true, user, { typed, errors: [claims.error] });
  try {
    const saved = await server.users.update(sub, async (current) => {
      if (params.get("version") !== await userVersion(server, current)) return undefined;
      const password = getPassword(current);
      return { ...claims.object, ...password !== undefined && { password }, sub };
    });
    if (saved !== undefined) traceChange(context, `changed user ${sub}`);
    else {
      const current = await findUser(context);
      // A double click sends the form twice, and the browser shows the second response.
      const isSaved = JSON.stringify(claims.object) === JSON.stringify(userClaims(current));
      if (!isSaved) return await showOne(context, true, current, { isOlder: true });
    }
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return await showOne(context, true, user, { typed, errors: toFieldErrors(error) });
  }
  return await redirectWithConfirmation(context, toListedUser(context, user).href, `Saved ${sub}`);
}

/** Makes a user the default. The form is on the page of the user and on the home page. */
async function makeDefault(context: Context<HostedServer>, sub: string): Promise<HttpResponse> {
  if (!await context.server.users.makeDefault(sub)) throw unknownUser();
  traceChange(context, `${sub} is the default user now`);
  return await redirectWithConfirmation(context, `${context.site.base}/`, `${sub} is the default user now`);
}

function redirectToList(context: Context<HostedServer>, text: string): Promise<HttpResponse> {
  return redirectWithConfirmation(context, `${context.site.base}/users`, text);
}

/** The errors of the form: every issue that is not of another field is about a claim. */
function toFieldErrors({ issues }: ConfigurationError): readonly FieldError[] {
  const isField = (path: string) => ["sub", ...fieldNames].includes(path);
  return issues.map(({ path, ...issue }) => ({ field: isField(path) ? path : "claims", ...issue }));
}

/** Reads the claims: the fields, and a JSON object with all others. An empty field is no claim. */
function readClaims(params: Params): JsonField {
  const others = readJsonField("claims", params.get("claims") || "{}", {
    sub: "Remove sub: the subject is set when the user is added, and never changes.",
    password: "Remove password, and set it in the configuration file.",
  });
  if ("error" in others) return others;
  const fields = fieldNames.flatMap((name) => {
    const value = params.get(name);
    return value ? [[name, value] as const] : [];
  });
  return { object: { ...others.object, ...Object.fromEntries(fields) } };
}
