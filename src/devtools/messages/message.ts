/** The form of the messages that libraries and programs print when a login fails. */

/** What the server may have seen of a problem: `whatServerSaw()` reads it from recorded requests. */
export type SeenFact =
  /** The page on which the login began, and the callback. */
  | "login host"
  /** That the code was not exchanged. */
  | "code"
  /** The host that the metadata was requested from, and the issuer. */
  | "issuer asked for"
  /** The path at which metadata was looked for in vain. */
  | "metadata path"
  /** Why the authorization or token request was rejected. */
  | "rejection"
  /** The issuer, the audience, and the header `typ` of the tokens. */
  | "iss"
  | "aud"
  | "typ";

/** Why logins fail in one way, whatever the library says. */
export interface Problem {
  /** The words of a message, then what happened: `Wrong audience (aud): the token is not for …`. No full stop. */
  readonly title: string;
  /** The usual causes, the most frequent first. */
  readonly causes: readonly string[];
  /** What to change in the application. */
  readonly application: string;
  /** What to change in this server, or what it does. */
  readonly server: string;
  /** The document that says more, and its section: `static/docs/configure.md#register-a-redirect-uri`. */
  readonly guide: string;
  /** What the server may have seen of it. Default: nothing. */
  readonly seen?: readonly SeenFact[];
  /** Whether another message in the same text says more. */
  readonly hides?: true;
  readonly messages: readonly LibraryMessage[];
}

/** A message of one or more libraries. */
export interface LibraryMessage {
  /** Who writes it, as npm, the package registry or the vendor spells the name. */
  readonly libraries: readonly string[];
  /**
   * The text as the library writes it; `*` stands for a value, at most one line of it. A text of one or two words
   * counts only as a whole message: at the start of a line or after a colon, and before the end of the line or
   * punctuation.
   */
  readonly text: string;
  /** What to write in this library. */
  readonly fix?: string;
  /** The repository and the file that has the text, if no test provokes it. */
  readonly source?: string;
}
