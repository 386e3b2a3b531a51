import type { RequestListener } from "node:http";
import { SITE_PAGES } from "./pages.ts";

/** What a path answers with: a body, or everything. */
export type Answer = string | Buffer | { status?: number; headers?: Record<string, string>; body?: string | Buffer };

/** Paths, with the query where it matters, and functions of the site's origin. */
export type Answers = Readonly<Record<string, Answer | ((origin: string) => Answer)>>;

const typeOf = (path: string, body: string | Buffer): string => {
  if (/\.xml$/.test(path)) return "application/xml";
  if (/^\s*[[{]/.test(body.toString("latin1", 0, 10))) return "application/json";
  return /\.txt$/.test(path) ? "text/plain" : "text/html; charset=utf-8";
};

/** The fixture site with its thirty pages, and what a test adds. Anything else is 404. */
export const siteListener = (answers: () => Answers): RequestListener => {
  const pages = new Map(SITE_PAGES.map((page) => [page.path, page]));
  return (request, response) => {
    const url = request.url ?? "/";
    const [path = "/"] = url.split("?");
    const found = answers()[url] ?? answers()[path] ?? pages.get(path);
    if (found === undefined) return void response.writeHead(404).end();
    const answer = typeof found === "function" ? found(`http://${request.headers.host}`) : found;
    const {
      status = 200,
      headers = {},
      body = "",
    } = typeof answer === "string" || Buffer.isBuffer(answer) ? { body: answer } : answer;
    response.writeHead(status, { "content-type": typeOf(path, body), ...headers }).end(body);
  };
};
