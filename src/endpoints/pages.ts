/** What an endpoint may ask to be drawn, with plain props; who draws it is decided where the server is assembled. */

/** What every page knows of the server. */
export interface Site {
  /** The issuer this server speaks for. */
  readonly issuer: string;
  /** The path that links on this server begin with: empty, or the issuer's path without a trailing slash. */
  readonly base: string;
}

/** A link that starts an authorization request for a demo client. */
export interface StartLink {
  readonly clientId: string;
  readonly confidential: boolean;
  readonly href: string;
}

/** The home page. */
export interface HomeProps extends Site {
  /** One per client whose redirect URI is this server's own `/authorized`; the first one is the main one. */
  readonly startLinks: readonly StartLink[];
  readonly clients: readonly {
    readonly id: string;
    readonly name?: string;
    /** The client authentication method: `none`, `client_secret_basic`, … */
    readonly authMethod: string;
    readonly redirectUris: readonly string[];
    readonly scope: readonly string[];
  }[];
  readonly users: readonly { readonly sub: string; readonly name?: string }[];
  /** Name (as in metadata) and absolute URL of each endpoint, and of the metadata documents. */
  readonly endpoints: readonly { readonly name: string; readonly url: string }[];
  readonly scopes: readonly string[];
}

/** One token request a person can paste into a shell. */
export interface TokenRequestExample {
  readonly kind: "public" | "confidential";
  readonly clientId: string;
  /** A `curl` command, quoted for a POSIX shell. */
  readonly command: string;
  /** True: this code was issued to this client. False: to another client. Undefined: the code is not known here. */
  readonly fits?: boolean;
  /** Whether the command carries a real verifier, a placeholder, or none because no challenge was sent. */
  readonly verifier: "known" | "placeholder" | "none";
}

/** The callback page of the demo clients. */
export interface AuthorizedProps extends Site {
  readonly outcome:
    | { readonly kind: "success"; readonly code: string; readonly state?: string }
    | {
      readonly kind: "failure";
      /** The error code, absent when the callback carried neither a code nor an error. */
      readonly error?: string;
      readonly description?: string;
    };
  /** Sentences about parameters that were shortened, repeated or unreadable. */
  readonly notes: readonly string[];
  /** For the success view: the public example first, then the confidential one. */
  readonly examples: readonly TokenRequestExample[];
  readonly tokenEndpoint: string;
  /** How long codes live, in seconds. */
  readonly codeLifetime: number;
  /** "Start New Authorization"; absent when no client is registered with this page. */
  readonly startLinks: readonly StartLink[];
}

/** A request that ended on this server's own page. */
export interface RefusedProps extends Site {
  readonly status: number;
  /** The OAuth error code, or absent for plain HTTP faults such as 404. */
  readonly error?: string;
  /** One or two plain sentences: what was wrong. */
  readonly sentence: string;
  readonly rule?: string;
  readonly expected?: string;
  readonly received?: string;
  /** What to do next. */
  readonly mend?: string;
}

/** A file that pages refer to. */
export interface Asset {
  readonly type: string;
  /** The value of the `ETag` header, quotes included. */
  readonly etag: string;
  readonly body: string;
}

/** Every page there is: props in, a whole HTML document out. */
export interface Pages {
  home(props: HomeProps): string;
  authorized(props: AuthorizedProps): string;
  refused(props: RefusedProps): string;
  /** The style sheet and scripts, by the last part of `{base}/static/{name}`. */
  readonly assets: Readonly<Record<string, Asset>>;
}
