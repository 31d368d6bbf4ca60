/** Verbs: what a test does with a server, each described once for the endpoint, the document and the handle. */

import type { App } from "../app/context.ts";
import type { Plugin } from "../app/plugin.ts";
import type { Field, Fields } from "../oauth/config/field.ts";
import type { MaybePromise } from "../oauth/maybe_promise.ts";
import type { ServerControl, ServerName } from "../testing/test_control.ts";

/** What verbs act on. */
export interface ControlTarget {
  readonly app: App;
  readonly control: ServerControl;
  /** The name of the server that the request was sent to. */
  readonly name: ServerName;
  /** Creates the endpoints of the control of a tenant. */
  readonly endpoints: (control: ServerControl) => Plugin;
  /** Aborted when the server closes: a verb that waits must end then. */
  readonly closed: AbortSignal;
}

/** The description of an object with known members. */
type ObjectField<T> = Field<T> & { readonly members: Fields<T> };

/** A verb as its file describes it. */
export interface VerbSource<Input extends object, Result> {
  /**
   * What follows `as.` in a program, such as `clock.advance`. With slashes in place of the dots it is the path below
   * `/_control`.
   */
  readonly name: string;
  /** What it does, one sentence. */
  readonly summary: string;
  /**
   * Whether it only reads: by GET, with its input in the query. Otherwise by POST, with a JSON object. Default: false.
   */
  readonly reads?: boolean;
  /** The input. */
  readonly input: ObjectField<Input>;
  /**
   * The members of the input in the order of the arguments in a program: `["seconds"]`; `...types` takes all further
   * arguments. Default: one object with all members.
   */
  readonly args?: readonly string[];
  /** The result. Absent: none, 204. */
  readonly result?: Field<Result>;
  /** The member of the result that a program gets. Default: the whole result. */
  readonly returns?: keyof Result & string;
  /**
   * Does it.
   *
   * @throws {ConfigurationError | TypeError | RangeError | ControlError} If it rejects the input.
   */
  run(target: ControlTarget, input: Input): MaybePromise<Result>;
}

/** A verb in the list of all verbs. Its input must match its field. */
export interface Verb extends Omit<VerbSource<object, object>, "input" | "returns" | "run"> {
  readonly input: Field & { readonly members: Readonly<Record<string, Field>> };
  readonly returns?: string;
  run(target: ControlTarget, input: object): MaybePromise<object | void>;
}

/** Checks a verb against its types. */
export function defineVerb<Input extends object, Result extends object | void>(
  source: VerbSource<Input, Result>,
): Verb {
  return source as unknown as Verb;
}

/** The input of a verb that needs nothing. */
export interface NoInput {
  readonly [name: string]: never;
}

/** The description of {@link NoInput}. */
export const noInput = { type: "object", expected: "an object", examples: [{}], members: {} } as const satisfies Field<
  NoInput
>;

/** The path of a verb below the path of the control. */
export function verbPath({ name }: Pick<Verb, "name">): string {
  return `/${name.replaceAll(".", "/")}`;
}
