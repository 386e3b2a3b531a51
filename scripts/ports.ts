import { createServer } from "node:net";
import { hasErrorCode } from "./processes.ts";

/** Whether a server could listen here now. */
export function isPortFree(port: number, host = "127.0.0.1"): Promise<boolean> {
  return tryListen(port, host).then((found) => found !== undefined);
}

/** The preferred port if it is free, or else one chosen by the system. */
export async function pickPort(preferred = 0, host = "127.0.0.1"): Promise<number> {
  const port = (await tryListen(preferred, host)) ?? (await tryListen(0, host));
  if (port === undefined) throw new Error(`No free port on ${host}.`);
  return port;
}

function tryListen(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error) =>
      hasErrorCode(error, "EADDRINUSE") ? resolve(undefined) : reject(explain(error, port, host)),
    );
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? address?.port : undefined));
    });
  });
}

function explain(error: Error, port: number, host: string): Error {
  if (hasErrorCode(error, "EACCES"))
    return new Error(`You don't have permission to use port ${port}. Choose one above 1023.`);
  const isForeign = hasErrorCode(error, "EADDRNOTAVAIL") || hasErrorCode(error, "ENOTFOUND");
  return isForeign ? new Error(`HOST must be an address of this machine, not "${host}".`) : error;
}
