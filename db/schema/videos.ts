import { type SQL, sql } from "drizzle-orm";
import { type AnyPgColumn, bigint, index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";

/** What a video is found by, in lower case of every alphabet; whoever looks for `@maker` means an author. */
export const videoWords = (table: { title: AnyPgColumn; author: AnyPgColumn }): SQL =>
  sql`lower((coalesce(${table.title}, '') || ' @' || coalesce(${table.author}, '')) collate "und-x-icu")`;

/** A video that its user read from a page and kept (R-ENT-18, R-SAV-14). */
export const savedVideos = pgTable(
  "saved_videos",
  {
    id: text().primaryKey(),
    userId: text()
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** In the one form that an address of a video has, with the author's name as it was sent last. */
    videoUrl: text().notNull(),
    /** The number in the address, up to 64 bits: one number is one video, which is kept once. */
    videoNumber: text().notNull(),
    /** Orders videos that were saved at the same moment; one that was deleted and is saved anew gets another. */
    listKey: text().notNull(),
    title: text(),
    /** Where it is another text than the title. */
    description: text(),
    author: text(),
    authorUrl: text(),
    thumbnailUrl: text(),
    /** As the page showed it: `1.2M`. */
    viewsCount: text(),
    /** The same as a number; 0 where it tells of none. */
    views: bigint({ mode: "number" }).notNull(),
    likesCount: text(),
    /** As the page showed it: `3d ago`. */
    datePosted: text(),
    uploadedAt: at(),
    /** Without '#'. */
    hashtags: text().array().notNull(),
    /** The same in lower case, by which they are found. */
    hashtagKeys: text().array().notNull(),
    /** Its owner's own words about it; saving it again leaves them alone. */
    tags: text().array().notNull().default(sql`'{}'`),
    notes: text().notNull().default(""),
    /** Deleted by its owner, who may take that back for a while. */
    deletedAt: at(),
    createdAt: at().notNull(),
    updatedAt: at().notNull(),
  },
  (table) => [
    uniqueIndex("saved_videos_number").on(table.userId, table.videoNumber),
    index("saved_videos_newest")
      .on(table.userId, table.createdAt, table.listKey)
      .where(sql`${table.deletedAt} is null`),
    index("saved_videos_words").using("gin", table.userId, sql`(${videoWords(table)}) gin_trgm_ops`),
    index("saved_videos_hashtags").using("gin", table.userId, table.hashtagKeys),
    index("saved_videos_deleted").on(table.deletedAt).where(sql`${table.deletedAt} is not null`),
  ],
);
