/** Whose address counts behind proxies. */

import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { clientAddress, type ProxyHeader } from "../../../src/server/hosting/trusted_proxies.ts";
import { addressMatcher, networkFromAddress } from "../../../src/platform/http/ip_address.ts";

/** The sender that is believed, for a connection's address and the headers that came over it. */
function sender(address: string, headers: Record<string, string>, ...trusted: string[]): string | undefined {
  const request = new Request("http://as.test/", { headers });
  return clientAddress(request, { address }, addressMatcher(trusted)).address;
}

test("networks contain exactly their addresses", () => {
  const cases: [string, string, boolean][] = [
    ["10.0.0.7", "10.0.0.7", true],
    ["10.0.0.7", "10.0.0.8", false],
    ["10.0.0.0/8", "10.255.0.1", true],
    ["10.0.0.0/8", "11.0.0.1", false],
    ["192.168.4.0/22", "192.168.7.255", true],
    ["192.168.4.0/22", "192.168.8.0", false],
    ["0.0.0.0/0", "203.0.113.9", true],
    ["0.0.0.0/0", "::1", false],
    ["::1", "::1", true],
    ["::1", "0:0:0:0:0:0:0:1", true],
    ["fd00::/8", "fd12:3456::1", true],
    ["fd00::/8", "fe80::1", false],
    ["fe80::/10", "fe80::1%eth0", true],
    ["127.0.0.1", "::ffff:127.0.0.1", true],
    ["64:ff9b::/96", "64:ff9b::192.0.2.1", true],
    ["10.0.0.0/8", "not an address", false],
    ["10.0.0.0/8", "10.0.0.256", false],
  ];
  for (const [network, address, kept] of cases) {
    assertStrictEquals(addressMatcher([network])(address), kept, `${address} in ${network}`);
  }
});

test("addresses of one IPv6 network have one key, and IPv4 addresses a key each", () => {
  const same: [string, string, number, boolean][] = [
    ["2001:db8::1", "2001:db8:0:0:ffff::2", 64, true],
    ["2001:db8::1", "2001:db8:0:1::1", 64, false],
    ["2001:db8::1", "2001:db8:0:1::1", 56, true],
    ["2001:db8::1", "2001:db8:0:100::1", 56, false],
    ["2001:db8::1", "2001:db8:0:100::1", 48, true],
    ["fe80::1%eth0", "fe80::1", 64, true],
    ["10.0.0.1", "10.0.0.2", 48, false],
    ["10.0.0.1", "::ffff:10.0.0.1", 64, true],
    ["::1", "::ffff:10.0.0.1", 48, false],
  ];
  for (const [one, other, bits, expected] of same) {
    assertStrictEquals(networkFromAddress(one, bits) === networkFromAddress(other, bits), expected, `${one} ${other}`);
  }
  for (const unknown of ["", "unknown", "1:2:nonsense"]) assertStrictEquals(networkFromAddress(unknown), unknown);
});

test("an invalid address or network is rejected by name", () => {
  for (
    const name of [
      "",
      "proxy",
      "10.0.0.0/33",
      "10.0.0/8",
      "10.0.0.0/8/8",
      "::1::",
      "fd00::/129",
      "1.2.3.4/",
      "12345::",
      "::1]/",
      "::1]",
    ]
  ) {
    const error = assertThrows(() => addressMatcher(["10.0.0.1", name]), RangeError);
    assertStrictEquals(error.message, name);
  }
});

test("[HT-16] an untrusted sender's header is ignored", () => {
  const headers = { "x-forwarded-for": "198.51.100.1", forwarded: "for=198.51.100.2" };
  assertStrictEquals(sender("203.0.113.9", headers), "203.0.113.9");
  assertStrictEquals(sender("203.0.113.9", headers, "10.0.0.0/8"), "203.0.113.9");
});

test("[OP-03] with one configured proxy header the other one is ignored", () => {
  const both = { forwarded: "for=192.0.2.66", "x-forwarded-for": "192.0.2.9, 198.51.100.1" };
  const trusted = addressMatcher(["10.0.0.0/8"]);
  const sent = (headers: Record<string, string>, header?: ProxyHeader) =>
    clientAddress(new Request("https://as.test", { headers }), { address: "10.0.0.1" }, trusted, header);
  const proxy = "10.0.0.1";
  assertEquals(sent(both, "x-forwarded-for"), { address: "198.51.100.1", proxy });
  assertEquals(sent(both, "forwarded"), { address: "192.0.2.66", proxy });
  assertEquals(sent({ forwarded: "for=192.0.2.66" }, "x-forwarded-for"), { address: proxy, proxy });
  // An address in only one of them is logged.
  assertEquals(sent(both), { address: proxy, proxy, conflicting: ["198.51.100.1", "192.0.2.66"] });
});

test("[HT-16] of a trusted proxy's header the last untrusted hop counts", () => {
  const trusted = ["10.0.0.0/8", "fd00::/8"];
  const cases: [Record<string, string>, string][] = [
    [{ "x-forwarded-for": "198.51.100.1" }, "198.51.100.1"],
    [{ "x-forwarded-for": "192.0.2.66, 198.51.100.1" }, "198.51.100.1"],
    [{ "x-forwarded-for": "192.0.2.66, 198.51.100.1, 10.9.9.9" }, "198.51.100.1"],
    [{ "x-forwarded-for": "198.51.100.1:4711" }, "198.51.100.1"],
    [{ forwarded: "for=192.0.2.66, for=198.51.100.1;proto=https;by=10.0.0.1" }, "198.51.100.1"],
    [{ forwarded: `for="[2001:db8::7]:4711"` }, "2001:db8::7"],
    [{ forwarded: "for=198.51.100.1", "x-forwarded-for": "192.0.2.66, 198.51.100.1" }, "198.51.100.1"],
    // A proxy writes one of the two and may forward the other one of the client.
    [{ forwarded: "for=192.0.2.66", "x-forwarded-for": "198.51.100.1" }, "10.0.0.1"],
    // What is no address ends the walk at the last hop that is one.
    [{ "x-forwarded-for": "198.51.100.1, nonsense" }, "10.0.0.1"],
    [{ forwarded: "for=_hidden" }, "10.0.0.1"],
    [{ forwarded: "for=unknown, for=10.2.2.2" }, "10.2.2.2"],
    [{ "x-forwarded-for": "" }, "10.0.0.1"],
    [{}, "10.0.0.1"],
  ];
  for (const [headers, expected] of cases) {
    assertStrictEquals(sender("10.0.0.1", headers, ...trusted), expected, JSON.stringify(headers));
  }
  assert(sender("fd00::1", { "x-forwarded-for": "198.51.100.1" }, ...trusted) === "198.51.100.1");
});
