import { once } from "node:events";
import http, { type RequestListener } from "node:http";
import https from "node:https";
import type { Server } from "node:net";
import { SELF_SIGNED } from "./self-signed.ts";

export interface PageServer {
  /** `127.0.0.1:port`. */
  host: string;
  port: number;
  /** Path and headers of the requests so far. */
  requests: { url: string; headers: http.IncomingHttpHeaders }[];
  close(): Promise<void>;
}

/** A site on loopback that links can lead to. */
export const startPages = async (
  answer: RequestListener,
  { isSecure = false, address = "127.0.0.1", port = 0 } = {},
): Promise<PageServer> => {
  const requests: PageServer["requests"] = [];
  const listener: RequestListener = (request, response) => {
    requests.push({ url: request.url ?? "", headers: request.headers });
    answer(request, response);
  };
  const server = isSecure ? https.createServer(SELF_SIGNED, listener) : http.createServer(listener);
  server.listen(port, address);
  await once(server, "listening");
  const own = portOf(server);
  return {
    host: `${address}:${own}`,
    port: own,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const portOf = (server: Server): number => {
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The page server has no port.");
  return address.port;
};
