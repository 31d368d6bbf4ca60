/** A request to a server on this machine. */

import http from "node:http";
import https from "node:https";

/** Maximum length of the text of a response, in characters. */
const maxTextLength = 200;

/**
 * Sends a GET request. The certificate is not verified, because it names the public host and not this machine.
 *
 * @param timeoutMs Milliseconds for the whole exchange.
 * @throws {Error} If there is no response.
 */
export function requestStatus(url: string, timeoutMs: number): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const { get } = url.startsWith("https:") ? https : http;
    const request = get(url, { rejectUnauthorized: false, timeout: timeoutMs, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => text = (text + part).slice(0, maxTextLength));
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    request.on("timeout", () => request.destroy(new Error(`no response in ${timeoutMs / 1000} seconds`)));
    request.on(
      "error",
      (error: NodeJS.ErrnoException) => reject(error.code === undefined ? error : new Error(error.code)),
    );
  });
}
