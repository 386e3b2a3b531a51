/**
 * What was found at an address. `finalUrl`: where looking ended, the address itself unless it redirected.
 * `answered`: a page answered, whatever its status; a status from 300 to 399 is a redirect that leads nowhere.
 * `no_host`: nobody has that name. `silent`: no answer within the time, or a broken one. `untrusted`: its certificate
 * is not valid for it. `refused`: it leads, at once or by a redirect, to where we never ask (R-SRV-08).
 * `paced`: it redirects to where the caller does not want to ask now, so nothing was learned about it.
 * `offline`: our own way to the internet is missing, which says nothing about the address.
 */
export type LinkAnswer =
  | { kind: "answered"; finalUrl: string; status: number }
  | { kind: "no_host" | "silent" | "untrusted" | "refused" | "offline"; finalUrl: string }
  | PacedAnswer;

export interface PacedAnswer {
  kind: "paced";
  finalUrl: string;
}

/** Looks at addresses that people typed. */
export interface LinksPort {
  /**
   * Asks an address as a browser would, following at most five redirects, within ten seconds in all. Reads no page, sends
   * no cookie, and connects to public addresses alone. `mayFollow` is asked before a redirect is followed to where it may
   * lead; on false the look ends. Throws only what `mayFollow` throws.
   */
  look(url: string, options?: { mayFollow?: (url: string) => Promise<boolean> }): Promise<LinkAnswer>;
}
