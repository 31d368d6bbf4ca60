/** The names of a server: its issuer, and the origins at which it is reached. */

/** @internal The names of a server besides its issuer. */
export interface ServerNames {
  /** The origin at which browsers reach the server. */
  readonly frontChannel: string;
  /** The origin at which clients and resource servers reach the server. */
  readonly backChannel: string;
  /** The origins of endpoints that have another one, by the endpoint's name in metadata. Default: none. */
  readonly endpoints?: Readonly<Record<string, string>>;
  /** The value that stored secrets and cookies are bound to: the issuer, or one value for all issuers of a server. */
  readonly storage: string;
  /** Whether an issuer is another one of this server. Default: it has one issuer. */
  isIssuer?(issuer: string): boolean;
}

/** A server, as far as its URLs depend on it. */
export interface ServerUrls {
  readonly issuer: string;
  readonly names: ServerNames;
}

/** The names of a server that is reached only at the origin of its issuer. */
export function namesOfIssuer(issuer: string): ServerNames {
  const { origin } = new URL(issuer);
  return { frontChannel: origin, backChannel: origin, storage: issuer };
}

/** The path of an issuer, without a slash at its end. */
export function basePath(issuer: string): string {
  return new URL(issuer).pathname.replace(/\/$/, "");
}

/** The URL of the issuer as browsers reach it. */
export function frontChannelBase({ issuer, names: { frontChannel } }: ServerUrls): string {
  return frontChannel === new URL(issuer).origin ? issuer : frontChannel + basePath(issuer);
}

export function endpointOrigin(
  { names }: Pick<ServerUrls, "names">,
  { caller, metadataName = "" }: { readonly caller?: string; readonly metadataName?: string },
): string {
  return names.endpoints?.[metadataName] ?? (caller === "browser" ? names.frontChannel : names.backChannel);
}
