import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { startPages } from "./page-server.ts";
import { SELF_SIGNED } from "./self-signed.ts";

/** POST here to set a page's response: `{path, status}`, for a redirect `location`, and `type` and `body` (base64). */
export const CONTROL_PATH = "/__control";

interface Page {
  path: string;
  status: number;
  location?: string;
  type?: string;
  body?: string;
}

interface LinkSite {
  /** `127.0.0.1:port`, as in the setting of allowed hosts. */
  host: string;
  /** `localhost:port`: the same server under another name. */
  otherHost: string;
  /** HTTPS origin. */
  url: string;
  /** The certificate that the product must trust. */
  certificateFile: string;
  close(): Promise<void>;
}

const readPage = async (request: IncomingMessage): Promise<Page> => JSON.parse(await text(request));

/** An HTTPS site for links of pins in browser tests; pages that were not set return 404. */
export const startLinkSite = async (): Promise<LinkSite> => {
  const folder = mkdtempSync(join(tmpdir(), "link-site-"));
  const certificateFile = join(folder, "certificate.pem");
  writeFileSync(certificateFile, SELF_SIGNED.cert);
  const pages = new Map<string, Page>();
  const answer: RequestListener = async (request, response) => {
    if (request.url === CONTROL_PATH) {
      const page = await readPage(request);
      pages.set(page.path, page);
      return void response.writeHead(204).end();
    }
    const page = pages.get(request.url?.split("?")[0] ?? "");
    const type = page?.type && { "content-type": page.type };
    const headers = { ...(page?.location && { location: page.location }), ...type };
    response.writeHead(page?.status ?? 404, headers).end(Buffer.from(page?.body ?? "", "base64"));
  };
  const site = await startPages(answer, { isSecure: true });
  return {
    host: site.host,
    otherHost: `localhost:${site.port}`,
    url: `https://${site.host}`,
    certificateFile,
    close: async () => {
      await site.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
