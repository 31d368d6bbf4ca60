/** @internal A page that an option or a setting turns off. */
export interface DisabledPage {
  /** States that the page is off: one sentence without its full stop. */
  readonly message: string;
  /** How to turn it on. */
  readonly fix: string;
  /** The command that starts the server with the page, in a copy of the source. Absent: no flag turns it on. */
  readonly command?: string;
}
