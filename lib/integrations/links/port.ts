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

/**
 * `no_route`: our server reaches others, but not this site. The other kinds are those of {@link LinkAnswer}; `no_answer`
 * also when it took too long.
 */
export interface FetchFailure {
  kind: "too_many_redirects" | "no_route" | "no_host" | "no_answer" | "untrusted" | "refused" | "offline";
}

type Refusal = { kind: "status"; status: number } | { kind: "too_large" };

/** `fetched`: in the given file. `page`: a web page instead of an image. */
export type ImageAnswer = { kind: "fetched"; bytes: number } | { kind: "page" } | Refusal | FetchFailure;

/** `not_page`: no HTML, or compressed. `paced`: `mayFollow` ended it. */
export type PageAnswer =
  | { kind: "fetched"; finalUrl: string; html: string }
  | { kind: "not_page" }
  | { kind: "paced" }
  | Refusal
  | FetchFailure;

/** `not_page`: damaged compression. `fetched`: to its end, or until its reader had enough. */
export type DocumentAnswer =
  | { kind: "fetched"; finalUrl: string; contentType: string }
  | { kind: "not_page" }
  | { kind: "paced" }
  | Refusal
  | FetchFailure;

export interface DocumentOptions {
  mayFollow?: (url: string) => Promise<boolean>;
  /** Counts the bytes after decompression. */
  bytesMax: number;
  /** Gets the text piece by piece; false ends reading. Its errors are thrown. */
  onText: (text: string) => boolean;
}

/** `timeout`: not within the given time. `insecure`: not https. The other kinds are those of {@link FetchFailure}. */
export type PostAnswer =
  | { kind: "answered"; status: number; excerpt: string }
  | { kind: "timeout" | "insecure" }
  | { kind: Exclude<FetchFailure["kind"], "too_many_redirects"> };

export interface PostRequest {
  headers: Readonly<Record<string, string>>;
  body: string;
  timeoutMs: number;
  /** Of the answer; the rest isn't read. */
  excerptBytes: number;
}

/**
 * Requests go to public IP addresses only and send no cookies. All but `post` follow up to five redirects; `mayFollow`
 * is called before each of them, and false ends the request.
 */
export interface LinksPort {
  /** Within ten seconds, and without reading the body. Throws only what `mayFollow` throws. */
  check(url: string, options?: { mayFollow?: (url: string) => Promise<boolean> }): Promise<LinkAnswer>;
  /** Writes a new file, which the caller deletes, in thirty seconds or `timeoutMs`. No site's answer makes it throw. */
  fetchImage(url: string, to: { path: string; bytesMax: number; timeoutMs?: number }): Promise<ImageAnswer>;
  /** The HTML of a page of at most 5 MB, within ten seconds. Throws only what `mayFollow` throws. */
  fetchPage(url: string, options?: { mayFollow?: (url: string) => Promise<boolean> }): Promise<PageAnswer>;
  /** Streams a text such as a sitemap, also with gzip, in twenty seconds. Throws only what its functions throw. */
  fetchDocument(url: string, options: DocumentOptions): Promise<DocumentAnswer>;
  /** Without a lookup: whether {@link LinksPort.post} could send there. Literal addresses that aren't public are refused. */
  acceptsPosts(url: string): "yes" | "refused" | "insecure";
  /** Sends a body; https and public IP addresses only, redirects aren't followed. Never throws. */
  post(url: string, request: PostRequest): Promise<PostAnswer>;
}
