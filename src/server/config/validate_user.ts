/** Validates users, of the configuration or registered at run time. */

import { validateMembers } from "../../core/clients/validate_user.ts";
import type { User } from "../../core/clients/client.ts";
import { digestName, isWeakDigest, maxPasswordBytes, parsePasswordDigest } from "./password_digest.ts";
import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import { validate } from "./config_issue.ts";
import { registeredUserField } from "./user_fields.ts";

/**
 * All issues of one user; paths are relative to the user.
 *
 * @param openLogin `allows.openLogin`. Without it, a digest that is cheap to guess is an issue.
 */
export function validateUser(user: User, openLogin = true): ConfigIssue[] {
  const issues = validate(registeredUserField, user);
  if (issues.length > 0) return issues;
  const { sub: _, password, ...claims } = user;
  if (password !== undefined) issues.push(...validatePassword(password, openLogin));
  return [...issues, ...validateMembers(claims)];
}

function validatePassword(password: string, openLogin: boolean): ConfigIssue[] {
  const digest = parsePasswordDigest(password);
  if (digest !== undefined && (openLogin || !isWeakDigest(digest))) return [];
  const name = digestName(password);
  const isPlain = digest === undefined && name === undefined && password !== "" && password.length <= maxPasswordBytes;
  if (isPlain && openLogin) return [];
  return [{
    path: "password",
    expected: digest === undefined
      ? "the scrypt digest of a password, with at most 128 MiB and 16 lanes"
      : "a digest that costs at least as much to guess as scrypt with ln=16, r=8, p=1, because the issuer is not on a " +
        "test host",
    received: digest === undefined ? "another string (hidden)" : `ln=${digest.ln}, r=${digest.r}, p=${digest.p}`,
    hint: `${passwordHint(name)}${openLogin ? " Or remove it: on a test host users log in without a password." : ""}`,
  }];
}

function passwordHint(name: string | undefined): string {
  return name === undefined
    ? "Run latchkey hash-password, and write its output."
    : `${name} cannot be converted: run latchkey hash-password with the password itself, and write its output.`;
}
