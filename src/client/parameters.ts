/** The parameters of requests. */

/** @internal Parameters of a request: an array repeats a parameter, `undefined` omits it. */
export type RequestParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

function parameterPairs(params: RequestParameters): [name: string, value: string][] {
  return Object.entries(params).flatMap(([name, value]) =>
    [value ?? []].flat().map((item): [string, string] => [name, item])
  );
}

/** The parameters as `application/x-www-form-urlencoded`, for a query or a body. */
export function encodeParameters(params: RequestParameters): string {
  return new URLSearchParams(parameterPairs(params)).toString();
}
