/** Records of version 0.1 that only the migration reads. */

/** A guest user of the login page. */
export interface GuestUserRecord {
  /** The claims, `sub` among them. */
  readonly user: { readonly sub: string; readonly [claim: string]: unknown };
}

/** A change of clients or users at run time. It is never changed once it is written. */
export type ChangeRecord =
  & {
    /** What was changed. */
    readonly of: "clients" | "users";
    /** The client or the user. */
    readonly id: string;
    /** Random: identifies the change for its writer. */
    readonly mark: string;
    /**
     * The digest of the configured entry that the change was based on; `""` if the client or user was not configured.
     * Absent from changes of versions without digests.
     */
    readonly over?: string;
  }
  & (
    | {
      /** Registered, or replaced. */
      readonly verb: "set";
      /** As registered, but with digests for secrets where a digest suffices. */
      readonly written: Readonly<Record<string, unknown>>;
    }
    | {
      /** Removed, or made the default. */
      readonly verb: "delete" | "first";
    }
    | {
      /** No change: a server started with a new configured entry, which is in effect from now on. */
      readonly verb: "configured";
    }
  );
