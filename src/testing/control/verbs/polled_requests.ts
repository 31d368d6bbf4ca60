/** Verbs that decide, on the pages as the user would, on requests that a client polls for. */

import { object, text } from "../../../core/policy/field.ts";
import { defineVerb, type Verb } from "../verb.ts";

/** A device. */
interface WaitingDevice {
  /** The code that the device shows. */
  readonly userCode: string;
}

/** A device and its user. */
interface ApprovedDevice extends WaitingDevice {
  /** The user. Default: the one that `decisions` names, or the first one. */
  readonly sub?: string;
}

/** A backchannel authentication request, whose user is known. */
interface WaitingRequest {
  /** The `auth_req_id` of the response. */
  readonly authReqId: string;
}

const userCode = text(["BCDF-GHJK"]);
const device = object<WaitingDevice>("WaitingDevice", { userCode }, { userCode: "BCDF-GHJK" }, {
  required: ["userCode"],
});
const approvedDevice = object<ApprovedDevice>("ApprovedDevice", { userCode, sub: text(["bob"]) }, {
  userCode: "BCDF-GHJK",
}, { required: ["userCode"] });
const request = object<WaitingRequest>("WaitingRequest", { authReqId: text(["bW9jay1pZA.c2VjcmV0"]) }, {
  authReqId: "bW9jay1pZA.c2VjcmV0",
}, { required: ["authReqId"] });

/** Decisions on device authorization and backchannel authentication requests. */
export const polledRequestVerbs: readonly Verb[] = [
  defineVerb<ApprovedDevice, void>({
    name: "device.approve",
    summary:
      "The user of a device (RFC 8628) enters its code, logs in and allows access; 409 if the server rejects that.",
    ...{ input: approvedDevice, args: ["userCode", "sub"] },
    run: ({ control }, { userCode, sub }) => control.device(userCode).approve({ as: sub }),
  }),
  defineVerb<WaitingDevice, void>({
    name: "device.deny",
    summary: "The user of a device denies access; 409 if the server rejects that.",
    ...{ input: device, args: ["userCode"] },
    run: ({ control }, { userCode }) => control.device(userCode).deny(),
  }),
  defineVerb<WaitingRequest, void>({
    name: "backchannel.approve",
    summary: "The user of a backchannel authentication request (CIBA) allows it; 409 if the server rejects that.",
    ...{ input: request, args: ["authReqId"] },
    run: ({ control }, { authReqId }) => control.backchannel(authReqId).approve(),
  }),
  defineVerb<WaitingRequest, void>({
    name: "backchannel.deny",
    summary: "The user of a backchannel authentication request denies it; 409 if the server rejects that.",
    ...{ input: request, args: ["authReqId"] },
    run: ({ control }, { authReqId }) => control.backchannel(authReqId).deny(),
  }),
];
