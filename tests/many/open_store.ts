/** Opens a store by the setting that names it. */

import { parseStore, storeKinds } from "../../src/cli/stores.ts";
import type { Store } from "../../src/core/store/store.ts";

/** Every shareable store. */
export async function openStore(setting: string): Promise<Store> {
  const choice = parseStore(setting, storeKinds);
  const store = choice && await storeKinds[choice.kind]!.open(choice, console.error);
  if (store === undefined) throw new Error("expected the setting of a store that processes can share");
  return store;
}
