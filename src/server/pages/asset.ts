/** A style sheet, script or icon of the pages. */
export interface Asset {
  /** The media type. */
  readonly type: string;
  /** The value of the `ETag` header, quotes included. */
  readonly etag: string;
  /** The content. */
  readonly body: string;
}
