/** The cache lifetime of a response (RFC 9111 §4.2), within the limits of this server. */

/** The lifetime without headers, and its limits, in seconds. The minimum spans the requests of one login. */
const defaultSeconds = 300;
const minSeconds = 10;
const maxSeconds = 24 * 3600;

/** The lifetime of a response in a shared cache, in milliseconds, within 10 seconds and a day. */
export function cacheLifetimeMs(headers: Headers): number {
  return Math.min(Math.max(requestedSeconds(headers), minSeconds), maxSeconds) * 1000;
}

function requestedSeconds(headers: Headers): number {
  const control = headers.get("cache-control") ?? "";
  if (/(?:^|,)\s*no-(?:store|cache)\s*(?:[,=]|$)/i.test(control)) return 0;
  const maxAge = directiveSeconds(control, "s-maxage") ?? directiveSeconds(control, "max-age");
  const age = wholeNumber(headers.get("age") ?? "") ?? 0;
  if (maxAge !== undefined) return maxAge - age;
  const expires = headers.get("expires");
  if (expires === null) return defaultSeconds;
  // An invalid date, especially 0, is in the past (§5.3).
  const seconds = (Date.parse(expires) - Date.parse(headers.get("date") ?? "")) / 1000;
  return Number.isNaN(seconds) ? 0 : Math.floor(seconds - age);
}

function directiveSeconds(control: string, name: string): number | undefined {
  return wholeNumber(new RegExp(`(?:^|,)\\s*${name}\\s*=\\s*"?(\\d+)"?\\s*(?:,|$)`, "i").exec(control)?.[1] ?? "");
}

function wholeNumber(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
