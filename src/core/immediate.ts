/**
 * What the functions of extensions and plugins may return. One that must return immediately, written `async` by mistake,
 * would return a promise: it counts as true and has no members, so a server would permit what it should not, and its
 * rejection would end the process.
 */

import { ProgramError } from "./rules/program_error.ts";
import type { GrantType, Server } from "./server.ts";
import { ignoreRejection, isThenable } from "./thenable.ts";
import { assertResult } from "./returned.ts";

/**
 * The result of such a function.
 *
 * @param name The function and its owner, such as `metadata of the extension policy`.
 * @throws {ProgramError} If it is a promise.
 */
export function immediate<T>(name: string, result: T): T {
  if (!isThenable(result)) return result;
  ignoreRejection(result);
  throw new ProgramError(
    `expected ${name} to return immediately, received a promise. Do not declare the function async.`,
  );
}

type Call = (...values: never[]) => unknown;

/**
 * The replaced members of a server. Their functions throw if they return a promise although they must return
 * immediately, and those of grant types if they return no result. A listener may return a promise, which may reject.
 *
 * @param before The server without the replacements.
 * @param after The replacements, or the whole server with them.
 * @param owner Whose replacements they are, such as `the extension policy`.
 */
export function withCheckedFunctions<M extends Partial<Server>>(before: Server, after: M, owner: string): M {
  function replaced<T extends object>(former: T, current: Partial<T>, ...names: (keyof T & string)[]): Partial<T> {
    const changed = names.filter((name) => name in current && current[name] !== former[name]).map((name) => {
      const call = current[name] as Call;
      return [name, (...values: never[]) => immediate(`${name} of ${owner}`, call.apply(current, values))];
    });
    return Object.fromEntries(changed) as Partial<T>;
  }
  const listener = <T extends Call>(former: T, current: T) =>
    current === former ? current : ((...values) => ignoreRejection(current.apply(after, values))) as T;
  const { passed, observe, grants, grantTypes, presentedTokens } = after;
  return {
    ...after,
    ...replaced<Server>(before, after, "newToken", "now"),
    ...passed && { passed: listener(before.passed, passed) },
    ...observe && { observe: listener(before.observe, observe) },
    ...grants && { grants: copyWith(grants, replaced(before.grants, grants, "isEmpty")) },
    ...grantTypes &&
      { grantTypes: grantTypes.map((type) => before.grantTypes.includes(type) ? type : withCheckedResult(type)) },
    ...presentedTokens &&
      {
        presentedTokens: copyWith(
          presentedTokens,
          replaced(before.presentedTokens, presentedTokens, "read", "schemes", "challenge"),
        ),
      },
  };
}

/** A grant type of a program, whose function `authorize` throws if it returns no result. */
export function withCheckedResult(grantType: GrantType): GrantType {
  return copyWith(grantType, {
    async authorize(server, request) {
      const result = await grantType.authorize(server, request);
      assertResult(result, request.client, grantType);
      return result;
    },
  });
}

/** The object with other members; a copy, unless there are none. It may be of a class, and frozen. */
function copyWith<T extends object>(object: T, members: Partial<T>): T {
  return Object.keys(members).length === 0
    ? object
    : Object.create(object, Object.getOwnPropertyDescriptors({ ...object, ...members }));
}
