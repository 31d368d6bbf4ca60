/** The props of the page `/faults`. */

import type { FieldInput } from "../../server/pages/field.tsx";
import type { Site } from "../../server/pages/layout.tsx";
import type { FaultDefinition } from "../faults/definition.ts";
import type { ListedFault } from "../faults/fault_list.ts";
import type { BuiltInScenario } from "../scenarios/scenarios.ts";
import type { ClockPreset } from "./clock_presets.ts";

/** A field of a form, from the input of a verb. */
export type FormField = Parameters<typeof FieldInput>[0];

/** The page at `/faults`. */
export interface FaultsProps extends Site {
  readonly csrfToken: string;
  /** Why the last form was rejected. */
  readonly error?: string;
  /** What the last form changed. Absent: nothing. */
  readonly confirmation?: string;
  /** The client that faults are added for. Absent: any client. */
  readonly client?: string;
  readonly clients: readonly string[];
  /** The pages that check a client, below the base. */
  readonly checks: readonly { readonly client: string; readonly path: string }[];
  /** The words that were searched. Empty: none. */
  readonly search: string;
  /** The faults of the first screen: what a button says, and the input of the verb. */
  readonly common: readonly { readonly title: string; readonly values: Readonly<Record<string, string>> }[];
  /** The scenarios of `exec --scenario`. */
  readonly scenarios: readonly BuiltInScenario[];
  /** All faults, by group; `text` is what a search looks in. */
  readonly groups: readonly {
    readonly title: string;
    readonly definitions: readonly {
      readonly id: string;
      readonly title: string;
      readonly text: string;
      readonly isFound: boolean;
    }[];
  }[];
  /** The fault that the form adds. Absent: none is chosen. */
  readonly chosen?: Pick<FaultDefinition, "id" | "title" | "correctClient"> & { readonly fields: readonly FormField[] };
  /** The rules that were added, and how often each has fired. */
  readonly rules: readonly ListedFault[];
  /** The time of the server, in milliseconds since the epoch. */
  readonly now: number;
  /** Moves of the clock, in seconds, after which what was issued before has expired. */
  readonly presets: readonly ClockPreset[];
  /** The fields that move the clock. */
  readonly advance: readonly FormField[];
  readonly revoke: readonly FormField[];
}
