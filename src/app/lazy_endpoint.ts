/** An endpoint whose code is loaded with the first request for it. */

import type { Handler } from "../http/router.ts";
import type { Answers, Endpoint } from "./endpoint.ts";

/** What is known of it before: enough for metadata documents, for 404, and for 405 with its Allow. */
export interface Place extends Pick<Endpoint, "name" | "path" | "cors"> {
  /** What it answers to. A HEAD that is not named is a GET without the body. */
  readonly methods: readonly ("GET" | "HEAD" | "POST")[];
}

/** Stands in the route list for what `load` gives, which answers by the same methods. */
export function lazyEndpoint({ methods, ...place }: Place, load: () => Promise<Answers>): Endpoint {
  let answers: Answers | undefined;
  let loading: Promise<Answers> | undefined;
  const loaded = async (): Promise<Answers> => {
    try {
      return answers = await (loading ??= load());
    } catch (error) {
      // The next request tries again.
      loading = undefined;
      throw error;
    }
  };
  const handler = (method: Place["methods"][number]): Handler => (request, target) =>
    answers === undefined
      ? loaded().then((answers) => answers[method]!(request, target))
      : answers[method]!(request, target);
  return {
    ...place,
    ...Object.fromEntries(methods.map((method) => [method, handler(method)])),
    refuse: async (fault, target, request) => (await loaded()).refuse(fault, target, request),
  };
}
