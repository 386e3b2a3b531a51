import { Agent, type IncomingMessage, request as openRequest } from "node:http";
import type { FuzzRequest } from "./request.ts";

/** What came back. `status` is 0 without a response; `problem` then says what happened. */
export interface FuzzAnswer {
  status: number;
  ms: number;
  text: string;
  headers: Headers;
  problem?: string;
}

/** Far above the limit that the report checks, so that a stuck response is seen as one. */
const GIVE_UP_MS = 30_000;
const TEXT_BYTES_MAX = 400_000;

/** Reads to the end; live events have none, so only their beginning counts. */
const readText = async (response: IncomingMessage): Promise<string> => {
  if (response.headers["content-type"]?.startsWith("text/event-stream")) {
    response.destroy();
    return "";
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    if (size < TEXT_BYTES_MAX) chunks.push(chunk);
    size += chunk.length;
  }
  return Buffer.concat(chunks).toString("utf8");
};

/** Connections to a product, which is on the loopback address only. */
export const createSender = (baseUrl: string) => {
  const { hostname, port } = new URL(baseUrl);
  if (!["localhost", "127.0.0.1"].includes(hostname)) throw new Error(`${hostname} is not the loopback address.`);
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const sendOnce = (sent: FuzzRequest): Promise<FuzzAnswer & { isStale: boolean }> =>
    new Promise((resolve) => {
      const startedAt = performance.now();
      const { method, path, headers } = sent;
      const request = openRequest({
        host: "127.0.0.1",
        port,
        agent,
        method,
        path,
        // Node frames the body of a GET or DELETE only by this header; without it the server sees a second, broken request.
        headers: { host: `${hostname}:${port}`, ...(sent.body && { "content-length": sent.body.length }), ...headers },
      });
      const end = (answer: Omit<FuzzAnswer, "ms">) => {
        clearTimeout(timer);
        // The server may close an idle connection in the moment it is used again.
        const isStale = answer.problem === "ECONNRESET" && request.reusedSocket;
        resolve({ ...answer, ms: performance.now() - startedAt, isStale });
      };
      const timer = setTimeout(() => request.destroy(Object.assign(new Error(), { code: "no response" })), GIVE_UP_MS);
      request.on("error", (error: NodeJS.ErrnoException) => {
        end({ status: 0, text: "", headers: new Headers(), problem: error.code ?? error.message });
      });
      request.on("response", (response) => {
        const status = response.statusCode ?? 0;
        const headers = new Headers();
        for (const [name, values] of Object.entries(response.headersDistinct)) headers.set(name, String(values));
        readText(response).then(
          (text) => end({ status, text, headers }),
          (error: NodeJS.ErrnoException) =>
            end({ status, text: "", headers, problem: `cut off: ${error.code ?? error.message}` }),
        );
      });
      request.end(sent.body ?? undefined);
    });
  return {
    send: async (sent: FuzzRequest): Promise<FuzzAnswer> => {
      const { isStale, ...first } = await sendOnce(sent);
      return isStale ? sendOnce(sent) : first;
    },
    close: () => agent.destroy(),
  };
};
