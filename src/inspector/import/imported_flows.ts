/** Flows from files, in memory beside the recorder: no log, habit or `/flows.json` contains them. */

import type { Flow } from "../../recorder/exchange.ts";

/** A flow that another server recorded. Its exchanges are redacted, and `number` counts the steps. */
export interface ImportedFlow extends Flow {
  /** When it was imported, in milliseconds since the epoch. */
  readonly importedAt: number;
  /** The kind of its file. A test fixture has no times, and of the headers only those that influence the response. */
  readonly format: "HAR" | "test fixture";
  /** Its place in the list, among the numbers of the recorded exchanges. */
  readonly order: number;
}

/** A flow as a file contains it. */
export type ReadFlow = Omit<ImportedFlow, "id" | "importedAt" | "order">;

/** The imported flows of a server. */
export interface ImportedFlows {
  /** The flows, oldest import first. */
  all(): readonly ImportedFlow[];
  /** Finds a flow; `undefined` if it is not there. */
  find(id: string): ImportedFlow | undefined;
  /**
   * Adds a flow, and removes the oldest ones beyond {@link maxImportedFlows}.
   *
   * @param newest The number of the newest recorded exchange.
   */
  add(flow: ReadFlow, place: { readonly now: number; readonly newest: number }): ImportedFlow;
  /** Removes one flow, or all. */
  remove(id?: string): void;
}

/** Maximum number of imported flows. */
export const maxImportedFlows = 10;

/** Whether a flow was imported. */
export function isImported(flow: Flow): flow is ImportedFlow {
  return "importedAt" in flow;
}

/** Creates an empty list. An ID is `i` and a number, so that it is never that of a recorded flow, and is not reused. */
export function importedFlows(): ImportedFlows {
  let flows: readonly ImportedFlow[] = [];
  let count = 0;
  return {
    all: () => flows,
    find: (id) => flows.find((flow) => flow.id === id),
    add(flow, { now, newest }) {
      count++;
      // Between the number of the newest exchange and the next one.
      const order = newest + count / (count + 1);
      const id = `i${count}`;
      const exchanges = flow.exchanges.map((exchange) => ({ ...exchange, flow: id }));
      const added = { ...flow, id, importedAt: now, order, exchanges };
      flows = [...flows, added].slice(-maxImportedFlows);
      return added;
    },
    remove: (id) => void (flows = id === undefined ? [] : flows.filter((flow) => flow.id !== id)),
  };
}
