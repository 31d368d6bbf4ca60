/** What must hold of every account, and what `/readyz` must say. */

import { assertEquals } from "@std/assert";
import type { LoadReport } from "./load.ts";
import { waitUntil } from "./processes.ts";
import type { Instance } from "./instances.ts";

/** No lost and no doubly used records, only valid responses, and at least some flows. */
export function assertConsistent({ lost, doubleExchanges, malformed, flows }: LoadReport): void {
  assertEquals({
    lost: countSentences(lost),
    twice: countSentences(doubleExchanges),
    impolite: countSentences(malformed),
  }, {
    lost: {},
    twice: {},
    impolite: {},
  });
  if (flows < 5) throw new Error(`there were ${flows} flows only, which prove nothing`);
}

function countSentences(sentences: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const sentence of sentences) counts[sentence] = (counts[sentence] ?? 0) + 1;
  return counts;
}

/** All of them say that they cannot do their work. */
export function waitUntilUnready(instances: readonly Instance[]): Promise<void> {
  return waitForStatus(503, instances);
}

/** All of them say that they can. */
export function waitUntilReady(instances: readonly Instance[]): Promise<void> {
  return waitForStatus(200, instances);
}

async function waitForStatus(expected: number, instances: readonly Instance[]): Promise<void> {
  await Promise.all(instances.map(async (instance) => {
    let status = 0;
    const isSo = async () => (status = await instance.ready()) === expected;
    await waitUntil(`/readyz on ${instance.runtime} is ${expected}`, isSo).catch((error) => {
      throw new Error(
        `${error.message}; it is ${status}, and the instance printed:\n${instance.process().output().slice(-3000)}`,
      );
    });
  }));
}
