/** The values of a client as environment variables, for a library that is not in the list. */

import { joinLines } from "./client_info.ts";
import type { SnippetWriter } from "./client_info.ts";

const library = ".env";
const placement = "Environment variables";

/** One variable for each value. */
export const envFile: SnippetWriter = ({ issuer, clientId, secret, redirectUri, scope, authMethod }) => {
  const line = (name: string, value: string | undefined) => value !== undefined && `${name}=${quoteValue(value)}`;
  const text = joinLines(
    line("OIDC_ISSUER", issuer),
    line("OIDC_CLIENT_ID", clientId),
    line("OIDC_CLIENT_SECRET", secret),
    line("OIDC_TOKEN_ENDPOINT_AUTH_METHOD", authMethod),
    line("OIDC_REDIRECT_URI", redirectUri),
    line("OIDC_SCOPE", scope.join(" ")),
  );
  return { library, placement, text, notes: [] };
};

/** A shell and the parsers of such files read no variable and no escape between single quotes. */
function quoteValue(value: string): string {
  if (!value.includes("'")) return `'${value}'`;
  return `"${value.replaceAll(/[\\"$\x60]/g, "\\$&")}"`;
}
