import { connect, type Socket } from "node:net";
import postgres from "postgres";

export interface Statement {
  text: string;
  params: unknown[];
  asArrays: boolean;
}

export type Rows = postgres.RowList<postgres.Row[]>;

export interface Codecs {
  parsers: Record<string, unknown>;
  serializers: Record<string, unknown>;
}

interface ConnectionOptions {
  url: string;
  connectMs: number;
  /** After this long without a response the connection is closed; 0: never. */
  responseTimeoutMs: number;
  setupSql: string;
  codecs: Codecs;
}

/** One connection. When it ends, its statements fail and are never repeated. */
export interface Connection {
  run(statement: Statement): Promise<Rows>;
  script(text: string): Promise<Rows[]>;
  isClosed(): boolean;
  onClose(listener: () => void): void;
  /** Closes it immediately; the server rolls back open work. */
  destroy(reason: Error): void;
  end(): Promise<void>;
}

type ConnectionErrorCode = "CONNECTION_LOST" | "CONNECT_TIMEOUT" | "STATEMENT_TIMEOUT";

class ConnectionError extends Error {
  readonly code: ConnectionErrorCode;

  constructor(code: ConnectionErrorCode, message: string) {
    super(message);
    this.name = "ConnectionError";
    this.code = code;
  }
}

const connectionLost = () => new ConnectionError("CONNECTION_LOST", "The connection to PostgreSQL ended.");

/** Statements with more parameters than this rarely repeat, so they are not prepared. */
const PREPARED_PARAMS_MAX = 60;
const CLOSE_TIMEOUT_MS = 1_000;

type ServerAddress = { host: string[]; port: number[]; path: string | false };

const connectSocket = (
  address: { path: string } | { host: string; port: number },
  timeoutMs: number,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(address);
    const fail = (error: Error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(
      () => fail(new ConnectionError("CONNECT_TIMEOUT", "PostgreSQL cannot be reached.")),
      timeoutMs,
    );
    socket.once("error", fail);
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.removeListener("error", fail);
      resolve(socket);
    });
  });

const openSocket = async ({ host, port, path }: ServerAddress, timeoutMs: number): Promise<Socket> => {
  if (path) return connectSocket({ path }, timeoutMs);
  let failure: unknown;
  for (const [index, name] of host.entries()) {
    const address = { host: name, port: port[index] ?? 5432 };
    try {
      // TLS takes the server name from here.
      return Object.assign(await connectSocket(address, timeoutMs), address);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
};

/** One socket. It must not reconnect: 3.4.9 resends written statements (porsager/postgres #1186, #1195). */
const openClient = (options: ConnectionOptions, take: (socket: Socket) => void, onclose: () => void) => {
  let isTaken = false;
  const settings = {
    max: 1,
    idle_timeout: 0,
    max_lifetime: 0,
    fetch_types: false,
    connect_timeout: options.connectMs / 1_000,
    onnotice: () => {},
    onclose,
    socket: async (address: ServerAddress): Promise<Socket> => {
      if (isTaken) throw connectionLost();
      isTaken = true;
      const socket = await openSocket(address, options.connectMs);
      take(socket);
      return socket;
    },
  };
  const client = postgres(options.url, settings);
  Object.assign(client.options.parsers, options.codecs.parsers);
  Object.assign(client.options.serializers, options.codecs.serializers);
  return client;
};

export const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

const createLifecycle = () => {
  const waiting = new Set<(error: Error) => void>();
  const listeners: (() => void)[] = [];
  let closedBy: Error | undefined;
  let socket: Socket | undefined;
  const destroy = (reason: Error): void => {
    if (closedBy) return;
    closedBy = reason;
    socket?.destroy();
    for (const reject of [...waiting]) reject(reason);
    for (const listener of listeners) listener();
  };
  /** Settles with the response or when the connection ends; after `ms` without a response it closes the connection. */
  const settle = <R>(start: () => PromiseLike<R>, ms: number, code: ConnectionErrorCode): Promise<R> =>
    new Promise((resolve, reject) => {
      if (closedBy) return reject(closedBy);
      const onTimeout = () => destroy(new ConnectionError(code, `PostgreSQL did not respond within ${ms} ms.`));
      const timer = ms > 0 ? setTimeout(onTimeout, ms) : undefined;
      const done = () => {
        clearTimeout(timer);
        waiting.delete(fail);
      };
      const fail = (error: unknown) => {
        done();
        reject(error);
      };
      const succeed = (answer: R) => {
        done();
        resolve(answer);
      };
      waiting.add(fail);
      start().then(succeed, fail);
    });
  return {
    destroy,
    settle,
    isClosed: () => closedBy !== undefined,
    onClose: (listener: () => void) => void listeners.push(listener),
    take: (opened: Socket) => {
      socket = opened;
      // Closed while it was being opened.
      if (closedBy) opened.destroy();
    },
  };
};

const toResultSets = (answer: Rows | Rows[]): Rows[] => ("command" in answer ? [answer] : answer);

/** @throws ConnectionError, or the server's error, when there is no connection within `connectMs` */
export const openConnection = async (options: ConnectionOptions): Promise<Connection> => {
  const { connectMs, responseTimeoutMs } = options;
  const { destroy, settle, isClosed, onClose, take } = createLifecycle();
  const client = openClient(options, take, () => destroy(connectionLost()));
  const script = async (text: string, ms: number, code: ConnectionErrorCode): Promise<Rows[]> => {
    // For several statements postgres.js returns several lists, unlike its types.
    const start = () => client.unsafe(text).simple() as unknown as PromiseLike<Rows | Rows[]>;
    return toResultSets(await settle(start, ms, code));
  };
  try {
    await script(options.setupSql, connectMs, "CONNECT_TIMEOUT");
  } catch (error) {
    destroy(toError(error));
    throw error;
  }
  return {
    destroy,
    isClosed,
    onClose,
    script: (text) => script(text, responseTimeoutMs, "STATEMENT_TIMEOUT"),
    run: ({ text, params, asArrays }) => {
      const start = () => {
        const prepare = params.length <= PREPARED_PARAMS_MAX;
        const query = client.unsafe(text, params as postgres.ParameterOrJSON<never>[], { prepare });
        return (asArrays ? query.values() : query) as PromiseLike<Rows>;
      };
      return settle(start, responseTimeoutMs, "STATEMENT_TIMEOUT");
    },
    end: async () => {
      if (!isClosed()) await client.end({ timeout: CLOSE_TIMEOUT_MS / 1_000 });
      destroy(connectionLost());
    },
  };
};
