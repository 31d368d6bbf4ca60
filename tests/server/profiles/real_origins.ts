/** Clients whose hosts are fixed: their requests go to a server under test. */

/** Sends requests for these origins to the origin of a server, until it is disposed. */
export function replaceOrigins(issuer: string, origins: readonly string[]): Disposable {
  const original = globalThis.fetch;
  const { origin } = new URL(issuer);
  globalThis.fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (!origins.includes(url.origin)) return original(input, init);
    const there = origin + url.pathname + url.search;
    return original(input instanceof Request ? new Request(there, input) : there, init);
  };
  return { [Symbol.dispose]: () => void (globalThis.fetch = original) };
}
