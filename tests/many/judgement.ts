/** What must hold of every account, and what `/readyz` must say. */

import { assertEquals } from "@std/assert";
import type { Account } from "./load.ts";
import { until } from "./machines.ts";
import type { Instance } from "./team.ts";

/** Nothing lost, nothing twice, every answer polite; and there was something to lose. */
export function assertSound({ lost, twice, impolite, flows }: Account): void {
  assertEquals({ lost: summary(lost), twice: summary(twice), impolite: summary(impolite) }, {
    lost: {},
    twice: {},
    impolite: {},
  });
  if (flows < 5) throw new Error(`there were ${flows} flows only, which prove nothing`);
}

function summary(sentences: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const sentence of sentences) counts[sentence] = (counts[sentence] ?? 0) + 1;
  return counts;
}

/** All of them say that they cannot do their work. */
export function becomeUnready(instances: readonly Instance[]): Promise<void> {
  return become(503, instances);
}

/** All of them say that they can. */
export function becomeReady(instances: readonly Instance[]): Promise<void> {
  return become(200, instances);
}

async function become(wanted: number, instances: readonly Instance[]): Promise<void> {
  await Promise.all(instances.map(async (one) => {
    let status = 0;
    const isSo = async () => (status = await one.ready()) === wanted;
    await until(`/readyz on ${one.runtime} is ${wanted}`, isSo).catch((error) => {
      throw new Error(
        `${error.message}; it is ${status}, and the instance has said:\n${one.process().said().slice(-3000)}`,
      );
    });
  }));
}
