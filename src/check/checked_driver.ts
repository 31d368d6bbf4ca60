/** Checks what a driver returns, for drivers from JavaScript without types. */

import { type ClientDriver, type ClientSession, UndecidedError } from "./driver.ts";

/** The members that return a session. */
const sessionMembers = ["logIn", "logInDevice", "requestResource", "acceptToken", "receiveCallback"] as const;

/** The driver; what its members return is a session, or else they throw an {@link UndecidedError}. */
export function checkedDriver(driver: ClientDriver): ClientDriver {
  type Member = (...args: unknown[]) => unknown;
  const get = (_: unknown, name: string) => {
    const member: unknown = driver[name as keyof ClientDriver];
    if (typeof member !== "function") return member;
    const call: Member = (...args) => (member as Member).apply(driver, args);
    return sessionMembers.some((other) => other === name)
      ? async (...args: unknown[]) => assertSession(await call(...args), name)
      : call;
  };
  // The target is empty, because a proxy must return the members of a frozen target as they are.
  return new Proxy({} as ClientDriver, { get: get as ProxyHandler<ClientDriver>["get"] });
}

/**
 * @param member The function that returned it: `logIn`.
 * @throws {UndecidedError} If the value is not a session.
 */
export function assertSession(value: unknown, member: string): ClientSession {
  if (typeof value === "object" && value !== null && "sub" in value && typeof value.sub === "string") {
    return value as ClientSession;
  }
  throw new UndecidedError(
    `${member}: expected an object with sub, a string, received ${describeValue(value)}. ` +
      "A driver returns a session if the client accepts the login, and throws if the client rejects it",
  );
}

function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value;
  return "sub" in value ? `an object whose sub is of type ${typeof value.sub}` : "an object without sub";
}
