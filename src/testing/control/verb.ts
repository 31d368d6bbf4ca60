/** Verbs: the operations of the control. Endpoint, OpenAPI document and handle use the same description of a verb. */

import type { App } from "../../server/app.ts";
import type { Plugin } from "../../server/hosting/options.ts";
import type { Field, ObjectField } from "../../core/policy/field.ts";
import type { ServerControl, ServerName } from "../test_control.ts";

/** The server that a verb acts on, and the request. */
export interface ControlTarget {
  readonly app: App;
  readonly control: ServerControl;
  /** The issuer and the audience under the host name of the request. */
  readonly name: ServerName;
  /** Creates the endpoints of the control of a tenant. */
  readonly endpoints: (control: ServerControl) => Plugin;
  /** Aborted when the server closes: a verb that waits must end then. */
  readonly closed: AbortSignal;
}

/** A verb as its file describes it. */
export interface VerbSource<Input extends object, Result> {
  /**
   * The name of the function of the handle, such as `clock.advance`. With slashes instead of dots it is the path below
   * `/_control`.
   */
  readonly name: string;
  /** What the verb does, in one sentence. */
  readonly summary: string;
  /**
   * Whether the verb only reads: a GET with its input in the query. Otherwise a POST with a JSON object.
   * Default: false.
   */
  readonly reads?: boolean;
  /** The input. */
  readonly input: ObjectField<Input>;
  /**
   * The members of the input in the order of the arguments in a program: `["seconds"]`; `...types` takes all further
   * arguments. Default: one object with all members.
   */
  readonly args?: readonly string[];
  /** The result. Absent: the response is 204. */
  readonly result?: Field<Result>;
  /** The member of the result that a program gets. Default: the whole result. */
  readonly returns?: keyof Result & string;
  /**
   * Runs the verb.
   *
   * @throws {ConfigurationError | TypeError | RangeError | ControlError} If the verb rejects the input.
   */
  run(target: ControlTarget, input: Input): Result | Promise<Result>;
}

/** A verb in the list of all verbs. Its input must match its field. */
export interface Verb extends Omit<VerbSource<object, object>, "input" | "returns" | "run"> {
  readonly input: Field & { readonly members: Readonly<Record<string, Field>> };
  readonly returns?: string;
  run(target: ControlTarget, input: object): object | void | Promise<object | void>;
}

/** Checks a verb against its types. */
export function defineVerb<Input extends object, Result extends object | void>(
  source: VerbSource<Input, Result>,
): Verb {
  return source as unknown as Verb;
}

interface NoInput {
  readonly [name: string]: never;
}

/** The input of a verb without members. */
export const noInput = {
  input: { type: "object", expected: "an object", examples: [{}], members: {} },
  args: [],
} as const satisfies Pick<VerbSource<NoInput, void>, "input" | "args">;

/** The path of the control, below the path of the issuer and at the root. */
export const controlPath = "/_control";

/** The path of a verb below the path of the control. */
export function verbPath({ name }: Pick<Verb, "name">): string {
  return `/${name.replaceAll(".", "/")}`;
}
