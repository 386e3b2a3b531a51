import { connect, type Socket } from "node:net";
import postgres from "postgres";

/** One statement as the query builder hands it over; `asArrays` leaves out the columns' names. */
export interface Statement {
  text: string;
  params: unknown[];
  asArrays: boolean;
}

/** Rows as postgres.js gives them, with the command's tag ("COMMIT", "ROLLBACK" …). */
export type Rows = postgres.RowList<postgres.Row[]>;

/** How values are read and written, by the number of their PostgreSQL type. */
export interface Codecs {
  parsers: Record<string, unknown>;
  serializers: Record<string, unknown>;
}

export interface LinkOptions {
  url: string;
  connectMs: number;
  /** After so long without an answer the server counts as gone; 0: never. */
  silenceMs: number;
  /** What the server is told about itself on a new connection. */
  greeting: string;
  codecs: Codecs;
}

/** One connection for as long as it lives. When it ends, whatever it was asked ends with it, and nothing runs again. */
export interface Link {
  run(statement: Statement): Promise<Rows>;
  /** Several statements in one message, without parameters; the answer of each. */
  script(text: string): Promise<Rows[]>;
  isOver(): boolean;
  onOver(listener: () => void): void;
  /** Cuts it at once; the server rolls back what was open. */
  cut(reason: Error): void;
  /** Says goodbye and closes; for a link that has nothing left to do. */
  end(): Promise<void>;
}

type LinkErrorCode = "CONNECTION_LOST" | "CONNECT_TIMEOUT" | "STATEMENT_TIMEOUT";

/** A connection that is no more: its `code` says so to logs and to the health check. */
class LinkError extends Error {
  readonly code: LinkErrorCode;

  constructor(code: LinkErrorCode, message: string) {
    super(message);
    this.name = "LinkError";
    this.code = code;
  }
}

const lost = () => new LinkError("CONNECTION_LOST", "The connection to PostgreSQL ended.");

/** Beyond so many parameters a statement's text is hardly ever the same again, and is not kept prepared. */
const PREPARED_PARAMS_MAX = 60;
const GOODBYE_MS = 1_000;

type Place = { host: string[]; port: number[]; path: string | false };

const connectTo = (place: { path: string } | { host: string; port: number }, timeoutMs: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(place);
    const fail = (error: Error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(() => fail(new LinkError("CONNECT_TIMEOUT", "PostgreSQL cannot be reached.")), timeoutMs);
    socket.once("error", fail);
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.removeListener("error", fail);
      resolve(socket);
    });
  });

/** The first of the addressed servers that takes the connection. */
const openSocket = async ({ host, port, path }: Place, timeoutMs: number): Promise<Socket> => {
  if (path) return connectTo({ path }, timeoutMs);
  let failure: unknown;
  for (const [index, name] of host.entries()) {
    const place = { host: name, port: port[index] ?? 5432 };
    try {
      // TLS takes the server's name from here.
      return Object.assign(await connectTo(place, timeoutMs), place);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
};

/**
 * postgres.js with one socket, once. Its own reconnecting is refused: 3.4.9 sends what was written to the old
 * connection over the new one, and lets statements that wait in its queues hang (porsager/postgres #1186, #1195).
 */
const openClient = (options: LinkOptions, take: (socket: Socket) => void, onclose: () => void) => {
  let isTaken = false;
  const settings = {
    max: 1,
    idle_timeout: 0,
    max_lifetime: 0,
    fetch_types: false,
    connect_timeout: options.connectMs / 1_000,
    onnotice: () => {},
    onclose,
    socket: async (place: Place): Promise<Socket> => {
      if (isTaken) throw lost();
      isTaken = true;
      const socket = await openSocket(place, options.connectMs);
      take(socket);
      return socket;
    },
  };
  const client = postgres(options.url, settings);
  Object.assign(client.options.parsers, options.codecs.parsers);
  Object.assign(client.options.serializers, options.codecs.serializers);
  return client;
};

/** Whatever was thrown, as an error. */
export const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** What is known of a connection's life, and the promises that end with it. */
const createLife = () => {
  const waiting = new Set<(error: Error) => void>();
  const listeners: (() => void)[] = [];
  let over: Error | undefined;
  let socket: Socket | undefined;
  const cut = (reason: Error): void => {
    if (over) return;
    over = reason;
    socket?.destroy();
    for (const reject of [...waiting]) reject(reason);
    for (const listener of listeners) listener();
  };
  /** Settles with the answer, with the end of the connection or, after `ms` of silence, by ending the connection. */
  const settle = <R>(start: () => PromiseLike<R>, ms: number, code: LinkErrorCode): Promise<R> =>
    new Promise((resolve, reject) => {
      if (over) return reject(over);
      const silent = () => cut(new LinkError(code, `PostgreSQL did not answer within ${ms} ms.`));
      const timer = ms > 0 ? setTimeout(silent, ms) : undefined;
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
    cut,
    settle,
    isOver: () => over !== undefined,
    onOver: (listener: () => void) => void listeners.push(listener),
    take: (opened: Socket) => {
      socket = opened;
      // Given up while it was being opened.
      if (over) opened.destroy();
    },
  };
};

const asScript = (answer: Rows | Rows[]): Rows[] => ("command" in answer ? [answer] : answer);

/**
 * Opens a connection and greets the server. Each statement's promise settles by itself: with the answer, with the end
 * of the connection, or after `silenceMs`, whatever the driver makes of it.
 * @throws LinkError, or what the server said, when there is no connection within `connectMs`
 */
export const openLink = async (options: LinkOptions): Promise<Link> => {
  const { connectMs, silenceMs } = options;
  const { cut, settle, isOver, onOver, take } = createLife();
  const client = openClient(options, take, () => cut(lost()));
  const script = async (text: string, ms: number, code: LinkErrorCode): Promise<Rows[]> => {
    // Of several statements postgres.js answers several lists; its types know one.
    const start = () => client.unsafe(text).simple() as unknown as PromiseLike<Rows | Rows[]>;
    return asScript(await settle(start, ms, code));
  };
  try {
    await script(options.greeting, connectMs, "CONNECT_TIMEOUT");
  } catch (error) {
    cut(toError(error));
    throw error;
  }
  return {
    cut,
    isOver,
    onOver,
    script: (text) => script(text, silenceMs, "STATEMENT_TIMEOUT"),
    run: ({ text, params, asArrays }) => {
      const start = () => {
        const prepare = params.length <= PREPARED_PARAMS_MAX;
        const query = client.unsafe(text, params as postgres.ParameterOrJSON<never>[], { prepare });
        return (asArrays ? query.values() : query) as PromiseLike<Rows>;
      };
      return settle(start, silenceMs, "STATEMENT_TIMEOUT");
    },
    end: async () => {
      if (!isOver()) await client.end({ timeout: GOODBYE_MS / 1_000 });
      cut(lost());
    },
  };
};
