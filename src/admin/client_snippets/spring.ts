/** Settings for Spring Security in Spring Boot. */

import { lines, literal, unfitForWeb, unfitMethod } from "./about.ts";
import type { WriteSettings } from "./about.ts";

const library = "Spring Boot";
const place = "application.yml";

/** A registration and its provider. */
export const spring: WriteSettings = (about) => {
  const { redirectUri = "" } = about;
  const unfit = unfitForWeb(about) ??
    unfitMethod(about, ["none", "client_secret_basic", "client_secret_post"]) ??
    (/\$\{/.test(about.clientId + redirectUri + about.scope) || /[{}]/.test(redirectUri)
      ? "Spring replaces what stands between braces, and values of this client hold some."
      : undefined);
  if (unfit !== undefined) return { library, place, notes: [unfit] };
  const text = lines(
    `spring:`,
    `  security:`,
    `    oauth2:`,
    `      client:`,
    `        registration:`,
    `          latchkey:`,
    `            client-id: ${literal(about.clientId)}`,
    about.secret !== undefined && `            client-secret: ${literal(about.secret)}`,
    `            client-authentication-method: ${about.authMethod}`,
    `            authorization-grant-type: authorization_code`,
    `            redirect-uri: ${literal(redirectUri)}`,
    `            scope: ${JSON.stringify(about.scope)}`,
    `        provider:`,
    `          latchkey:`,
    `            issuer-uri: ${literal(about.issuer)}`,
  );
  const notes = new URL(redirectUri).pathname === "/login/oauth2/code/latchkey" ? [] : [
    "Spring listens at /login/oauth2/code/latchkey unless told otherwise; register that redirect URI, or set the base " +
    "URI of the redirection endpoint.",
  ];
  return { library, place, text, notes };
};
