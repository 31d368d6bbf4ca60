/** Explains what several rules reject: repeated parameters, and redirect URIs of logins and logouts. */

import type { Repeated, UnregisteredUri } from "../../core/rules/authorize.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { RejectionTexts } from "./rule_text.ts";

/** The fix of a request in which only the first parameter of a URL arrived. */
export const quotedUrlFix = "In a shell, put the URL in quotation marks: & ends a command.";

/** Explains a parameter that was sent more than once. */
export function explainRepeated({ repeated, times }: Repeated): RejectionTexts {
  return {
    expected: `${repeated} once`,
    received: `${repeated} ${times === undefined ? "more than once" : `${times} times`}`,
  };
}

/** The URIs that a client has registered, as a message lists them. @param kind What it is if the client has none. */
export function listUris(registered: readonly string[], kind = "redirect URI"): string {
  return registered.join(" or ") || `none, because this client has no ${kind}`;
}

/** Explains a URI that is not registered, to a client that may use most such URIs; `undefined` for the others. */
export function explainUnregistrable(
  name: string,
  { clientId, uri }: UnregisteredUri,
  server: HostedServer,
): RejectionTexts | undefined {
  const client = server.clients.known().get(clientId);
  const issue = client?.redirectUriIssue?.(uri, server);
  if (issue === undefined) return undefined;
  const message = `${name} is not a URI that every client may use`;
  const setting = client?.isUnregistered ? "clients" : "redirectUris";
  return {
    message,
    reason: `${message}, also if ${setting} is "any"`,
    expected: issue.expected,
    received: uri,
    fix: issue.hint,
  };
}

export function explainRedirectUri(facts: UnregisteredUri, server: HostedServer): RejectionTexts {
  return explainUnregistrable("redirect_uri", facts, server) ?? {
    expected: listUris(facts.registered),
    publicExpected: registeredUriHint,
    received: facts.uri,
    change: { client_id: facts.clientId, isNew: false, redirect_uri: facts.uri },
  };
}

/** The expected redirect URI on pages that may not list clients. */
export const registeredUriHint = "a registered redirect URI of this client; the server's log lists them";
