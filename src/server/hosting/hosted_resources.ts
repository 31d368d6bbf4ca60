/** The protected resources of the whole server. */

import { canonicalUri, type Resources } from "../../core/resource_list.ts";

/** @internal A protected resource that the server itself hosts. */
export interface HostedResource {
  /** The identifier: its URL. It may follow the port of the issuer. */
  readonly identifier: string;
  /** The scope values that its operations need. */
  readonly scopes: readonly string[];
  /** Forgets what users did there, because a mock is reset. */
  reset(): void;
}

/** @internal The resources of the whole server. */
export interface HostedResources extends Resources {
  readonly hosted: readonly HostedResource[];
  /** Adds a hosted resource; replaces one with the same identifier. */
  host(resource: HostedResource): void;
}

/** Adds hosted resources to others. Of two with the same URI, the hosted one counts. */
export function hostedResources(others: Resources): HostedResources {
  let hosted: readonly HostedResource[] = [];
  return {
    ...others,
    get hosted() {
      return hosted;
    },
    host(resource) {
      hosted = [...hosted.filter(({ identifier }) => identifier !== resource.identifier), resource];
    },
    find(uri) {
      const key = canonicalUri(uri);
      return hosted.find(({ identifier }) => canonicalUri(identifier) === key)?.identifier ?? others.find(uri);
    },
  };
}
