/** Settings for client libraries, ready to paste. */

import { endpointUrl, type WithEndpoints } from "../../../core/http/endpoint.ts";
import type { Client } from "../../../core/clients/clients.ts";
import type { ClientSnippet } from "../pages/client_snippets.tsx";
import { libraries } from "./libraries.ts";
import type { ClientDemand, ClientLibrary } from "./library.ts";

/** The addresses of the server. */
export interface SnippetUrls {
  readonly issuer: string;
  readonly authorize: string;
  readonly token: string;
  readonly userinfo: string;
}

/** The URLs of the server that a page or a program runs in. */
export function serverUrls(context: WithEndpoints): SnippetUrls {
  return {
    issuer: context.server.issuer,
    authorize: endpointUrl(context, "authorize"),
    token: endpointUrl(context, "token"),
    userinfo: endpointUrl(context, "userinfo"),
  };
}

export interface SnippetOptions {
  readonly secret: string;
  /** What the server demands of the client. Default: nothing. */
  readonly demands?: readonly ClientDemand[];
  /** The redirect URI to write. Default: the first one of the client. */
  readonly redirectUri?: string;
}

/** The settings for each library; none for a client without grant types. */
export function clientSnippets(
  { issuer, authorize, token, userinfo }: SnippetUrls,
  client: Client,
  { secret, demands = [], redirectUri: given }: SnippetOptions,
): ClientSnippet[] {
  const grantTypes = ["authorization_code", "client_credentials"];
  if (!client.grantTypes.some((grantType) => grantTypes.includes(grantType))) return [];
  const redirectUri = client.grantTypes.includes("authorization_code") ? given ?? client.redirectUris[0] : undefined;
  const commonScope = ["openid", "profile", "email"].filter((value) => client.scope.includes(value));
  const scopes = commonScope.includes("openid") ? commonScope : client.scope;
  const values = {
    issuer,
    authorization_endpoint: authorize,
    token_endpoint: token,
    userinfo_endpoint: userinfo,
    client_id: client.id,
    client_secret: secret,
    redirect_uri: redirectUri ?? "",
    scope: scopes.join(" "),
    scopes,
  };
  return libraries.map((library) => {
    const { name, library: title, placement, methods, text, machineText, belowIssuer, notes = [] } = library;
    const { quote = (value: string) => JSON.stringify(value), unreadable } = library;
    const base = `${issuer.replace(/\/$/, "")}/`;
    const write = (value: string, placeholder: string) =>
      belowIssuer !== undefined && placeholder.endsWith("_endpoint") && value.startsWith(base)
        ? belowIssuer(value.slice(base.length - 1))
        : quote(value, placeholder);
    const ownDemands = demands.filter((demand) => demand === "dpop" || redirectUri !== undefined);
    const reason = unfitReason(library, client, redirectUri, scopes, ownDemands);
    if (reason !== undefined) return { name, library: title, placement, notes: [reason] };
    const auth = methods[client.authMethods.find((method) => method in methods)!]!;
    const template = (redirectUri === undefined ? machineText! : text).replaceAll("{{auth}}", () => auth);
    const unread = Object.entries(values).find(([placeholder, value]) =>
      template.includes(`{{${placeholder}}}`) && [value].flat().some((one) => unreadable?.isOne(one, placeholder))
    );
    if (unread !== undefined) {
      const note = `${unreadable!.reason}, and ${unread[0]} of this client contains such text. Choose another value.`;
      return { name, library: title, placement, notes: [note] };
    }
    return {
      name,
      library: title,
      placement,
      text: fillIn(template, values, write),
      notes: [
        ...redirectUri === undefined ? [] : notes,
        ...ownDemands.filter((demand) => library.demands?.[demand] !== "").map((demand) =>
          `To ${demandTexts[demand]}: ${library.demands?.[demand]}.`
        ),
      ],
    };
  });
}

const demandTexts: Readonly<Record<ClientDemand, string>> = {
  par: "push its authorization requests (PAR)",
  jar: "sign its authorization requests (JAR)",
  jarm: "receive signed authorization responses (JARM)",
  dpop: "bind its tokens to a key (DPoP)",
};

/** Why a library does not support a client; `undefined` if it does. */
function unfitReason(
  library: ClientLibrary,
  { authMethod, authMethods }: Client,
  redirectUri: string | undefined,
  scopes: readonly string[],
  demands: readonly ClientDemand[],
): string | undefined {
  if (library.machineText === undefined) {
    if (redirectUri === undefined) return "This client has no redirect URI, so no user can log in to it.";
    if (!/^https?:/.test(redirectUri)) {
      return "The redirect URI of this client has a private-use scheme; this library supports only http and https.";
    }
    if (library.needsOpenid && !scopes.includes("openid")) {
      return "This library always requests openid, which this client is not allowed to request.";
    }
  }
  const methods = Object.keys(library.methods);
  if (!methods.some((method) => authMethods.some((known) => known === method))) {
    if (methods.join() === "none") {
      return "This library runs in the browser, which cannot keep a secret. Use it with a public client.";
    }
    return `This client must authenticate with ${authMethod}, which this library does not support. Register the ` +
      `client with token_endpoint_auth_method ${methods.map((method) => JSON.stringify(method)).join(" or ")}.`;
  }
  const missing = demands.find((demand) => library.demands?.[demand] === undefined);
  if (missing !== undefined) return `This client must ${demandTexts[missing]}, which this library does not support.`;
  return undefined;
}

/** Fills in the placeholders of a text; those in a value stay as they are. */
function fillIn(
  text: string,
  values: Readonly<Record<string, string | readonly string[]>>,
  write: (text: string, placeholder: string) => string,
): string {
  return text.trim().replaceAll(
    /\{\{(\w+)\}\}/g,
    (_, name) => [values[name]!].flat().map((value) => write(value, name)).join(", "),
  );
}
