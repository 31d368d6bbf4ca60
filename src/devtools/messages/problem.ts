/** The form of what goes wrong when a login fails, and of the texts that libraries and programs print then. */

import type { Difference } from "./compare_values.ts";

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
export interface ProblemFacts {
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
  /** The cause, counted from 1, that what the server saw can prove. Default: 1. */
  readonly decides?: number;
  /** Whether another message in the same text says more. */
  readonly hides?: true;
  /** Whether it is about the connection: then it is the cause of whatever else the text says. */
  readonly isTransport?: true;
  /** The words by which `findSigns()` recognizes it in a sentence, an exception class or a code, a line for each. */
  readonly signs?: string;
  /**
   * Whether the values that the message names are compared; which cause, counted from 1, a difference of theirs puts
   * first.
   */
  readonly compares?: Partial<Readonly<Record<Difference, number>>>;
  /**
   * Patterns that tell a cause, in the clause or elsewhere in the text, each with the number of the cause, or with a
   * sentence for such texts alone: `frame-ancestors > 2 ; no nonce > 3`. The first that fits counts.
   */
  readonly tells?: string;
}

/** A problem with the messages that report it. */
export interface Problem extends ProblemFacts {
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
  /** The cause that stands first, counted from 1. Default: 1. */
  readonly cause?: number;
  /** The repository and the file that has the text, if no test provokes it. */
  readonly source?: string;
}
