import { createServer } from "node:net";
import { isCode } from "./pid.ts";

/** Whether a server could listen here now. */
export function isPortFree(port: number, host = "127.0.0.1"): Promise<boolean> {
  return tryListen(port, host).then((found) => found !== undefined);
}

/** `preferred` when it is free, else a free port chosen by the system. */
export async function pickPort(preferred = 0, host = "127.0.0.1"): Promise<number> {
  const port = (await tryListen(preferred, host)) ?? (await tryListen(0, host));
  if (port === undefined) throw new Error(`No free port on ${host}.`);
  return port;
}

function tryListen(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error) => (isTaken(error) ? resolve(undefined) : reject(error)));
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? address?.port : undefined));
    });
  });
}

function isTaken(error: Error): boolean {
  return isCode(error, "EADDRINUSE") || isCode(error, "EACCES");
}
