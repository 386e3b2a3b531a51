import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import { ensureTestBuild, startTestApp, type TestApp } from "#tests/support/app.ts";
import { clientOf } from "#tests/support/app-client.ts";
import { startTestCluster } from "#tests/support/cluster.ts";

/** A person who sends images from an account with a board. */
export interface Sender {
  account: string;
  boardId: string;
  send(body: FormData): Promise<{ status: number; drafts: number }>;
}

/** Small calls that are made meanwhile, and at the end how long each took, in milliseconds, the fastest first. */
export interface Asking {
  stop(): Promise<number[]>;
}

/** A running product, and how much memory its app has taken at most. */
export interface UploadProduct {
  makeSenders(count: number): Promise<Sender[]>;
  /** Makes a small call again and again: the list of pins of somebody who has none. */
  startAsking(): Promise<Asking>;
  /** Megabytes that the app's process ever held at once, as the kernel counted. */
  peakMb(): number;
  stop(): Promise<void>;
}

/** Longer than half a gigabyte takes on the slowest machine. */
const SENDING_MS = 900_000;

const peakMbOf = (pid: number): number => {
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  if (peak === undefined) throw new Error("The kernel tells no peak of memory here.");
  return Math.round((Number(peak) * 1_024) / 1e6);
};

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
      const answer = await fetch(`${app.baseUrl}/api/users/pinterest/create-bulk/`, {
        method: "POST",
        headers: { authorization: `Bearer ${user.token}` },
        body,
        signal: AbortSignal.timeout(SENDING_MS),
      });
      return { status: answer.status, drafts: Object(await answer.json()).posts?.length ?? 0 };
    },
  };
};

/** A thread that has asked once, and goes on to. */
const startAsking = async (workerData: { url: string; token: string }): Promise<Asking> => {
  const asker = new Worker(new URL("asker.ts", import.meta.url), { workerData });
  await once(asker, "message");
  const told = once(asker, "message");
  // What goes wrong is told when it is asked for: the product may be ending because of something else.
  told.catch(() => undefined);
  return {
    stop: async () => {
      asker.postMessage("stop");
      try {
        const [times] = await told;
        return z
          .array(z.number())
          .min(1)
          .parse(times)
          .toSorted((a, b) => a - b);
      } finally {
        await asker.terminate();
      }
    },
  };
};

/** Starts the production build on a database of its own. */
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
    startAsking: () =>
      startAsking({ url: `${app.baseUrl}/api/users/pinterest/generated-pins/${id}/`, token: reader.token }),
    peakMb: () => peakMbOf(app.pid("app")),
    stop: async () => {
      await app.stop();
      await cluster.stop();
    },
  };
};
