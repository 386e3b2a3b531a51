import { openAsBlob } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ensureTestBuild, startTestApp, type TestApp } from "#tests/support/app.ts";
import { clientOf, type SignedInUser } from "#tests/support/app-client.ts";
import { startTestCluster } from "#tests/support/cluster.ts";
import { until } from "#tests/support/poll.ts";
import { photo } from "#tests/support/sample-images.ts";
import { sampleVideo } from "#tests/support/sample-videos.ts";
import type { Bench } from "../harness/bench.ts";
import { peakMb, resetPeak, residentMb } from "../harness/memory.ts";
import { round } from "../harness/statistics.ts";

/** A part of a video would show as its size; the rest is buffers and garbage that wasn't collected yet. */
const MAX_GROWTH_MB = 100;
const WAIT_MS = 240_000;
const SIZES = { full: 200, small: 50 } as const;
/** Loads the code first. */
const FIRST_MB = 5;

/** The app's memory in megabytes and the time in seconds while something happens. */
interface Measured {
  beforeMb: number;
  peakMb: number;
  seconds: number;
}

const measure = async <T>(app: TestApp, act: () => Promise<T>): Promise<Measured & { value: T }> => {
  const pid = app.pid("app");
  resetPeak(pid);
  const [beforeMb, startedAt] = [residentMb(pid), performance.now()];
  const value = await act();
  return { value, beforeMb, peakMb: peakMb(pid), seconds: (performance.now() - startedAt) / 1_000 };
};

interface Creator {
  user: SignedInUser;
  accountId: string;
  boardId: string;
}

const createCreator = async (app: TestApp): Promise<Creator> => {
  const client = clientOf(app);
  const user = await client.signUp();
  const { id: accountId } = await client.connectOverHttp(user);
  const boardId = Object((await user.call(`/api/users/pinterest/boards/${accountId}/`)).json).items?.[0]?.id;
  if (typeof boardId !== "string") throw new Error("This user has no board.");
  return { user, accountId, boardId };
};

const uploadVideo = async (app: TestApp, { user, accountId, boardId }: Creator, path: string): Promise<string> => {
  const form = new FormData();
  form.set("pinterest_account", accountId);
  form.set("pin", JSON.stringify({ board_id: boardId, title: "A large video" }));
  form.set("cover", new File([new Uint8Array(await photo(1_000, 1_500))], "cover.jpg"));
  form.set("video", await openAsBlob(path), "video.mp4");
  const response = await fetch(`${app.baseUrl}/api/users/pinterest/create-video/`, {
    method: "POST",
    headers: { authorization: `Bearer ${user.token}` },
    body: form,
    signal: AbortSignal.timeout(WAIT_MS),
  });
  const json = Object(await response.json());
  if (response.status !== 200) throw new Error(`The upload returned ${response.status}: ${json.message}`);
  return String(json.post.id);
};

/** Until Pinterest's stand-in has the video and the pin. */
const publish = async ({ user, accountId }: Creator, pinId: string): Promise<void> => {
  const body = { post_ids: [pinId], interval_minutes: 60 };
  const { status } = await user.call("/api/users/pinterest/batch-publish-pins/", { method: "POST", body });
  if (status !== 200) throw new Error(`Scheduling returned ${status}.`);
  const path = `/api/users/pinterest/generated-pins/${accountId}/?ids=${pinId}`;
  const isPublished = async () => Object((await user.call(path)).json).posts?.[0]?.status === "published";
  await until(isPublished, { deadlineMs: WAIT_MS, everyMs: 500, what: "a published video" });
};

const runOne = async (app: TestApp, creator: Creator, megabytes: number) => {
  const path = join(app.dataDir, `${megabytes}.mp4`);
  await writeFile(path, sampleVideo({ mediaBytes: megabytes * 1_000_000 }));
  const upload = await measure(app, () => uploadVideo(app, creator, path));
  const published = await measure(app, () => publish(creator, upload.value));
  return { megabytes, upload, published };
};

const rowOf = (megabytes: number, what: string, { beforeMb, peakMb: peak, seconds }: Measured) => [
  ...[megabytes, what, beforeMb, peak, peak - beforeMb, round(seconds, 1)],
];

/** Uploads a large video to the production build and publishes it, and measures the memory of the app meanwhile. */
export const videosBench: Bench = {
  name: "videos",
  what: `a video of 200 MB, uploaded and published: target: the app's memory grows by at most ${MAX_GROWTH_MB} MB`,
  run: async ({ size, log }) => {
    await ensureTestBuild();
    const cluster = await startTestCluster();
    try {
      const app = await startTestApp({ serverUrl: cluster.serverUrl, settings: { RATE_LIMIT_FACTOR: "1000" } });
      try {
        const creator = await createCreator(app);
        const results = [];
        for (const megabytes of [FIRST_MB, SIZES[size]]) {
          log(`a video of ${megabytes} MB is uploaded and published`);
          results.push(await runOne(app, creator, megabytes));
        }
        const last = results.slice(-1).flatMap(({ upload, published }) => [upload, published]);
        const growthMb = Math.max(...last.map(({ beforeMb, peakMb: peak }) => peak - beforeMb));
        return {
          verdict: growthMb <= MAX_GROWTH_MB ? "met" : "missed",
          reason: `with a video of ${SIZES[size]} MB, the app's memory grew by ${growthMb} MB at most`,
          table: [
            ["MB", "", "memory before, MB", "peak MB", "growth MB", "seconds"],
            ...results.flatMap(({ megabytes, upload, published }) => [
              rowOf(megabytes, "upload", upload),
              rowOf(megabytes, "publish", published),
            ]),
          ],
          metrics: { growthMb, results },
        };
      } finally {
        await app.stop();
      }
    } finally {
      await cluster.stop();
    }
  },
};
