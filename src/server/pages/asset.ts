/** A style sheet, script or icon of the pages. */
export interface Asset {
  readonly type: string;
  /** The value of the `ETag` header, quotes included. */
  readonly etag: string;
  readonly body: string;
}
