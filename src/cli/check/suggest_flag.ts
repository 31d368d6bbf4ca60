/** The flag of `latchkey check` to change after a failed login without an attack. */

import type { ControlFailure } from "../../check/report.ts";
import { printable } from "../../core/http/quote_value.ts";
import { shellWord } from "../../platform/shell_word.ts";
import type { CheckFlags } from "./check_flags.ts";

/** One sentence; `undefined` if no flag is known to help. */
export function suggestFlag(
  failure: ControlFailure,
  { clientId, clientSecret, redirectUri, tokenIn }: CheckFlags,
  { issuer, audience }: { readonly issuer: string; readonly audience: string },
): string | undefined {
  const { rule, error, received = "" } = failure.rejections.at(-1) ?? {};
  const word = shellWord(printable(received.replaceAll('"', "")));
  if (rule === "RU-01") {
    return `Try --redirect-uri ${word}: the check has ${redirectUri ?? "the clients of --config"}.`;
  }
  if (error === "invalid_client" && clientSecret === undefined) {
    return "Try --client-secret SECRET: the check has no secret of this client, and the application sends one.";
  }
  if (error === "invalid_client" && /without authentication/.test(received)) {
    return "Try it without --client-secret: the application sends no secret.";
  }
  if (error === "invalid_client") return "Try another --client-secret: the application sends another secret.";
  if (error === "invalid_request" && /client_id/.test(failure.rejections.at(-1)!.reason)) {
    return `Try --client-id ${word}: the check has ${clientId ?? "the clients of --config"}.`;
  }
  if (error === "invalid_scope") return "Try --config FILE, with a client that may request this scope.";
  if (failure.rejections.length > 0) return undefined;
  if (tokenIn !== undefined && /status 40[13]/.test(failure.error)) {
    return `The access tokens of the check have iss ${issuer} and aud ${audience}. Start the API with exactly this ` +
      "issuer and audience, or run the check with --config FILE that sets the audience it expects.";
  }
  if (/whose ID token is not valid: .*could not be reached/s.test(failure.error)) {
    return "The application has stopped at an ID token that is no JWT: see its log. With --start COMMAND the check starts " +
      "it again.";
  }
  if (/could not be reached/.test(failure.error)) return "Start the application. It must use the issuer of the check.";
  if (/did not lead to/.test(failure.error)) {
    return "Give a URL that redirects to the issuer, or shows a single form that leads there: scripts do not run.";
  }
  return /text|page|--logged-in-url/.test(failure.error)
    ? "Try --logged-in-url URL, a page that only logged-in users see, or --logged-in-text TEXT, a text of the user."
    : undefined;
}
