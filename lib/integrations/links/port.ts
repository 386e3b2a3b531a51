/**
 * `answered`: any status; 300 to 399 leads nowhere. `no_host`: unknown name. `untrusted`: invalid certificate.
 * `refused`: never requested. `paced`: `mayFollow` ended it. `offline`: our server's own connection.
 */
export type LinkAnswer =
  | { kind: "answered"; finalUrl: string; status: number }
  | { kind: "no_host" | "no_answer" | "untrusted" | "refused" | "offline"; finalUrl: string }
  | ThrottledResult;

export interface ThrottledResult {
  kind: "paced";
  finalUrl: string;
}

export interface LinksPort {
  /**
   * Up to five redirects in ten seconds; no body, no cookies, public IP addresses only. `mayFollow` is called before
   * each redirect; false ends the check. Throws only what `mayFollow` throws.
   */
  check(url: string, options?: { mayFollow?: (url: string) => Promise<boolean> }): Promise<LinkAnswer>;
}
