import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import { ensureTestBuild, startTestApp, type TestApp } from "#tests/support/app.ts";
import { clientOf } from "#tests/support/app-client.ts";
import { startTestCluster } from "#tests/support/cluster.ts";
import { peakMb } from "../harness/memory.ts";

/** A user who sends images from an account with a board. */
export interface Sender {
  account: string;
  boardId: string;
  send(body: FormData): Promise<{ status: number; drafts: number }>;
}

/** Small requests made in the meantime. `stop` returns their durations in milliseconds, shortest first. */
export interface Polling {
  stop(): Promise<number[]>;
}

/** A running product and the peak memory of its app. */
export interface UploadProduct {
  makeSenders(count: number): Promise<Sender[]>;
  /** Repeats a small request: the pins of a user who has none. */
  startPolling(): Promise<Polling>;
  /** Peak memory of the app's process in megabytes, as measured by the kernel. */
  peakMb(): number;
  stop(): Promise<void>;
}

/** Longer than half a gigabyte takes on the slowest machine. */
const SENDING_MS = 900_000;

const makeSender = async (app: TestApp): Promise<Sender> => {
  const client = clientOf(app);
  const user = await client.signUp();
  const { id: account } = await client.connectOverHttp(user);
  const boards = Object((await user.call(`/api/users/pinterest/boards/${account}/`)).json);
  const boardId = boards.items?.[0]?.id;
  if (typeof boardId !== "string") throw new Error("This user has no board.");
  return {
    account,
    boardId,
    send: async (body) => {
      const response = await fetch(`${app.baseUrl}/api/users/pinterest/create-bulk/`, {
        method: "POST",
        headers: { authorization: `Bearer ${user.token}` },
        body,
        signal: AbortSignal.timeout(SENDING_MS),
      });
      return { status: response.status, drafts: Object(await response.json()).posts?.length ?? 0 };
    },
  };
};

/** Starts the thread and waits for its first response. */
const startPolling = async (workerData: { url: string; token: string }): Promise<Polling> => {
  const thread = new Worker(new URL("client.ts", import.meta.url), { workerData });
  await once(thread, "message");
  const finished = once(thread, "message");
  // Errors are thrown by `stop`: the product may be ending for another reason.
  finished.catch(() => undefined);
  return {
    stop: async () => {
      thread.postMessage("stop");
      try {
        const [times] = await finished;
        return z
          .array(z.number())
          .min(1)
          .parse(times)
          .toSorted((a, b) => a - b);
      } finally {
        await thread.terminate();
      }
    },
  };
};

/** Starts the production build with its own database. */
export const startUploads = async (): Promise<UploadProduct> => {
  await ensureTestBuild();
  const cluster = await startTestCluster();
  const settings = { RATE_LIMIT_FACTOR: "1000" };
  const app = await startTestApp({ serverUrl: cluster.serverUrl, settings }).catch(async (error: unknown) => {
    await cluster.stop();
    throw error;
  });
  const client = clientOf(app);
  const reader = await client.signUp();
  const { id } = await client.connectOverHttp(reader);
  return {
    makeSenders: (count) => Promise.all(Array.from({ length: count }, () => makeSender(app))),
    startPolling: () =>
      startPolling({ url: `${app.baseUrl}/api/users/pinterest/generated-pins/${id}/`, token: reader.token }),
    peakMb: () => peakMb(app.pid("app")),
    stop: async () => {
      await app.stop();
      await cluster.stop();
    },
  };
};
