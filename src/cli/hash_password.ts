/** `latchkey hash-password`. */

import { CommandLineError } from "./command_line_error.ts";
import { readSecret } from "../platform/runtime/secret_input.ts";
import { randomSalt, scryptDigest } from "../platform/runtime/scrypt.ts";
import { formatPasswordDigest, maxPasswordBytes, passwordCost } from "../server/config/password_digest.ts";

const helpText = `Usage: latchkey hash-password

Asks for a password twice, or reads it from a pipe (latchkey hash-password < FILE),
and prints its hash, for users[].password in the configuration file.`;

/**
 * Reads a password and returns its digest. From a terminal it reads the password twice.
 *
 * @param args The words after the command: none. They are not repeated, because one of them may be the password.
 */
export async function hashPassword(args: readonly string[]): Promise<string> {
  if (args.includes("--help") || args.includes("-h")) return helpText;
  if (args.length > 0) {
    throw new CommandLineError([{
      path: "hash-password",
      expected: "the command alone",
      received: "more arguments (hidden)",
      hint:
        "Write it alone: it asks for the password or reads it from a pipe, which keeps it out of the shell's history.",
    }]);
  }
  const { password, again } = await readSecret("Password: ", "Repeat the password: ");
  const invalidPassword = (expected: string, received: string, hint: string) =>
    new CommandLineError([{ path: "password", expected, received, hint }]);
  if (password !== again) {
    throw invalidPassword("the same password twice", "two different passwords", "Run the command again.");
  }
  const size = new TextEncoder().encode(password).length;
  if (size === 0) {
    throw invalidPassword("a password", "nothing", "Type a password, or pipe it in: latchkey hash-password < FILE.");
  }
  if (size > maxPasswordBytes) {
    throw invalidPassword(`at most ${maxPasswordBytes} bytes`, `${size}`, "Choose a shorter password.");
  }
  const salt = randomSalt(passwordCost.salt);
  const hash = await scryptDigest(password, { ...passwordCost, salt }, passwordCost.hash);
  return formatPasswordDigest({ ...passwordCost, salt, hash });
}
