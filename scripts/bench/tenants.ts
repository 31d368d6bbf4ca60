/** The tenants part: what a tenant costs to create and to remove, in process and over HTTP, and what it leaves. */

import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { testLatchkey } from "../../src/testing/mod.ts";
import { print } from "./table.ts";

const total = 10_000;
const rounds = 5;

/** Measures and prints. Client and server of the requests share this process. */
export async function tenants(): Promise<void> {
  await using as = await testLatchkey({ control: true });
  const { url } = await as.listen();
  const post = async (verb: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    const response = await fetch(`${url}/_control/tenants/${verb}`, init);
    if (!response.ok) throw new Error(`tenants/${verb}: expected success, received ${response.status}`);
    return await response.text();
  };
  const kinds: Readonly<Record<string, () => Promise<unknown>>> = {
    "in process": async () => await (await as.tenant()).close(),
    "over HTTP": async () => await post("remove", { id: JSON.parse(await post("create", {})).id }),
  };
  const rows: string[][] = [];
  for (const [name, createAndRemove] of Object.entries(kinds)) {
    const repeat = async (count: number) => {
      for (let i = 0; i < count; i++) await createAndRemove();
    };
    await repeat(1000);
    const heap = [await heapMegabytes()];
    const usage = process.cpuUsage();
    for (let round = 0; round < rounds; round++) {
      await repeat(total / rounds);
      heap.push(await heapMegabytes());
    }
    const { user, system } = process.cpuUsage(usage);
    rows.push([name, ((user + system) / 1000 / total).toFixed(2), ...heap.map((megabytes) => megabytes.toFixed(1))]);
  }
  const after = Array.from({ length: rounds }, (_, round) => `after ${(round + 1) * total / rounds}`);
  print(["tenants created and removed, heap in MB", "CPU, ms each", "before", ...after], rows);
}

/** The used heap after garbage collection. */
async function heapMegabytes(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  for (let i = 0; i < 3; i++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage().heapUsed / 1e6;
}
