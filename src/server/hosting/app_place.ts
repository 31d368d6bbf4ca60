/** Where an app is on its host. */

import { quote } from "../config/config_issue.ts";
import { ConfigurationError } from "../../core/rules/configuration_error.ts";

const issuerPath = /^(?:\/[\w~-][\w.~-]*)*$/;

/**
 * Rejects a path that no issuer of a host can have.
 *
 * @param issuer The configured issuer, which excludes a path.
 * @throws {ConfigurationError} If the path is invalid, or an issuer is configured too.
 */
export function validatePath(path: string, issuer: string | undefined): void {
  if (issuer === undefined ? issuerPath.test(path) : path === "") return;
  throw new ConfigurationError([{
    path: "path",
    expected: issuer === undefined
      ? "a path such as /a, without a slash at its end"
      : "no path together with an issuer",
    received: quote(path),
    hint: issuer === undefined ? "Correct the path." : "Write the path in the issuer, or remove the issuer.",
  }]);
}

/**
 * Rejects the option `issuerUntilListening` of an app that cannot have it.
 *
 * @param isOnHost Whether the app has the origin of a host.
 * @throws {ConfigurationError} If it is not an origin, or the host has one.
 */
export function validateIssuerUntilListening(issuer: string | undefined, isOnHost: boolean): void {
  if (issuer === undefined || !isOnHost && URL.canParse(issuer) && new URL(issuer).origin === issuer) return;
  throw new ConfigurationError([{
    path: "issuerUntilListening",
    expected: isOnHost ? "none, because the app has the origin of its host" : "an origin, without a path",
    received: quote(issuer),
    hint: isOnHost
      ? "Pass it to host(), as the option origin."
      : "Write it as http://localhost:9000, and pass the path as path.",
  }]);
}

/** The error of an app with the issuer of another app. */
export function issuerInUse(issuer: string): ConfigurationError {
  return new ConfigurationError([{
    path: "issuer",
    expected: "an issuer that no other app of the host has",
    received: quote(issuer),
    hint: "Choose another path or host name, or remove the other app.",
  }]);
}

/**
 * The error of an app with its own clock in a shared store, because the clocks of other apps would expire its records.
 */
export function ownClockError(): ConfigurationError {
  return new ConfigurationError([{
    path: "now",
    expected: "the clock of the system, because the apps of the host share a store",
    received: "another clock, from an option or a plugin such as the mock",
    hint: "Create the host without a store, so that each app has one of its own.",
  }]);
}
