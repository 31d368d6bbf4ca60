/** Examples of the token request for a code: one of a public client, one of a confidential client. */

import type { Client } from "../clients/clients.ts";
import type { Context } from "../http/context.ts";
import { callbackClients, callbackUri } from "./demo_flow.ts";
import { endpointUrl } from "../http/endpoint.ts";
import type { CodeOwner, TokenRequestExample } from "../pages/token_request_example.tsx";
import { shellQuote } from "../http/quote_value.ts";

export interface IssuedCode {
  readonly clientId: string;
  readonly redirectUri: string;
  /** When it was exchanged, in milliseconds since the epoch; absent before. */
  readonly consumedAt?: number;
  /** The code challenge of the request; absent if it had none. */
  readonly codeChallenge?: string;
}

/** What the requests contain. */
interface CodeExchange {
  readonly code: string;
  /** The record of the code, if this server knows it. */
  readonly issued?: IssuedCode;
  /** The code verifier. Default: `YOUR_CODE_VERIFIER`. */
  readonly verifier?: string;
  /** The client that the code was issued to, if it signs each request for another reason than its method. */
  readonly signedBy?: string;
  /** The secret of a client, if the page may show it. Default: of none. */
  secretOf?(client: Client): string | undefined;
}

/** The methods that an example can show: a shell cannot sign a request, for example. */
const shownMethods = { public: "none", confidential: "client_secret_basic" } as const;

/**
 * The token request of a public client, then that of a confidential one, whichever clients exist: that of the client
 * that the code was issued to, or of one whose redirect URI is this server's own page, or with placeholders.
 */
export async function createExamples(context: Context, exchange: CodeExchange): Promise<TokenRequestExample[]> {
  const { server } = context;
  const { code, issued, verifier, signedBy, secretOf } = exchange;
  const issuedTo = issued && await server.clients.find(issued.clientId);
  const candidates = [...issuedTo ? [issuedTo] : [], ...await callbackClients(context)];
  const usesPkce = issued === undefined || issued.codeChallenge !== undefined;
  return (["public", "confidential"] as const).map((kind) => {
    const isPublic = kind === "public";
    const client = candidates.find(({ authMethods }) => authMethods.includes(shownMethods[kind]));
    const clientId = client?.id ?? "YOUR_CLIENT_ID";
    const known = isPublic ? undefined : client && secretOf?.(client);
    const secret = known ?? "YOUR_CLIENT_SECRET";
    const credentials = basicCredentials(clientId, secret);
    return {
      kind,
      clientId: client?.id,
      ...!isPublic && { authorization: `Basic ${known === undefined ? `BASE64(${credentials})` : btoa(credentials)}` },
      redirectUri: callbackUri(server),
      owner: signedBy === undefined ? unshownOwner(issuedTo) : { clientId: signedBy },
      command: tokenCommand(context, {
        code,
        issued,
        verifier,
        clientId,
        secret: isPublic ? undefined : secret,
      }),
      secrets: [
        ...verifier === undefined ? [] : [{ name: `code verifier in the ${kind} request`, value: verifier }],
        ...isPublic ? [] : [{ name: "credentials in the header", value: btoa(credentials) }],
        ...known === undefined ? [] : [{ name: "secret in the command", value: known }],
      ],
      codeBelongsToClient: issued === undefined ? undefined : issued.clientId === client?.id,
      codeUsed: issued?.consumedAt !== undefined,
      usesPkce,
      missing: [
        ...usesPkce && verifier === undefined ? ["code verifier"] : [],
        ...isPublic || known !== undefined ? [] : ["client secret"],
      ],
    };
  });
}

/** The client of a code, if its method is in neither example. */
function unshownOwner(client: Client | undefined): CodeOwner | undefined {
  if (client === undefined || Object.values(shownMethods).some((name) => client.authMethods.includes(name))) return;
  const { id, authMethod } = client;
  return { clientId: id, ...!authMethod.endsWith("_jwt") && { authMethod } };
}

/** A token request to paste into a shell; without a secret, that of a public client. */
function tokenCommand(
  context: Context,
  { code, issued, verifier = "YOUR_CODE_VERIFIER", clientId, secret }: CodeExchange & {
    readonly clientId: string;
    readonly secret: string | undefined;
  },
): string {
  const usesPkce = issued === undefined || issued.codeChallenge !== undefined;
  const form = {
    grant_type: "authorization_code",
    code,
    redirect_uri: issued?.redirectUri ?? callbackUri(context.server),
    ...usesPkce && { code_verifier: verifier },
    ...secret === undefined && { client_id: clientId },
  };
  return [
    `curl ${shellQuote(endpointUrl(context, "token"))}`,
    ...secret === undefined ? [] : [`-u ${shellQuote(basicCredentials(clientId, secret))}`],
    ...`${new URLSearchParams(form)}`.split("&").map((pair) => `-d ${shellQuote(pair)}`),
  ].join(" \\\n  ");
}

/** ID and secret, form-encoded and joined by a colon (OAuth 2.1 §2.4.1). */
function basicCredentials(id: string, secret: string): string {
  return `${new URLSearchParams({ [id]: secret })}`.replace("=", ":");
}
