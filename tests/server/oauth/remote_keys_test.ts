/** Fetched keys, and the limit of their fetches. */

import { assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { boundedCache } from "../../../src/platform/bounded_cache.ts";
import { fetchLimiter, FetchLimitError } from "../../../src/server/fetching/fetch_limiter.ts";
import { type KeyFetches, type LimitFetch, remoteKeys } from "../../../src/server/fetching/remote_keys.ts";

const key = { kid: "one", kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };

test("[MC-05] while the limit of fetches is reached, fetched keys count for five minutes after their end; an owner without a limit fetches", async () => {
  let [time, fetched] = [1e12, 0];
  const now = () => time;
  const outbound = () => Promise.resolve(Response.json({ keys: [key] }, { headers: { "x-count": `${++fetched}` } }));
  const server = { now, outbound, keyFetches: boundedCache<KeyFetches>(10) };
  const limiter = fetchLimiter(now);
  const owner = { jwks_uri: "https://client.example/jwks" };
  const find = async (limit?: typeof limiter) => {
    const limited: LimitFetch | undefined = limit && ((url, fetch) => limit.run(url, { isInUse: false }, fetch));
    await remoteKeys(server, owner, limited)({ alg: "Ed25519", kid: "one" }, { payload: "", signature: "" });
  };
  await find(limiter);
  assertEquals(fetched, 1);
  const flood = async () => {
    for (let i = 0; i < 60; i++) {
      await limiter.run(`https://client.example:${8000 + i}/`, { isInUse: false }, () => Promise.resolve());
    }
  };
  time += 899_000;
  await flood();
  await find(limiter);
  assertEquals(fetched, 1);
  time += 60_000;
  await flood();
  await assertRejects(() => find(limiter), FetchLimitError, "at most 60 fetches in 60 seconds from client.example");
  await find();
  assertEquals(fetched, 2);
});

test("[JC-06] while an unknown key is looked for, known keys are used, and the fetch is shared", async () => {
  let [time, fetched] = [1e12, 0];
  const { promise, resolve } = Promise.withResolvers<void>();
  const outbound = async () => {
    if (++fetched > 1) await promise;
    return Response.json({ keys: [key, ...fetched > 1 ? [{ ...key, kid: "two" }] : []] });
  };
  const server = { now: () => time, outbound, keyFetches: boundedCache<KeyFetches>(10) };
  const keys = remoteKeys(server, { jwks_uri: "https://client.example/jwks" });
  const find = (kid: string) => keys({ alg: "Ed25519", kid }, { payload: "", signature: "" });
  await find("one");
  time += 31_000;
  const waiting = [find("two"), find("two")];
  await find("one");
  resolve();
  await Promise.all(waiting);
  await find("two");
  assertEquals(fetched, 2);
});
