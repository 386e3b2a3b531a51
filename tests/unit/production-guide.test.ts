import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { LOGO_BYTES_MAX } from "#lib/features/branding/constants.ts";
import { SLIDES_MAX, VIDEO_BYTES_MAX } from "#lib/features/formats/constants.ts";
import { BULK_BYTES_MAX, IMAGE_BYTES_MAX } from "#lib/features/pins/constants.ts";
import { SHEET_BYTES_MAX, ZIP_BYTES_MAX } from "#lib/features/spreadsheets/constants.ts";
import { SAVE_BYTES_MAX } from "#lib/features/videos/constants.ts";
import { UPLOAD_TIMEOUT_MS } from "#lib/integrations/pinterest/media.ts";
import { inRepository } from "#scripts/root.ts";

const guide = readFileSync(inRepository("docs", "guides", "production.md"), "utf8");
const config = /```nginx\n([\s\S]*?)\n```/.exec(guide)?.[1] ?? "";
const locations = [...config.matchAll(/location (~ )?(\S+) \{([^}]*)\}/g)].map(
  ([, isPattern, path = "", body = ""]) => ({
    ...{ path, body, matches: (url: string) => (isPattern ? new RegExp(path).test(url) : url.startsWith(path)) },
    rank: isPattern ? Number.POSITIVE_INFINITY : path.length,
  }),
);

/** The location that nginx chooses: a pattern, else the longest prefix. */
const locationOf = (url: string): string =>
  locations.filter(({ matches }) => matches(url)).toSorted((a, b) => b.rank - a.rank)[0]?.body ?? "";

const MEGABYTE = 1_048_576;

test.each([
  ["/api/users/pinterest/create-bulk/", BULK_BYTES_MAX],
  ["/api/users/pinterest/create-video/", VIDEO_BYTES_MAX + IMAGE_BYTES_MAX],
  ["/api/users/pinterest/create-carousel/", SLIDES_MAX * IMAGE_BYTES_MAX],
  ["/api/users/pinterest/imports/", SHEET_BYTES_MAX + ZIP_BYTES_MAX],
  ["/api/users/pinterest/brand/acc_1/logo/", LOGO_BYTES_MAX],
  ["/api/users/save_tiktok_videos/", SAVE_BYTES_MAX],
  ["/api/v1/uploads", IMAGE_BYTES_MAX],
  ["/api/v1/videos", SAVE_BYTES_MAX],
])("the guide's nginx lets %s through with what the product accepts", (url, bytes) => {
  const megabytes = /client_max_body_size (\d+)m;/.exec(locationOf(url))?.[1];
  expect(Number(megabytes) * MEGABYTE).toBeGreaterThanOrEqual(bytes);
});

test("the guide's nginx waits for a step that uploads a video", () => {
  const seconds = /proxy_read_timeout (\d+)s;/.exec(locationOf("/api/inngest"))?.[1];
  expect(Number(seconds) * SECOND_MS).toBeGreaterThanOrEqual(UPLOAD_TIMEOUT_MS + MINUTE_MS);
});
