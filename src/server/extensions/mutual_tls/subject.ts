/** Compares the subject of a certificate with the metadata of a client (RFC 8705 §2.1.2). */

import type { Certificate } from "../../../platform/runtime/certificate.ts";
import type { ClientMetadata } from "../../config/client_metadata.ts";

/** Each alternative name as the runtimes print it, and its tag in DER (RFC 5280 §4.2.1.6). */
const alternativeNames = [
  { member: "tls_client_auth_san_dns", prefix: "DNS:", tag: 0x82 },
  { member: "tls_client_auth_san_uri", prefix: "URI:", tag: 0x86 },
  { member: "tls_client_auth_san_email", prefix: "email:", tag: 0x81 },
] as const;

/** Whether the certificate has the subject, or the alternative name, that the client is registered for. */
export function hasSubject(certificate: Certificate, client: ClientMetadata): boolean {
  const { tls_client_auth_subject_dn: name, tls_client_auth_san_ip: address } = client;
  if (name !== undefined) return hasName(certificate, name);
  if (address !== undefined) return certificate.hasAddress(address);
  return alternativeNames.some(({ member, prefix, tag }) => {
    const expected = client[member];
    return expected !== undefined && certificate.alternativeNames.includes(prefix + expected) &&
      certificate.hasValue([tag], expected);
  });
}

/** UTF8String, PrintableString and IA5String. */
const textTags = [0x0c, 0x13, 0x16];

function hasName(certificate: Certificate, registered: string): boolean {
  const expected = parseName(registered);
  // The order of RFC 4514 is that of DER reversed.
  const received = certificate.subject.toReversed();
  return expected !== undefined && expected.length === received.length &&
    expected.every(([type, value], i) => {
      const [, name, text] = /^([^=]+)=(.*)$/.exec(received[i]!) ?? [];
      return name?.toUpperCase() === type && (text === value || unescape(text!) === value) &&
        certificate.hasValue(textTags, value);
    });
}

/** The attributes of a name (RFC 4514); `undefined` if it is malformed, or has an attribute of several values. */
function parseName(name: string): readonly (readonly [type: string, value: string])[] | undefined {
  const attributes = name.match(/(?:[^,\\]|\\.)+/g) ?? [];
  const parsed = attributes.map((attribute) => {
    const [, type, value] =
      /^ *([A-Za-z][\w-]*|\d+(?:\.\d+)+) *=((?: *(?:[^ +"\\;<>]|\\[^0-9A-Fa-f]))+) *$/.exec(attribute) ?? [];
    return type === undefined ? undefined : [type.toUpperCase(), unescape(value!.replace(/^ +/, ""))] as const;
  });
  const isComplete = parsed.length > 0 && attributes.join(",") === name;
  return isComplete && parsed.every((attribute) => attribute !== undefined) ? parsed : undefined;
}

function unescape(text: string): string {
  return text.replace(/\\([^0-9A-Fa-f])/g, "$1");
}
