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
  readonly flowLink?: string;
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
  /** Who may ask for tokens, and who can log in; absent where that is nobody's business. */
  readonly directory?: {
    readonly clients: readonly ListedClient[];
    readonly users: readonly ListedUser[];
  };
  /** Name (as in metadata) and absolute URL of each endpoint, and of the metadata documents. */
  readonly endpoints: readonly { readonly name: string; readonly url: string }[];
  /** Every scope value there is. */
  readonly scopes: readonly string[];
}

/** A client, as pages show it. */
export interface ListedClient {
  /** The `client_id`. */
  readonly id: string;
  /** The `client_name`. */
  readonly name?: string;
  /** The path of its own page. */
  readonly href: string;
  /** All accepted client authentication methods: `none`, `client_secret_basic`, … */
  readonly authMethods: readonly string[];
  /** As registered. */
  readonly redirectUris: readonly string[];
  /** Where the browser may be sent after logout. */
  readonly postLogoutRedirectUris: readonly string[];
  /** The grants it may use. */
  readonly grantTypes: readonly string[];
  /** Every scope value it may ask for. */
  readonly scope: readonly string[];
}

/** A user, as pages show it. */
export interface ListedUser {
  /** The subject. */
  readonly sub: string;
  /** The full name. */
  readonly name?: string;
  /** The path of its own page. */
  readonly href: string;
  /** Every claim except `sub`. */
  readonly claims: readonly ListedClaim[];
}

/** A claim of a user, and the conditions under which clients receive it. */
export interface ListedClaim {
  /** The name of the claim. */
  readonly name: string;
  /** The value. */
  readonly json: string;
  /** The scope values of the server that release it; empty if none does. */
  readonly releasedBy: readonly string[];
  /** Whether access tokens for at least one resource contain it. */
  readonly inAccessTokens: boolean;
}

/** What was wrong with one field of a form. */
export interface FieldError {
  /** The name of the field. */
  readonly field: string;
  /** What would have been right, as a noun phrase. */
  readonly expected: string;
  /** What was found, quoted where it is text. */
  readonly received: string;
  /** How to mend it, one sentence. */
  readonly hint: string;
}

/** A form that changes the server, as it is drawn: empty, or as it came back with faults. */
export interface EditForm {
  /** Proves that the form came from a page of this server. */
  readonly csrfToken: string;
  /** What stands in the fields, by name. */
  readonly values: Readonly<Record<string, string>>;
  /** Why nothing was changed; empty when nothing was asked yet. */
  readonly errors: readonly FieldError[];
  /** Whether changes are kept in the store. Default: they hold for this run. */
  readonly isPersistent?: boolean;
}

/** The list of clients. */
export interface ClientsProps extends Site {
  /** In the order in which they were registered. */
  readonly clients: readonly ListedClient[];
  /** Adds one; absent where the list is only to be read. */
  readonly form?: EditForm;
}

/** Settings for one library, ready to be pasted. */
export interface ClientSnippet {
  /** The library, as its users call it. */
  readonly library: string;
  /** Where the text belongs, or what it is: `application.yml`. */
  readonly placement: string;
  /** The settings; absent where this client does not suit the library. */
  readonly text?: string;
  /** What else to know, or why there is no text: whole sentences. */
  readonly notes: readonly string[];
}

/** One client. */
export interface ClientProps extends Site {
  /** The client. */
  readonly client: ListedClient;
  /** A secret that was drawn just now, and is shown this once. */
  readonly newSecret?: string;
  /** Settings for libraries, the likeliest first. */
  readonly snippets: readonly ClientSnippet[];
  /** Removes it; absent where clients are only to be read. */
  readonly form?: EditForm;
}

/** The list of users. */
export interface UsersProps extends Site {
  /** The first one is who `login: "auto"` logs in. */
  readonly users: readonly ListedUser[];
  /** Adds one; absent where the list is only to be read. */
  readonly form?: EditForm;
}

/** One user. */
export interface UserProps extends Site {
  /** The user. */
  readonly user: ListedUser;
  /** Whether `login: "auto"` logs this one in. */
  readonly isFirst: boolean;
  /** Changes or removes it; absent where users are only to be read. */
  readonly form?: EditForm;
}

/** One token request a person can paste into a shell. */
export interface TokenRequestExample {
  /** Which of the two ways to ask it shows. */
  readonly kind: "public" | "confidential";
  /**
   * The client that sends it; absent, with a placeholder shown, if no such client has this page as its redirect URI.
   */
  readonly clientId?: string;
  /** A `curl` command, quoted for a POSIX shell. */
  readonly command: string;
  /** What is masked in it. Default: nothing. */
  readonly secrets?: readonly Secret[];
  /** True: this code was issued to this client. False: to another client. Undefined: the code is not known here. */
  readonly codeBelongsToClient?: boolean;
  /** Whether the code was redeemed already. */
  readonly codeUsed: boolean;
  /** Whether the command carries a real verifier, a placeholder, or none because no challenge was sent. */
  readonly verifier: "known" | "placeholder" | "none";
  /** Whether the client's secret has to be put in, because it is not the public demo secret. Default: false. */
  readonly needsSecret?: boolean;
}

/** A value that is masked until a person asks for it. */
export interface Secret {
  /** What it is, after "the": `code verifier`. */
  readonly name: string;
  /** As it stands in the text that holds it. */
  readonly value: string;
}

/** A request or an answer as it travels. */
export interface HttpMessage {
  /** The request line or the status line. */
  readonly startLine: string;
  /** In the order in which they are sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** As text; absent where there is none. */
  readonly body?: string;
}

/** A request and its answer as they travel. */
export interface HttpExchange {
  /** What was sent, or is going to be. */
  readonly request: HttpMessage;
  /** Absent: it was not sent, or nothing came back. */
  readonly response?: HttpMessage;
  /** What is masked in both. */
  readonly secrets: readonly Secret[];
}

/** What a client checks before it trusts what it got. */
export interface CheckResult {
  /** `response_iss` is the `iss` of the redirect, `iss` the one in the id token. */
  readonly name: "state" | "response_iss" | "pkce" | "signature" | "iss" | "aud" | "exp" | "nonce" | "at_hash";
  /** Undefined: it was not checked, or could not be. */
  readonly passed?: boolean;
  /** What would have been right. */
  readonly expected?: string;
  /** What came. */
  readonly received?: string;
}

/** From code verifier to code challenge, with real values (RFC 7636 §4.2). */
export interface PkceProps {
  /** What the client drew. */
  readonly verifier: string;
  /** Its SHA-256 digest, in hexadecimal digits. */
  readonly digestHex: string;
  /** The same digest, in base64url. */
  readonly challenge: string;
  /** Whether that is the challenge kept with the code; undefined where none is. The challenge itself stays inside. */
  readonly matches?: boolean;
}

/** What led to the callback page. */
export interface RoundTrip {
  /** The parameters of the authorization request, where this browser began the flow from a page of this server. */
  readonly request?: readonly (readonly [name: string, value: string])[];
  /** The parameters of the answer, as they came. */
  readonly redirect: readonly (readonly [name: string, value: string])[];
  /** The names of parameters that belong into no answer. Default: none. */
  readonly ignoredParameters?: readonly string[];
  /** What a client checks first. */
  readonly checks: readonly CheckResult[];
  /** Absent where only the client has the verifier. */
  readonly pkce?: PkceProps;
}

/** What can be tried with a code and the tokens it buys. */
export type PlaygroundStep =
  | "exchange"
  | "wrong_verifier"
  | "userinfo"
  | "introspect"
  | "refresh"
  | "replay"
  | "revoke";

/** The form that tries a step; it goes to `{base}/authorized/try`. */
export interface PlaygroundForm {
  /** What the page remembers beside what was tried, because the server keeps nothing. */
  readonly fields: HiddenFields;
  /** The client whose secret a person has to type; absent where none is needed. */
  readonly needsSecretOf?: string;
  /** What makes sense now, the likeliest first. */
  readonly steps: readonly PlaygroundStep[];
  /** Whether what the approval bought was ended, so that every further use is refused. */
  readonly grantRevoked: boolean;
}

/** What was tried before, as text without its secrets. */
export interface HistoryStep {
  /** Which one. */
  readonly step: PlaygroundStep;
  /** In milliseconds since the epoch. */
  readonly at: number;
  /** The HTTP status; absent where no answer came. */
  readonly status?: number;
  /** The error code of the answer, or `inactive`; absent where the step did what it is for. */
  readonly error?: string;
  /** Request and answer; empty where they are too long ago. */
  readonly text: string;
}

/** What one step of a trial came to. */
export interface PlaygroundProps extends Site {
  /** Which one. */
  readonly step: PlaygroundStep;
  /** `refused`: the answer was an error, or a token that is not active. `lost`: there was none. */
  readonly outcome: "done" | "rejected" | "dropped";
  /** In the order in which they were sent. */
  readonly exchanges: readonly (HttpExchange & { readonly step: PlaygroundStep })[];
  /** What the client checks of the answer; empty where it holds no id token. */
  readonly checks: readonly CheckResult[];
  /** What the answer brought. */
  readonly tokens: readonly { readonly name: string; readonly token: string }[];
  /** The clock, in milliseconds since the epoch. */
  readonly now: number;
  /** What was tried before, oldest first. The page carries it on. */
  readonly history: readonly HistoryStep[];
  /** The exchanges of this page, as the next one will show them. */
  readonly latest: readonly HistoryStep[];
  /** What can be tried next. */
  readonly form: PlaygroundForm;
  /** "Start New Authorization". */
  readonly startLinks: readonly StartLink[];
}

/** The callback page of the demo clients. */
export interface CallbackProps extends Site {
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
  /** What led here. */
  readonly roundTrip: RoundTrip;
  /** The token request that can be sent from here; absent where the code is none of a demo client of this browser. */
  readonly proposal?: {
    readonly request: HttpMessage;
    readonly secrets: readonly Secret[];
    readonly form: PlaygroundForm;
  };
  /** For the success view: the public example first, then the confidential one. */
  readonly examples: readonly TokenRequestExample[];
  /** Its absolute URL. */
  readonly tokenEndpoint: string;
  /** How long codes live, in seconds. */
  readonly codeLifetimeSeconds: number;
  /** "Start New Authorization"; absent when no client is registered with this page. */
  readonly startLinks: readonly StartLink[];
}

/** A request that ended on this server's own page. */
export interface ErrorPageProps extends Site {
  /** The HTTP status. */
  readonly status: number;
  /** The OAuth error code, or absent for plain HTTP faults such as 404. */
  readonly error?: string;
  /** One or two plain sentences: what was wrong. */
  readonly message: string;
  /** The ID of the rule that was broken. */
  readonly rule?: string;
  /** The specifications that the rule cites. Default: none. */
  readonly cites?: readonly string[];
  /** What would have been right. */
  readonly expected?: string;
  /** What came instead, as it came. */
  readonly received?: string;
  /** What was probably meant. */
  readonly suggestion?: SuggestedMatch;
  /** What to do next. */
  readonly fix?: string;
  /** Whether the page may link to specifications: never while its own address holds a code or a state. Default: false. */
  readonly allowsExternalLinks?: boolean;
}

/** Something registered that is like what was sent. */
export interface SuggestedMatch {
  /** As it is registered. */
  readonly text: string;
  /** Of a URI: the only part that differs, or the slash at its end, or how it is spelled where it means the same. */
  readonly difference?: "scheme" | "host" | "port" | "path" | "query" | "slash" | "spelling";
}

/** A form's hidden inputs: names and values, in the order in which they are sent. */
export type HiddenFields = readonly (readonly [name: string, value: string])[];

/** A person, as pages that ask them something show them. */
export interface UserSummary {
  /** The subject. */
  readonly sub: string;
  /** The full name. */
  readonly name?: string;
  /** The e-mail address. */
  readonly email?: string;
}

/** Who is there? */
export interface LoginProps extends Site {
  /** Who wants to know. */
  readonly client: { readonly id: string; readonly name?: string };
  /** What every form of the page carries to `{base}/oauth2/login`. */
  readonly fields: HiddenFields;
  /** Who may be picked, the likeliest first. */
  readonly accounts: readonly (UserSummary & {
    /** Whether this one is logged in, and need only say so. */
    readonly current: boolean;
    /** Where this one is asked for a password; absent where a click is enough. */
    readonly passwordHref?: string;
  })[];
  /** The form for name and password, and the name that stands in it; absent where nobody has a password. */
  readonly passwordForm?: { readonly sub: string };
  /** The form for somebody new, and what stands in it; absent where nobody can be made up. */
  readonly guestForm?: { readonly subject: string; readonly claims: string };
  /** Whether somebody is logged in already, but the client asks for a new login, or for somebody else. */
  readonly isReauthentication: boolean;
  /** Where the person is in the page, and what was wrong there; absent when it is shown for the first time. */
  readonly retry?: { readonly part: "password" | "new"; readonly fault?: string };
}

/** What may the client do? */
export interface ConsentProps extends Site {
  /** Who asks. */
  readonly client: { readonly id: string; readonly name?: string; readonly confidential: boolean };
  /** Who is asked. */
  readonly user: UserSummary;
  /** What the form carries to `{base}/oauth2/consent`. */
  readonly fields: HiddenFields;
  /** Where the answer goes: verified, and shown as text. */
  readonly redirectUri: string;
  /** What is asked for. */
  readonly scope: readonly {
    readonly value: string;
    /** Whether it cannot be refused alone. */
    readonly required: boolean;
    /** Whether it was allowed before. */
    readonly previouslyAllowed: boolean;
    /** The claims it releases. */
    readonly claims: readonly string[];
  }[];
  /** Claims asked for by name, beside those of the scope. */
  readonly claims: readonly string[];
  /** What access tokens will be for, where the client says so. */
  readonly resources: readonly string[];
  /** Whether the redirect URI leads to a program on the user's own device. */
  readonly redirectsToDevice: boolean;
  /**
   * Seconds for which the consent is remembered; or why it is not: another program on the device, or an attacker on the
   * network, could impersonate the client.
   */
  readonly remembered: number | "device" | "network";
  /** Where another person can log in instead. */
  readonly otherAccountHref: string;
}

/** What a person has allowed. */
export interface AccountProps extends Site {
  /** Absent where nobody is logged in. Times in milliseconds since the epoch. */
  readonly account?: {
    readonly user: UserSummary;
    /** When they logged in. */
    readonly since: number;
    /** One for each client that they allowed something. */
    readonly consents: readonly {
      readonly client: { readonly id: string; readonly name?: string };
      /** Scope values by resource; a row without resource is the default audience. */
      readonly allowed: readonly { readonly scope: readonly string[]; readonly resource?: string }[];
      readonly claims: readonly string[];
      /** When they were asked last. */
      readonly at: number;
      /** When the user must be asked again. */
      readonly validUntil: number;
      /** What the form that takes it back carries to `{base}/account`. */
      readonly fields: HiddenFields;
    }[];
  };
}

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
  /** The list of clients. */
  clients(props: ClientsProps): string;
  /** One client, with settings to paste. */
  client(props: ClientProps): string;
  /** The list of users. */
  users(props: UsersProps): string;
  /** One user, with all claims. */
  user(props: UserProps): string;
  /** The callback page of the demo clients. */
  callback(props: CallbackProps): string;
  /** What a step that was tried from there came to. */
  playground(props: PlaygroundProps): string;
  /** The page of a request that ends here. */
  error(props: ErrorPageProps): string;
  /** The question who is there. */
  login(props: LoginProps): string;
  /** The question what the client may do. */
  consent(props: ConsentProps): string;
  /** What a person has allowed. */
  account(props: AccountProps): string;
  /** The question whether to log out. */
  logout(props: LogoutProps): string;
  /** The end of a session. */
  loggedOut(props: LoggedOutProps): string;
  /** A response that sends itself to the client, once, and waits for a click in browsers without script. */
  formPost(props: FormPostProps): string;
  /** The style sheet and scripts, by the last part of `{base}/static/{name}`. */
  readonly assets: Readonly<Record<string, Asset>>;
}
