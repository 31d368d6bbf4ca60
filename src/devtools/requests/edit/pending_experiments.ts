/** Edited authorization requests that a browser is about to send. */

/** Maximum number of requests that a browser has not sent yet. */
const maxPending = 100;

/** The edited requests, by path and query: a request with both is the experiment. */
export type PendingExperiments = ReturnType<typeof pendingExperiments>;

export function pendingExperiments() {
  const numbers = new Map<string, number>();
  return {
    /** Expects a request to this path with this query, edited from an exchange. */
    add(target: string, number: number): void {
      numbers.set(target, number);
      if (numbers.size > maxPending) numbers.delete(numbers.keys().next().value!);
    },
    /** The number of the exchange that the request was edited from, once. */
    take(url: string): number | undefined {
      // Almost always empty, and called for every request.
      if (numbers.size === 0) return undefined;
      const target = url.replace(/^[a-z]+:\/\/[^/]*/i, "");
      const number = numbers.get(target);
      numbers.delete(target);
      return number;
    },
  };
}
