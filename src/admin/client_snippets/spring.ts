/** Settings for Spring Security in Spring Boot. */

import { authMethodUnsupportedReason, joinLines, stringLiteral, webUnsupportedReason } from "./client_info.ts";
import type { SnippetWriter } from "./client_info.ts";

const library = "Spring Boot";
const placement = "The file application.yml";

/** A registration and its provider. */
export const spring: SnippetWriter = (info) => {
  const { redirectUri = "" } = info;
  const unsupportedReason = webUnsupportedReason(info) ??
    authMethodUnsupportedReason(info, ["none", "client_secret_basic", "client_secret_post"]) ??
    (/\$\{/.test(info.clientId + redirectUri + info.scope) || /[{}]/.test(redirectUri)
      ? "Spring replaces text between braces, and values of this client contain braces."
      : undefined);
  if (unsupportedReason !== undefined) return { library, placement, notes: [unsupportedReason] };
  const text = joinLines(
    `spring:`,
    `  security:`,
    `    oauth2:`,
    `      client:`,
    `        registration:`,
    `          latchkey:`,
    `            client-id: ${stringLiteral(info.clientId)}`,
    info.secret !== undefined && `            client-secret: ${stringLiteral(info.secret)}`,
    `            client-authentication-method: ${info.authMethod}`,
    `            authorization-grant-type: authorization_code`,
    `            redirect-uri: ${stringLiteral(redirectUri)}`,
    `            scope: ${JSON.stringify(info.scope)}`,
    `        provider:`,
    `          latchkey:`,
    `            issuer-uri: ${stringLiteral(info.issuer)}`,
  );
  const notes = new URL(redirectUri).pathname === "/login/oauth2/code/latchkey" ? [] : [
    "The default redirect URI of Spring is /login/oauth2/code/latchkey: register it, or set the base URI of the redirection endpoint.",
  ];
  return { library, placement, text, notes };
};
