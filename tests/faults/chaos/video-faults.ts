import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { pinVideos } from "#db/schema/formats.ts";
import { pins } from "#db/schema/pins.ts";
import { sampleVideo } from "#tests/support/sample-videos.ts";
import type { Fault, FaultContext } from "./fault.ts";
import { reading, readPins } from "./requests.ts";

/** Makes the drafts of a fault video pins, each with its own file. Before they are scheduled. */
export async function makeVideos({ stack, pinRequests }: FaultContext): Promise<void> {
  for (const { id } of await readPins(stack, pinRequests)) {
    const video = sampleVideo({ mediaBytes: 300_000 });
    const videoKey = `videos/${randomBytes(20).toString("hex")}.mp4`;
    await stack.ctx.storage.put(videoKey, video);
    const facts = { contentType: "video/mp4", bytes: video.length, durationMs: 6_000 } as const;
    await reading(() =>
      stack.ctx.db
        .insert(pinVideos)
        .values({ pinId: id, videoKey, ...facts })
        .onConflictDoNothing(),
    );
    await reading(() => stack.ctx.db.update(pins).set({ format: "video" }).where(eq(pins.id, id)));
  }
}

const UPLOAD = "POST /media-upload";

const videoFault = (name: string, what: string, scenario: string): Fault => ({
  name,
  what,
  phase: "publishing",
  arm: async (context) => {
    await makeVideos(context);
    const times = Math.ceil(context.pinRequests.length / 2);
    await context.stack.pinterest.addFault({ match: UPLOAD, scenario, times });
    context.injected(times);
  },
});

/** Uploads of videos that Pinterest does not get, or gets twice. */
export const videoFaults: readonly Fault[] = [
  videoFault("video-upload-cut", "half of the uploads of videos are cut", "video-upload-cut"),
  videoFault(
    "video-upload-repeated",
    "half of the uploads arrive without an answer, so they are repeated",
    "video-upload-lost",
  ),
];
