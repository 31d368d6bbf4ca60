/**
 * Shared by the extensions whose clients poll for the result of a request, while the user decides in another place:
 * devices (RFC 8628) and backchannel authentication (CIBA). Each describes its requests by a {@link PolledGrant}.
 */

import type { Server } from "../../../core/server.ts";
import type { PolledRequestRecord } from "./records.ts";

/** The polled requests of an extension: names in messages, and the rules that they name. */
export interface PolledGrant {
  /** The name of the extension. Codes of one extension are unknown to another one. */
  readonly name: string;
  /** The value of `grant_type`. */
  readonly type: string;
  /** The parameter that the client polls with, such as `device_code`. */
  readonly parameter: string;
  /** The name of the parameter's value in prose, such as `device code`. */
  readonly codeName: string;
  /** The name of a request in prose, such as `device authorization`. */
  readonly requestName: string;
  /** Where the user decides, such as `the page of verification_uri`. */
  readonly decidedAt: string;
  /** The rules of codes and decisions, the pace of polls, the client, an approval, and a second decision. */
  readonly rules: {
    readonly code: "DV-03" | "CB-03";
    readonly pace: "DV-04" | "CB-04";
    readonly client: "DV-05" | "CB-05";
    readonly approval: "DV-06" | "CB-06";
    readonly decided: "DV-07" | "CB-07";
  };
  /** Seconds between two polls. */
  interval(server: Server): number;
  /** Called after a decision. Default: nothing. */
  decided?(server: Server, request: PolledRequestRecord): void;
}
