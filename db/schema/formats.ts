import { sql } from "drizzle-orm";
import { index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { at } from "./columns.ts";
import { pins } from "./pins.ts";

const pinId = () =>
  text()
    .notNull()
    .references(() => pins.id, { onDelete: "cascade" });

/** The images of carousels in order, the first one included. All of a carousel have the same size. */
export const pinSlides = pgTable(
  "pin_slides",
  {
    pinId: pinId(),
    position: integer().notNull(),
    imageKey: text().notNull(),
    title: text().notNull().default(""),
    description: text().notNull().default(""),
    link: text(),
  },
  (table) => [
    primaryKey({ columns: [table.pinId, table.position] }),
    index("pin_slides_image").on(table.imageKey),
    index("pin_slides_link").on(sql`md5(${table.link})`).where(sql`${table.link} is not null`),
  ],
);

/** The videos of video pins. Copies of a pin share the stored file. */
export const pinVideos = pgTable(
  "pin_videos",
  {
    pinId: pinId().primaryKey(),
    videoKey: text().notNull(),
    contentType: text({ enum: ["video/mp4", "video/quicktime"] }).notNull(),
    bytes: integer().notNull(),
    durationMs: integer().notNull(),
  },
  (table) => [index("pin_videos_video").on(table.videoKey)],
);

/**
 * A video on its way into Pinterest's media library. `holder` is the run that uploads, until `lease_until`; it renews
 * the lease while bytes flow, so that a dead run is replaced soon.
 */
export const videoUploads = pgTable("video_uploads", {
  pinId: pinId().primaryKey(),
  state: text({ enum: ["uploading", "processing", "ready"] }).notNull(),
  holder: text().notNull(),
  leaseUntil: at().notNull(),
  /** Null until Pinterest registered it. */
  mediaId: text(),
  uploadedAt: at(),
  /** How often Pinterest was asked whether it is processed. */
  checks: integer().notNull().default(0),
  checkedAt: at(),
});
