/** Calls of the functions of plugins. */

import { immediate } from "../../core/immediate.ts";
import type { Plugin } from "./options.ts";

/** A plugin in messages and stacks. */
export function pluginLabel({ name }: Plugin): string {
  return name === undefined ? "a plugin without a name" : `the plugin ${name}`;
}

/**
 * The result of a function of a plugin.
 *
 * @throws {ProgramError} If it is a promise.
 */
export function fromPlugin<T>(plugin: Plugin, call: keyof Plugin, result: T): T {
  return immediate(`${call} of ${pluginLabel(plugin)}`, result);
}
