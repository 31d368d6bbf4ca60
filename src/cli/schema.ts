/** The shape of the configuration file: the one schema that checks it and that editors are given as JSON Schema. */

import * as v from "valibot";
import type { ClientMetadata } from "../oauth/clients/client.ts";
import type { ResourceSettings } from "../oauth/authorize/resources.ts";
import type { KeySettings, Lifetimes, PkceSettings, RefreshSettings } from "../oauth/config/settings.ts";
import {
  defaults,
  hostPattern,
  limits,
  logFormats,
  loginModes,
  optionDefinitions,
  proxyHeaders,
  storePattern,
} from "./options.ts";
import type { RawConfigFile, SecretSource } from "./options.ts";

// A message is what was expected, as a noun phrase; the first example tells how to mend a fault.

type Entries<Described> = Readonly<Record<keyof Described, v.GenericSchema>>;

/** What an editor shows for a field. */
type FieldDescription<T> = {
  readonly title: string;
  readonly description: string;
  readonly examples: readonly T[];
  readonly default?: T;
};

function text(description: FieldDescription<string>, expected = "a string") {
  return v.pipe(v.string(expected), v.metadata(description));
}

function texts(description: FieldDescription<string[]>, item: FieldDescription<string>) {
  return v.pipe(v.array(text(item), "an array of strings"), v.metadata(description));
}

function choice<const Options extends readonly string[]>(
  options: Options,
  description: FieldDescription<Options[number]>,
) {
  const expected = options.map((option) => JSON.stringify(option)).join(", ").replace(/, ("[^"]*")$/, " or $1");
  return v.pipe(v.picklist(options, expected), v.metadata(description));
}

function flag(description: Omit<FieldDescription<boolean>, "examples">) {
  return v.pipe(v.boolean("true or false"), v.metadata({ ...description, examples: [true] }));
}

function seconds(description: FieldDescription<number>) {
  const expected = "a whole number of seconds, at least 1";
  return v.pipe(v.number(expected), v.safeInteger(expected), v.minValue(1, expected), v.metadata(description));
}

/** Lists of strings under names of the operator's choice. */
function textsByName(
  description: FieldDescription<Record<string, string[]>>,
  list: FieldDescription<string[]>,
  item: FieldDescription<string>,
) {
  return v.pipe(v.record(v.string(), texts(list, item), "an object of arrays of strings"), v.metadata(description));
}

const claimName = { title: "Claim", description: "The name of a member of users.", examples: ["groups"] };

/** A secret itself, or where it is to be found. */
function secret(description: FieldDescription<string | SecretSource>, expected: string) {
  const name = text({
    title: "Variable",
    description: "The environment variable that holds it.",
    examples: ["WEB_SECRET"],
  });
  const path = text({
    title: "File",
    description: "The file that holds it and nothing else, relative to the working directory.",
    examples: ["/run/secrets/web"],
  });
  const either = [v.string(), v.strictObject({ env: name }), v.strictObject({ file: path })] as const;
  return v.pipe(v.union(either, `${expected}, or { "env": NAME } or { "file": PATH }`), v.metadata(description));
}

function wholeNumber(min: number, max: number, expected: string, description: FieldDescription<number>) {
  return v.pipe(
    v.number(expected),
    v.integer(expected),
    v.minValue(min, expected),
    v.maxValue(max, expected),
    v.metadata(description),
  );
}

const port = (description: FieldDescription<number>) =>
  wholeNumber(0, 65535, optionDefinitions.port.expected, description);

function host(description: FieldDescription<string>) {
  const { expected } = optionDefinitions.host;
  return v.pipe(v.string(expected), v.regex(hostPattern, expected), v.metadata(description));
}

const algorithms = ["RS256", "ES256", "EdDSA"] as const;

const assertionAlgorithms = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519", "EdDSA"] as const,
  ...["HS256", "HS384", "HS512"] as const,
] as const;

const exampleKey = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };

const client = v.pipe(
  v.strictObject(
    {
      client_id: text({
        title: "Client identifier",
        description: "What the client calls itself in requests: 1 to 256 printable ASCII characters, unique.",
        examples: ["web"],
      }),
      client_secret: v.optional(secret({
        title: "Client secret",
        description:
          "Makes the client confidential. Leave it out for browser, native and mobile apps. May stand in an environment variable or a file of its own.",
        examples: ["correct-horse-battery-staple", { env: "WEB_SECRET" }, { file: "/run/secrets/web" }],
      }, "a string")),
      client_secret_expires_at: v.optional(v.pipe(
        v.number("a whole number of seconds since 1970, or 0"),
        v.safeInteger("a whole number of seconds since 1970, or 0"),
        v.minValue(0, "a whole number of seconds since 1970, or 0"),
        v.metadata({
          title: "End of the secret",
          description: "Seconds since 1970 after which the secret is refused; 0: never.",
          examples: [0],
          default: 0,
        }),
      )),
      client_name: v.optional(text({
        title: "Client name",
        description: "Shown to people instead of the identifier.",
        examples: ["Web shop"],
      })),
      redirect_uris: v.optional(texts({
        title: "Redirect URIs",
        description:
          "Where codes may be sent. Compared character by character; only the port of a loopback URI may vary.",
        examples: [["http://localhost:3000/cb"]],
      }, {
        title: "Redirect URI",
        description: "An absolute URI without fragment: https, http on a loopback host, or a private-use scheme.",
        examples: ["http://localhost:3000/cb", "https://app.example/cb", "com.example.app:/cb"],
      })),
      token_endpoint_auth_method: v.optional(choice([
        "client_secret_basic",
        "client_secret_post",
        "client_secret_jwt",
        "private_key_jwt",
        "none",
      ], {
        title: "Client authentication",
        description:
          "How the client proves who it is. Default: client_secret_basic with a secret, private_key_jwt with jwks, else none.",
        examples: ["client_secret_basic"],
      })),
      token_endpoint_auth_signing_alg: v.optional(choice(assertionAlgorithms, {
        title: "Assertion algorithm",
        description: "The one algorithm of the client's assertions. Default: any that suits the method and the key.",
        examples: ["ES256"],
      })),
      jwks: v.optional(v.pipe(
        v.looseObject({
          keys: v.pipe(
            v.array(
              v.pipe(
                v.record(v.string(), v.unknown(), "a JSON Web Key"),
                v.metadata({
                  title: "Key",
                  description: "A public key as a JSON Web Key (RFC 7517).",
                  examples: [exampleKey],
                }),
              ),
              "a list of keys",
            ),
            v.metadata({
              title: "Keys",
              description: "The public keys themselves.",
              examples: [[exampleKey]],
            }),
          ),
        }, "a JWK Set"),
        v.metadata({
          title: "Keys",
          description: "The client's public keys as a JWK Set, for private_key_jwt.",
          examples: [{ keys: [exampleKey] }],
        }),
      )),
      jwks_uri: v.optional(text({
        title: "Keys elsewhere",
        description: "Where the client's public keys are found instead: an https URL, fetched when they are needed.",
        examples: ["https://app.example/jwks.json"],
      })),
      subject_type: v.optional(choice(["public", "pairwise"], {
        title: "Subject type",
        description: "pairwise: users have another sub for each sector. Access tokens of such a client are opaque.",
        examples: ["public"],
      })),
      sector_identifier_uri: v.optional(text({
        title: "Sector",
        description:
          "Its host is the sector of a pairwise client; not fetched. Default: the host of the redirect URIs.",
        examples: ["https://shop.example/sector.json"],
      })),
      access_token_format: v.optional(choice(["jwt", "opaque"], {
        title: "Access token format",
        description: "opaque: resources ask the introspection endpoint what this client's tokens mean.",
        examples: ["jwt"],
      })),
      serves: v.optional(texts({
        title: "Resources it serves",
        description: "The client may introspect access tokens that are for these resources.",
        examples: [["https://api.example"]],
      }, { title: "Resource", description: "The URI of a resource.", examples: ["https://api.example"] })),
      post_logout_redirect_uris: v.optional(texts({
        title: "Logout redirect URIs",
        description: "Where the browser may be sent after logout. Compared character by character.",
        examples: [["http://localhost:3000/"]],
      }, {
        title: "Logout redirect URI",
        description: "An absolute URI without fragment.",
        examples: ["http://localhost:3000/"],
      })),
      userinfo_signed_response_alg: v.optional(choice(algorithms, {
        title: "Userinfo algorithm",
        description: "Signs the userinfo answers for this client. Default: plain JSON.",
        examples: ["RS256"],
      })),
      grant_types: v.optional(texts({
        title: "Grant types",
        description: "What the client may exchange for tokens.",
        examples: [["authorization_code"]],
        default: ["authorization_code"],
      }, { title: "Grant type", description: "The name of a grant type.", examples: ["authorization_code"] })),
      response_types: v.optional(texts({
        title: "Response types",
        description: "What the client may ask the authorization endpoint for.",
        examples: [["code"]],
        default: ["code"],
      }, { title: "Response type", description: "The name of a response type.", examples: ["code"] })),
      scope: v.optional(text({
        title: "Scope",
        description: "The scope values that the client may ask for, space-separated. Default: all of the server's.",
        examples: ["openid read"],
      }, "a string of space-separated scope values")),
      id_token_signed_response_alg: v.optional(choice(algorithms, {
        title: "ID token algorithm",
        description: "Signs this client's ID tokens. Default: the algorithm of the server.",
        examples: ["RS256"],
      })),
      require_pkce: v.optional(flag({
        title: "Require PKCE",
        description: "Refuse authorization requests without a code challenge, although the client has a secret.",
        default: false,
      })),
      application_type: v.optional(choice(["web", "native"], {
        title: "Application type",
        description: "For native clients, as for public ones, the port of a localhost redirect URI may vary.",
        examples: ["web"],
      })),
      client_uri: v.optional(text({
        title: "Home page",
        description: "A page about the client, for people; not fetched.",
        examples: ["https://app.example/"],
      })),
      logo_uri: v.optional(text({
        title: "Logo",
        description: "A picture of the client, for people; not fetched.",
        examples: ["https://app.example/logo.svg"],
      })),
      policy_uri: v.optional(text({
        title: "Privacy policy",
        description: "How the client uses data, for people; not fetched.",
        examples: ["https://app.example/privacy"],
      })),
      tos_uri: v.optional(text({
        title: "Terms of service",
        description: "The client's terms, for people; not fetched.",
        examples: ["https://app.example/terms"],
      })),
      contacts: v.optional(texts({
        title: "Contacts",
        description: "Whom to ask about the client.",
        examples: [["team@app.example"]],
      }, { title: "Contact", description: "A person or a team.", examples: ["team@app.example"] })),
    } satisfies Entries<ClientMetadata>,
    "an object",
  ),
  v.metadata({
    title: "Client",
    description: "A client in the names of RFC 7591; with a client_secret it is confidential, without it is public.",
    examples: [{ client_id: "spa", redirect_uris: ["http://localhost:5173/cb"] }],
  }),
) satisfies v.GenericSchema<unknown, NonNullable<RawConfigFile["clients"]>[number]>;

const examplePassword = "$scrypt$ln=15,r=8,p=3$4fXXG0spB92WPB1NitT8/Q$dAf4FAXv5aPZ5rXGwYtVjPyLZkUJzYV6c9xJFXG1bBo";

const user = v.pipe(
  v.looseObject(
    {
      sub: text({
        title: "Subject",
        description: "The lasting identifier of the user: at most 255 printable ASCII characters, unique.",
        examples: ["alice"],
      }),
      name: v.optional(text({ title: "Name", description: "The full name, shown to people.", examples: ["Alice"] })),
      email: v.optional(text({ title: "E-mail", description: "The e-mail address.", examples: ["alice@example.com"] })),
      password: v.optional(secret({
        title: "Password",
        description:
          "The scrypt digest of a password, as latchkey hash-password prints it; asked for where login is interactive. May stand in an environment variable or a file of its own.",
        examples: [examplePassword, { file: "/run/secrets/alice" }],
      }, "the scrypt digest of a password, as latchkey hash-password prints it")),
    } satisfies Readonly<Record<"sub" | "name" | "email" | "password", v.GenericSchema>>,
    "an object",
  ),
  v.metadata({
    title: "User",
    description: "A subject and any other claims.",
    examples: [{ sub: "alice", name: "Alice", email: "alice@example.com" }],
  }),
) satisfies v.GenericSchema<unknown, NonNullable<RawConfigFile["users"]>[number]>;

const lifetimes = v.pipe(
  v.strictObject(
    {
      code: v.optional(seconds({
        title: "Authorization codes",
        description: "Seconds until an authorization code expires, at most 600.",
        examples: [300],
        default: 300,
      })),
      access_token: v.optional(seconds({
        title: "Access tokens",
        description: "Seconds until an access token expires.",
        examples: [3600],
        default: 3600,
      })),
      id_token: v.optional(seconds({
        title: "ID tokens",
        description: "Seconds until an ID token expires.",
        examples: [3600],
        default: 3600,
      })),
      refresh_token: v.optional(seconds({
        title: "Refresh tokens",
        description: "Seconds until a refresh token and all that follow from it expire, however often they are used.",
        examples: [2592000],
        default: 2592000,
      })),
      refresh_token_idle: v.optional(seconds({
        title: "Idle refresh tokens",
        description: "Seconds until a refresh token that is not used expires.",
        examples: [604800],
        default: 604800,
      })),
      session: v.optional(seconds({
        title: "Logins",
        description: "Seconds until a login in one browser expires.",
        examples: [28800],
        default: 28800,
      })),
    } satisfies Entries<Lifetimes>,
    "an object",
  ),
  v.metadata({
    title: "Lifetimes",
    description: "How long things last, in whole seconds.",
    examples: [{ code: 300, access_token: 3600 }],
  }),
) satisfies v.GenericSchema<unknown, Lifetimes>;

const pkce = v.pipe(
  v.strictObject(
    {
      requireMethod: v.optional(flag({
        title: "Require the method",
        description: "Refuse a code_challenge without code_challenge_method instead of reading it as S256.",
        default: false,
      })),
      requireForConfidential: v.optional(flag({
        title: "Require PKCE of everybody",
        description: "Ask confidential clients for a code challenge too; public clients always need one.",
        default: false,
      })),
    } satisfies Entries<PkceSettings>,
    "an object",
  ),
  v.metadata({
    title: "PKCE",
    description: "How strictly code challenges are asked for.",
    examples: [{ requireMethod: true, requireForConfidential: true }],
  }),
) satisfies v.GenericSchema<unknown, PkceSettings>;

const refresh = v.pipe(
  v.strictObject(
    {
      rotateConfidential: v.optional(flag({
        title: "Rotate for everybody",
        description: "Rotate the refresh tokens of confidential clients too; those of public clients always rotate.",
        default: false,
      })),
      grace: v.optional(v.pipe(
        v.number("whole seconds from 0 to 60"),
        v.safeInteger("whole seconds from 0 to 60"),
        v.minValue(0, "whole seconds from 0 to 60"),
        v.maxValue(60, "whole seconds from 0 to 60"),
        v.metadata({
          title: "Grace",
          description: "Seconds within which a token just exchanged may be sent again, for clients that lose answers.",
          examples: [10],
          default: 0,
        }),
      )),
      onlyOffline: v.optional(flag({
        title: "Only with offline_access",
        description: "Issue refresh tokens only where offline_access was granted.",
        default: false,
      })),
    } satisfies Entries<RefreshSettings>,
    "an object",
  ),
  v.metadata({
    title: "Refresh tokens",
    description: "How refresh tokens behave.",
    examples: [{ grace: 10 }],
  }),
) satisfies v.GenericSchema<unknown, RefreshSettings>;

const keys = v.pipe(
  v.strictObject(
    {
      rotateEvery: v.optional(v.pipe(
        v.number("whole seconds, at least 3600"),
        v.safeInteger("whole seconds, at least 3600"),
        v.minValue(3600, "whole seconds, at least 3600"),
        v.metadata({
          title: "Rotation",
          description: "Seconds after which the next signing key is made. Default: never, only on request.",
          examples: [86400],
        }),
      )),
      lead: v.optional(seconds({
        title: "Lead",
        description: "Seconds a new key is published before it signs, as long as clients cache keys.",
        examples: [300],
        default: 300,
      })),
    } satisfies Entries<KeySettings>,
    "an object",
  ),
  v.metadata({ title: "Keys", description: "The life of signing keys.", examples: [{ rotateEvery: 86400 }] }),
) satisfies v.GenericSchema<unknown, KeySettings>;

const resource = v.pipe(
  v.strictObject(
    {
      uri: text({
        title: "Resource",
        description: "The absolute URI of the resource, without a fragment: the aud of its access tokens.",
        examples: ["https://api.example"],
      }),
      access_token_format: v.optional(choice(["jwt", "opaque"], {
        title: "Access token format",
        description: "opaque: the resource asks the introspection endpoint what a token means.",
        examples: ["jwt"],
      })),
      access_token_claims: v.optional(texts({
        title: "Claims of access tokens",
        description: "The claims about the user in access tokens for this resource. Default: accessTokenClaims.",
        examples: [["roles"]],
      }, claimName)),
    } satisfies Entries<ResourceSettings>,
    "an object",
  ),
  v.metadata({
    title: "Resource",
    description: "A protected resource that access tokens can be for (RFC 8707).",
    examples: [{ uri: "https://api.example" }],
  }),
) satisfies v.GenericSchema<unknown, ResourceSettings>;

/** The whole configuration file. */
export const configurationSchema = v.pipe(
  v.strictObject(
    {
      $schema: v.optional(text({
        title: "JSON Schema",
        description: "Where the JSON Schema of this file is, for editors; the server ignores it.",
        examples: ["./static/config.schema.json"],
      })),
      issuer: v.optional(text({
        title: "Issuer",
        description:
          "The address that clients know this server by: an absolute URL without query and fragment. Default: http://localhost:PORT.",
        examples: ["http://localhost:9000", "https://auth.example.com"],
      })),
      port: v.optional(port({
        title: "Port",
        description: "The TCP port to listen on; 0 takes any free one.",
        examples: [defaults.port],
        default: defaults.port,
      })),
      host: v.optional(host({
        title: "Host",
        description: "The name or address to listen on; 0.0.0.0 or :: listens on all.",
        examples: ["localhost", "0.0.0.0", "::1"],
        default: defaults.host,
      })),
      tlsCert: v.optional(text({
        title: "Certificate",
        description:
          "The PEM file with the certificate, and those that vouch for it; with tlsKey the server speaks https. Read once, at the start.",
        examples: ["cert.pem"],
      })),
      tlsKey: v.optional(text({
        title: "Private key",
        description: "The PEM file with the private key of the certificate, without a passphrase.",
        examples: ["key.pem"],
      })),
      trustProxy: v.optional(texts({
        title: "Trusted proxies",
        description:
          "The proxies whose word counts about who sent a request (Forwarded, X-Forwarded-For): for slowing down guesses, and for the log. Never for the issuer. Default: none.",
        examples: [["127.0.0.1", "10.0.0.0/8"]],
      }, { title: "Proxy", description: "An address or a network.", examples: ["10.0.0.0/8", "::1"] })),
      proxyHeader: v.optional(choice(proxyHeaders, {
        title: "Header of the proxies",
        description:
          "The header in which trusted proxies send the client's address; the other one is ignored. Default: either. If both are present and differ, the proxy's own address is used.",
        examples: ["x-forwarded-for"],
      })),
      maxInFlight: v.optional(wholeNumber(1, limits.inFlight, optionDefinitions["max-in-flight"].expected, {
        title: "Requests at the same time",
        description: "Requests that may be under way; further ones are answered 503 with Retry-After.",
        examples: [defaults.maxInFlight],
        default: defaults.maxInFlight,
      })),
      drain: v.optional(wholeNumber(0, limits.drain, optionDefinitions.drain.expected, {
        title: "Drain",
        description:
          "Seconds for which a server that is told to stop goes on serving, while /readyz says that it is not ready, so that load balancers let go of it first.",
        examples: [10],
        default: defaults.drain,
      })),
      log: v.optional(choice(logFormats, {
        title: "Log",
        description: "text: lines for people. json: one object a line, and one for every request. off: nothing.",
        examples: ["json"],
        default: defaults.log,
      })),
      metricsPort: v.optional(port({
        title: "Port of the metrics",
        description: "Another TCP port, on which Prometheus finds /metrics; 0 takes any free one. Default: none.",
        examples: [9464],
      })),
      metricsHost: v.optional(host({
        title: "Host of the metrics",
        description: "The name or address of that port. Whoever reaches it may read the metrics.",
        examples: ["localhost", "0.0.0.0"],
        default: defaults.metricsHost,
      })),
      login: v.optional(choice(loginModes, {
        title: "Login",
        description:
          "auto: the first user is logged in and everything is approved; login_hint picks another user. interactive: pages ask who is there, and what they allow.",
        examples: ["auto"],
        default: "auto",
      })),
      clients: v.optional(v.pipe(
        v.array(client, "an array of clients"),
        v.metadata({
          title: "Clients",
          description: "The programs that may ask for tokens. Default: a public and a confidential demo client.",
          examples: [[{ client_id: "spa", redirect_uris: ["http://localhost:5173/cb"] }]],
        }),
      )),
      users: v.optional(v.pipe(
        v.array(user, "an array of users"),
        v.metadata({
          title: "Users",
          description: "The people who can log in. Default: alice and bob.",
          examples: [[{ sub: "alice", name: "Alice" }]],
        }),
      )),
      scopes: v.optional(texts({
        title: "Scopes",
        description: "Every scope value there is.",
        examples: [["openid", "profile", "read"]],
        default: ["openid", "profile", "email", "read", "write", "offline_access"],
      }, { title: "Scope value", description: "One scope value, without spaces.", examples: ["openid"] })),
      defaultScope: v.optional(text({
        title: "Default scope",
        description:
          "Granted when a request names no scope, space-separated. Default: read if scopes contains it; otherwise such a request is rejected, and a warning at start says so.",
        examples: ["read"],
      }, "a string of space-separated scope values")),
      claims: v.optional(textsByName({
        title: "Claims of scope values",
        description:
          "The claims that each scope value releases, in addition to the standard claims of profile, email, address and phone. These scope values are added to scopes.",
        examples: [{ groups: ["groups"], profile: ["employee_no"] }],
      }, {
        title: "Claims",
        description: "The claims that the scope value releases.",
        examples: [["groups"]],
      }, claimName)),
      unmappedClaims: v.optional(choice(["openid", "none"], {
        title: "Claims without a scope value",
        description:
          "Whether openid releases the members of a user that no other scope value releases. Default: openid if the issuer is on a test host, otherwise none.",
        examples: ["openid"],
      })),
      idTokenClaims: v.optional(choice(["minimal", "like-userinfo"], {
        title: "Claims of ID tokens",
        description:
          "minimal: only userinfo returns the claims of scope values. like-userinfo: ID tokens contain them as well, for clients that never call userinfo.",
        examples: ["minimal"],
        default: "minimal",
      })),
      accessTokenClaims: v.optional(texts({
        title: "Claims of access tokens",
        description:
          "The claims about the user in access tokens and in introspection responses. A claim that a scope value releases is included only if that scope value was granted. Default: none.",
        examples: [["roles"]],
      }, claimName)),
      alg: v.optional(choice(algorithms, {
        title: "Signing algorithm",
        description: "Signs access tokens, and ID tokens of clients that registered no other algorithm.",
        examples: ["RS256"],
        default: "RS256",
      })),
      audience: v.optional(text({
        title: "Audience",
        description: "The aud claim of access tokens. Default: the issuer.",
        examples: ["https://api.example.com"],
      })),
      lifetimes: v.optional(lifetimes),
      pkce: v.optional(pkce),
      assertionAudience: v.optional(choice(["issuer", "issuer-or-token-endpoint"], {
        title: "Audience of client assertions",
        description:
          "The accepted aud of client assertions: only the issuer, or also the URL of the token endpoint (RFC 7523, sent by many clients), which causes a warning. aud must hold one value.",
        examples: ["issuer"],
        default: "issuer-or-token-endpoint",
      })),
      keys: v.optional(keys),
      refresh: v.optional(refresh),
      resources: v.optional(v.pipe(
        v.array(resource, "an array of resources"),
        v.metadata({
          title: "Resources",
          description:
            "What access tokens are for. Default: every https URI, and every URI on a test host, may be named.",
          examples: [[{ uri: "https://api.example" }]],
        }),
      )),
      directory: v.optional(choice(["edit", "read", "off"], {
        title: "Clients and users as pages",
        description:
          "What any visitor may do on /clients and /users: edit (for this run), read, or off (no such pages). Default: edit, or off unless the issuer is a test host.",
        examples: ["read"],
      })),
      throttle: v.optional(flag({
        title: "Throttle",
        description:
          "Rate-limit failed client authentication and logins (429). Default: on, unless the issuer is a test host.",
      })),
      insecureAllowHttpIssuer: v.optional(flag({
        title: "Allow an http issuer (insecure)",
        description: "Accept an http issuer that is not a test host.",
        default: false,
      })),
      insecureAllowHttpRedirectUris: v.optional(flag({
        title: "Allow http redirect URIs (insecure)",
        description: "Accept http redirect URIs that are not test hosts.",
        default: false,
      })),
      insecureAllowAutoLogin: v.optional(flag({
        title: "Allow automatic login (insecure)",
        description: 'Accept login "auto" although the issuer is not a test host.',
        default: false,
      })),
      insecureAllowOpenLogin: v.optional(flag({
        title: "Allow login without passwords (insecure)",
        description:
          'Accept login "interactive" without passwords, so that anybody can log in as any user, although the issuer is not a test host.',
        default: false,
      })),
      insecureAllowDemoClients: v.optional(flag({
        title: "Allow the demo clients (insecure)",
        description: "Accept the demo clients, whose secret is public, although the issuer is not a test host.",
        default: false,
      })),
      insecureAllowDirectory: v.optional(flag({
        title: "Allow the directory (insecure)",
        description:
          "Accept a directory, which shows clients and users to any visitor, although the issuer is not a test host.",
        default: false,
      })),
      inspector: v.optional(flag({
        title: "Inspector",
        description: "Whether /flows shows each login step by step. Default: on if the issuer is a test host.",
      })),
      insecureAllowInspector: v.optional(flag({
        title: "Allow the inspector (insecure)",
        description:
          "Accept the inspector, which shows all logins to any visitor, although the issuer is not a test host.",
        default: false,
      })),
      store: v.optional(v.pipe(
        v.string(`"memory", "sqlite:PATH", "postgres://…" or "redis://…"`),
        v.regex(storePattern, `"memory", "sqlite:PATH", "postgres://…" or "redis://…"`),
        v.metadata({
          title: "Store",
          description:
            "Where codes and keys are kept: memory forgets them at the end; sqlite:PATH keeps them in a file, relative to the working directory; with ?durability=power they survive a loss of power too; postgres://… and redis://… serve any number of instances.",
          examples: ["memory", "sqlite:latchkey.db", "sqlite:latchkey.db?durability=power"],
          default: defaults.store,
        }),
      )),
    } satisfies Entries<RawConfigFile>,
    "an object",
  ),
  v.metadata({
    title: "Latchkey configuration",
    description: "What a Latchkey server reads at start from the file that --config names. Everything has a default.",
  }),
) satisfies v.GenericSchema<unknown, RawConfigFile>;
