/** RSA keys that servers share: for tests in which it does not matter that each server has keys of its own. */

import { generatedKeys, type KeySource, type NewKey } from "../../src/oauth/keys/keys.ts";

const keys: Promise<NewKey>[] = [];

/** Generates an RSA key once in a process, which takes up to a quarter of a second; other keys for each server. */
export const sharedRsaKeys: KeySource = {
  async create(alg, number) {
    if (alg !== "RS256") return await generatedKeys.create(alg, number);
    return await (keys[number] ??= Promise.resolve(generatedKeys.create(alg, number)));
  },
};
