/** What an endpoint may ask to be drawn, with plain props; who draws it is decided where the server is assembled. */

/** What every page knows of the server. */
export interface Site {
  /** The issuer this server speaks for. */
  readonly issuer: string;
  /** The path that links on this server begin with: empty, or the issuer's path without a trailing slash. */
  readonly base: string;
  /** What the header offers beside the way home. Default: nothing. */
  readonly links?: readonly NavigationLink[];
  /** Where a person can see what led to this page: a path below {@link Site.base}. Absent: nowhere. */
  readonly trail?: string;
}

/** A link in the header of every page. */
export interface NavigationLink {
  /** A word or two. */
  readonly label: string;
  /** A path below {@link Site.base}, such as `/flows`. */
  readonly path: string;
}

/** A link that starts an authorization request for a demo client. */
export interface StartLink {
  /** The client the flow is for. */
  readonly clientId: string;
  /** Whether that client has a secret. */
  readonly confidential: boolean;
  /** A path on this server, with its query. */
  readonly href: string;
}

/** The home page. */
export interface HomeProps extends Site {
  /** One per client whose redirect URI is this server's own `/authorized`; the first one is the main one. */
  readonly startLinks: readonly StartLink[];
  /** Who may ask for tokens. */
  readonly clients: readonly {
    readonly id: string;
    readonly name?: string;
    /** The client authentication method: `none`, `client_secret_basic`, … */
    readonly authMethod: string;
    readonly redirectUris: readonly string[];
    readonly scope: readonly string[];
  }[];
  /** Who can log in. */
  readonly users: readonly { readonly sub: string; readonly name?: string }[];
  /** Name (as in metadata) and absolute URL of each endpoint, and of the metadata documents. */
  readonly endpoints: readonly { readonly name: string; readonly url: string }[];
  /** Every scope value there is. */
  readonly scopes: readonly string[];
}

/** One token request a person can paste into a shell. */
export interface TokenRequestExample {
  /** Which of the two ways to ask it shows. */
  readonly kind: "public" | "confidential";
  /** The client that sends it. */
  readonly clientId: string;
  /** A `curl` command, quoted for a POSIX shell. */
  readonly command: string;
  /** True: this code was issued to this client. False: to another client. Undefined: the code is not known here. */
  readonly fits?: boolean;
  /** Whether the code was redeemed already. */
  readonly used: boolean;
  /** Whether the command carries a real verifier, a placeholder, or none because no challenge was sent. */
  readonly verifier: "known" | "placeholder" | "none";
}

/** The callback page of the demo clients. */
export interface AuthorizedProps extends Site {
  /** What came back. */
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
  /** Its absolute URL. */
  readonly tokenEndpoint: string;
  /** How long codes live, in seconds. */
  readonly codeLifetime: number;
  /** "Start New Authorization"; absent when no client is registered with this page. */
  readonly startLinks: readonly StartLink[];
}

/** A request that ended on this server's own page. */
export interface RefusedProps extends Site {
  /** The HTTP status. */
  readonly status: number;
  /** The OAuth error code, or absent for plain HTTP faults such as 404. */
  readonly error?: string;
  /** One or two plain sentences: what was wrong. */
  readonly sentence: string;
  /** The ID of the rule that was broken. */
  readonly rule?: string;
  /** What would have been right. */
  readonly expected?: string;
  /** What came instead, as it came. */
  readonly received?: string;
  /** What to do next. */
  readonly mend?: string;
}

/** A form's hidden inputs: names and values, in the order in which they are sent. */
export type HiddenFields = readonly (readonly [name: string, value: string])[];

/** The question whether to log out. */
export interface LogoutProps extends Site {
  /** Who is logged in. */
  readonly user: { readonly sub: string; readonly name?: string };
  /** The name, or else the id, of the client that asked; absent when it is not known. */
  readonly client?: string;
  /** What the answer carries back to `{base}/oauth2/logout`: the request, and the proof that it came from this page. */
  readonly fields: HiddenFields;
}

/** The end of a session, where no client is to be told. */
export interface LoggedOutProps extends Site {}

/** An authorization response on its way to the client in the body of a `POST` (OAuth 2.0 Form Post Response Mode). */
export interface FormPostProps extends Site {
  /** The redirect URI, which the form is sent to: verified, and never a scheme that could run here. */
  readonly action: string;
  /** The name, or else the id, of the client that gets the answer. */
  readonly client: string;
  /** The parameters of the response. */
  readonly fields: HiddenFields;
}

/** A file that pages refer to. */
export interface Asset {
  /** The media type. */
  readonly type: string;
  /** The value of the `ETag` header, quotes included. */
  readonly etag: string;
  /** The file. */
  readonly body: string;
}

/** Every page there is: props in, a whole HTML document out. */
export interface Pages {
  /** The home page. */
  home(props: HomeProps): string;
  /** The callback page of the demo clients. */
  authorized(props: AuthorizedProps): string;
  /** The page of a request that ends here. */
  refused(props: RefusedProps): string;
  /** The question whether to log out. */
  logout(props: LogoutProps): string;
  /** The end of a session. */
  loggedOut(props: LoggedOutProps): string;
  /** A response that sends itself to the client, once, and waits for a click in browsers without script. */
  formPost(props: FormPostProps): string;
  /** The style sheet and scripts, by the last part of `{base}/static/{name}`. */
  readonly assets: Readonly<Record<string, Asset>>;
}
