/** The limiter of fetches for clients in use, with floods that one user can cause. */

import { assert, assertThrows } from "@std/assert";
import { test } from "node:test";
import { fetchLimiter, FetchLimitError } from "../../../src/server/fetching/fetch_limiter.ts";

const nothing = () => Promise.resolve();

const floods = {
  "addresses of one IPv6 network": (n: number) => `https://[2606:4700:1:2::${n.toString(16)}]/client`,
  "domains": (n: number) => `https://attacker-${n}.com/client`,
};

test("[MC-05] a flood that takes all it gets of each address or domain stops no client of another domain", () => {
  for (const [name, urlOf] of Object.entries(floods)) {
    const limiter = fetchLimiter(() => 0);
    const isCounted = (url: string) => {
      try {
        limiter.run(url, { isInUse: true }, nothing);
        return true;
      } catch (error) {
        assert(error instanceof FetchLimitError, String(error));
        return false;
      }
    };
    let fetched = 0;
    for (let n = 1; n <= 200; n++) while (isCounted(urlOf(n))) fetched++;
    assert(fetched < 800, `${fetched} fetches because of ${name}`);
    limiter.run("https://shop.com/client", { isInUse: true }, nothing);
    assertThrows(() => {
      for (let n = 0; n < 100; n++) limiter.run("https://shop.com/client", { isInUse: true }, nothing);
    }, FetchLimitError);
  }
});

test("[MC-05] a flood from addresses of one IPv6 network gets no more than one domain", () => {
  const limiter = fetchLimiter(() => 0);
  const flood = () => {
    for (let n = 1; n <= 100; n++) limiter.run(floods["addresses of one IPv6 network"](n), { isInUse: true }, nothing);
  };
  assertThrows(flood, FetchLimitError, "at most 60 fetches");
});
