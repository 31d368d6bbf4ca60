/**
 * The interface of a store, for authors of stores. Types only.
 *
 * A record is JSON, and a store does not look into it: `Records` names the kinds of the core, and {@link Store} says
 * what each method promises.
 *
 * @module
 */

export type {
  ListedRecord,
  ListOptions,
  RecordKind,
  RecordMetadata,
  Records,
  RevocationRecord,
  Store,
  StoredRecord,
} from "../../core/store/store.ts";
