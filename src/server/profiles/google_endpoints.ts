/** The URLs of Google besides the endpoints of the standards: tokeninfo, certificates, revocation without a client. */

import { type Context, readParams } from "../../core/http/context.ts";
import type { App } from "../app.ts";
import type { Handler } from "../../core/route.ts";
import type { Endpoint } from "../endpoint.ts";
import { parseFields } from "../../core/http/form.ts";
import { json } from "../../core/http/message.ts";
import { algorithmsInUse } from "../../core/keys/jwks.ts";
import { claimsForScope } from "../../core/clients/claims.ts";
import { OAuthError } from "../../core/rules/errors.ts";
import { paramsFromFields, splitScope } from "../../core/http/params.ts";
import type { Server } from "../../core/server.ts";
import { revokeGrant } from "../../core/store/grant.ts";
import { grantOfAccessToken } from "../../core/token/tokens/access_token.ts";
import { readAuthorization } from "../../core/token/tokens/sent_token.ts";
import { readAccessToken } from "../../core/token/tokens/read_access_token.ts";
import { revokeIssuedToken } from "../../core/token/revoke.ts";
import { verifyOwnJwt } from "../../core/keys/verification.ts";
import type { OwnJwtPolicy } from "../../core/keys/verify_jwt.ts";
import { asText } from "./shared/members.ts";
import { publicKeyInfo } from "./shared/public_key.ts";
import { requireUser } from "./shared/require_user.ts";
import { unservedUrls } from "./shared/unserved_urls.ts";

/** The URLs of the APIs whose origins the profile has, and of those at www.googleapis.com. */
const apiPaths = [
  ...["/v1/**", "/v4/**", "/calendar/**", "/drive/**", "/gmail/**", "/tasks/**", "/upload/**", "/youtube/**"],
];

/** The endpoints at a server. */
export function googleEndpoints({ site: { base } }: App): readonly Endpoint[] {
  return [
    {
      name: "google_tokeninfo",
      path: `${base}/tokeninfo`,
      aliases: ["v1", "v2", "v3"].map((version) => `${base}/oauth2/${version}/tokeninfo`),
      methods: ["GET", "POST"],
      caller: "resource client",
      title: "Token information",
      errors: "json",
      role: "step",
      parameters: [
        { name: "access_token", secret: "access_token", linksFlow: true },
        { name: "id_token", secret: "id_token", linksFlow: true },
      ],
      load: () => ({ GET: showToken, POST: showToken }),
    },
    {
      name: "google_userinfo",
      path: `${base}/oauth2/v2/userinfo`,
      aliases: [`${base}/oauth2/v1/userinfo`],
      methods: ["GET"],
      caller: "resource client",
      cors: true,
      title: "User information",
      errors: "json",
      role: "step",
      load: () => ({ GET: showUser }),
    },
    {
      name: "google_api",
      path: `${base}/v1/people/me`,
      methods: ["GET"],
      caller: "resource client",
      cors: true,
      title: "User of the People API",
      errors: "json",
      role: "step",
      load: () => ({ GET: showProfile }),
    },
    ...unservedUrls("google_api", ...["v1", "v2", "v3"].map((version) => `${base}/oauth2/${version}/**`)),
    ...unservedUrls("google_api", ...apiPaths.map((path) => `${base}${path}`)),
    {
      name: "google_revoke",
      metadataName: "revocation_endpoint",
      path: `${base}/revoke`,
      methods: ["POST"],
      caller: "client",
      title: "Revocation",
      errors: "json",
      role: "step",
      parameters: [{ name: "token", secret: "token", linksFlow: true }],
      load: () => ({ POST: revoke }),
    },
    {
      name: "google_certs",
      path: `${base}/oauth2/v1/certs`,
      methods: ["GET"],
      caller: "any",
      title: "Certificates",
      errors: "json",
      role: "document",
      load: () => ({ GET: showCertificates }),
    },
  ];
}

/**
 * The content of a token, in texts; its possession is the permission. All other values get the same response.
 * https://developers.google.com/identity/sign-in/web/backend-auth
 */
const showToken: Handler = async (context) => {
  const { server, request } = context;
  const params = await readAnyParams(context);
  const { token } = readAuthorization(request.headers.get("authorization"));
  const idToken = params.get("id_token");
  const members = idToken === undefined
    ? await describeAccessToken(server, params.get("access_token") ?? token)
    : await verifyOwnJwt(server, idToken, idTokenPolicy, { issuer: server.issuer });
  if (members === undefined) {
    throw new OAuthError("invalid_token", "Invalid Value", {
      rule: "BR-02",
      status: 400,
      expected: "access_token or id_token with a valid token of this server",
      received: "another value",
    });
  }
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  if (earlierVersion.test(context.target.path)) return json(200, Object.fromEntries(entries.map(withEarlierName)));
  return json(200, Object.fromEntries(entries.map(([name, value]) => [name, asText(value)])));
};

/** Paths whose responses have the names before OpenID Connect. */
const earlierVersion = /\/oauth2\/v[12]\//;

/** https://www.googleapis.com/discovery/v1/apis/oauth2/v2/rest: the schemas Tokeninfo and Userinfo */
const earlierNames: Readonly<Record<string, string>> = {
  aud: "audience",
  azp: "issued_to",
  email_verified: "verified_email",
  sub: "user_id",
};

function withEarlierName([name, value]: [string, unknown]): [string, unknown] {
  return [Object.hasOwn(earlierNames, name) ? earlierNames[name]! : name, value];
}

/** The user as before OpenID Connect. */
const showUser: Handler = async (context) => {
  const { token, user } = await requireUser(context);
  const { sub, ...claims } = {
    ...claimsForScope(context.server.claims, user, splitScope(token.claims.scope ?? "")),
    sub: user.sub,
  };
  return json(200, { id: sub, ...Object.fromEntries(Object.entries(claims).map(withEarlierName)) });
};

/**
 * The members of the user that the user's scope values release, and that the request asks for.
 * https://developers.google.com/people/api/rest/v1/people/get
 */
const showProfile: Handler = async (context) => {
  const { token, user } = await requireUser(context);
  const fields = new Map(parseFields(context.target.query)).get("personFields");
  if (fields === undefined) {
    throw new OAuthError("invalid_request", "personFields mask is required. Please specify one or more valid paths.", {
      rule: "HT-01",
      expected: "personFields with names of members, such as names,emailAddresses",
      received: "no personFields",
    });
  }
  const { name, given_name, family_name, picture, email, email_verified } = claimsForScope(
    context.server.claims,
    user,
    splitScope(token.claims.scope ?? ""),
  ) as Readonly<Record<string, unknown>>;
  const source = { type: "PROFILE", id: user.sub };
  const metadata = { primary: true, verified: true, source };
  const members: Readonly<Record<string, readonly object[]>> = {
    ...name !== undefined && {
      names: [{ metadata, displayName: name, givenName: given_name, familyName: family_name }],
    },
    ...picture !== undefined && { photos: [{ metadata, url: picture }] },
    ...email !== undefined && {
      emailAddresses: [{ metadata: { ...metadata, verified: email_verified === true }, value: email }],
    },
  };
  const requested = fields.split(",").filter((field) => Object.hasOwn(members, field));
  return json(200, {
    resourceName: `people/${user.sub}`,
    etag: "%EgUBAgMuNw==",
    ...Object.fromEntries(requested.map((field) => [field, members[field]])),
  });
};

const idTokenPolicy: OwnJwtPolicy = { kind: "id_token", requiredClaims: ["exp", "aud"] };

async function describeAccessToken(server: Server, token: string | undefined): Promise<object | undefined> {
  const read = token === undefined ? undefined : await readAccessToken(server, token);
  if (read === undefined) return undefined;
  const { client_id, sub, scope = "", exp } = read.claims;
  const scopes = scope.split(" ");
  const user = read.user === undefined ? undefined : await server.users.find(read.user);
  const { email, email_verified } = user === undefined ? {} : claimsForScope(server.claims, user, scopes);
  return {
    ...{ azp: client_id, aud: client_id, ...scopes.includes("openid") && { sub }, scope: longScope(scopes) },
    ...{ exp, expires_in: exp - Math.floor(server.now() / 1000), email, email_verified },
  };
}

/**
 * Revokes a token; its possession is the permission. google-auth-library-nodejs src/auth/oauth2client.ts sends it in
 * the query. https://developers.google.com/identity/protocols/oauth2/web-server#tokenrevoke
 */
const revoke: Handler = async (context) => {
  const { server } = context;
  const token = (await readAnyParams(context)).get("token");
  const reason = "the client revoked its token";
  const claims = token === undefined ? undefined : (await readAccessToken(server, token))?.claims;
  if (claims !== undefined) {
    const end = Math.max(claims.exp * 1000, server.now() + server.policy.lifetimes.refresh_token * 1000);
    await revokeGrant(server, grantOfAccessToken(claims.jti), reason, end);
    return json(200, {});
  }
  if (token !== undefined && await revokeIssuedToken(server, token, reason)) return json(200, {});
  throw new OAuthError("invalid_token", "Token expired or revoked", {
    rule: "RV-01",
    status: 400,
    expected: "token with a valid token of this server",
    received: token === undefined ? "no token" : "another value",
  });
};

/** The parameters of the query, or of the form of a POST without a query. */
async function readAnyParams(context: Context) {
  const { query } = context.target;
  return query === "" ? await readParams(context) : paramsFromFields(parseFields(query), context.unrepeatable);
}

/**
 * The public keys as PEM, by their ids. Google's are certificates; verifiers such as google-auth-library read both.
 * https://www.googleapis.com/oauth2/v1/certs
 */
const showCertificates: Handler = async ({ server }) => {
  const keys = await server.keys.publishedKeys(algorithmsInUse(server));
  const rsaKeys = keys.filter(({ kty }) => kty === "RSA");
  const pems = await Promise.all(rsaKeys.map(async (key) => [key.kid, await toPem(key)] as const));
  return json(200, Object.fromEntries(pems), { "cache-control": "public, max-age=60" });
};

async function toPem(key: Readonly<Record<string, unknown>>): Promise<string> {
  const lines = (await publicKeyInfo(key)).replace(/.{64}(?=.)/g, "$&\n");
  return `-----BEGIN PUBLIC KEY-----\n${lines}\n-----END PUBLIC KEY-----\n`;
}

const longNames: Readonly<Record<string, string>> = {
  email: "https://www.googleapis.com/auth/userinfo.email",
  profile: "https://www.googleapis.com/auth/userinfo.profile",
};

/** Scope values as responses name them: https://developers.google.com/identity/openid-connect/openid-connect */
export function longScope(scope: readonly string[]): string {
  return [...new Set(scope.map((value) => Object.hasOwn(longNames, value) ? longNames[value]! : value))].join(" ");
}
