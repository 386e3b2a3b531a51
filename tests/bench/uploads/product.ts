import { readFileSync } from "node:fs";
import { get } from "node:http";
import { ensureTestBuild, startTestApp, type TestApp } from "#tests/support/app.ts";
import { clientOf } from "#tests/support/app-client.ts";
import { startTestCluster } from "#tests/support/cluster.ts";

/** A person who sends images from an account with a board. */
export interface Sender {
  account: string;
  boardId: string;
  send(body: FormData): Promise<{ status: number; drafts: number }>;
}

/** A running product, and how much memory its app has taken at most. */
export interface UploadProduct {
  makeSenders(count: number): Promise<Sender[]>;
  /** A small call: the list of pins of somebody who has none. */
  ask(): Promise<void>;
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

/** On a connection of its own: an idle one may be closed while this process is busy sending. */
const askOnce = (url: string, token: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    get(url, { agent: false, headers }, (answer) => {
      answer.resume();
      const isRight = answer.statusCode === 200;
      answer.on("end", () => (isRight ? resolve() : reject(new Error(`The small call got ${answer.statusCode}.`))));
    }).on("error", reject);
  });

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
    ask: () => askOnce(`${app.baseUrl}/api/users/pinterest/generated-pins/${id}/`, reader.token),
    peakMb: () => peakMbOf(app.pid("app")),
    stop: async () => {
      await app.stop();
      await cluster.stop();
    },
  };
};
