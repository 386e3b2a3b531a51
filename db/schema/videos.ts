import { type SQL, sql } from "drizzle-orm";
import { type AnyPgColumn, bigint, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { UserId } from "#lib/core/ids.ts";
import { at } from "./columns.ts";
import { users } from "./identity.ts";

/** The searchable text, lowercased for all scripts; `@name` finds an author. */
export const videoSearchText = (table: { title: AnyPgColumn; author: AnyPgColumn }): SQL =>
  sql`lower((coalesce(${table.title}, '') || ' @' || coalesce(${table.author}, '')) collate "und-x-icu")`;

export const savedVideos = pgTable(
  "saved_videos",
  {
    id: text().primaryKey(),
    userId: text()
      .$type<UserId>()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    videoUrl: text().notNull(),
    /** The number in the URL, up to 64 bits; unique per user. */
    videoNumber: text().notNull(),
    listKey: text().notNull(),
    title: text(),
    description: text(),
    author: text(),
    authorUrl: text(),
    thumbnailUrl: text(),
    viewsCount: text(),
    /** The same as a number; 0 when unknown. */
    views: bigint({ mode: "number" }).notNull(),
    likesCount: text(),
    datePosted: text(),
    uploadedAt: at(),
    durationSeconds: integer(),
    /** Without '#'. */
    hashtags: text().array().notNull(),
    hashtagKeys: text().array().notNull(),
    /** Written by the user; saving the video again keeps them. */
    tags: text().array().notNull().default(sql`'{}'`),
    notes: text().notNull().default(""),
    deletedAt: at(),
    createdAt: at().notNull(),
    updatedAt: at().notNull(),
  },
  (table) => [
    uniqueIndex("saved_videos_number").on(table.userId, table.videoNumber),
    index("saved_videos_newest")
      .on(table.userId, table.createdAt, table.listKey)
      .where(sql`${table.deletedAt} is null`),
    index("saved_videos_words").using("gin", table.userId, sql`(${videoSearchText(table)}) gin_trgm_ops`),
    index("saved_videos_hashtags").using("gin", table.userId, table.hashtagKeys),
    index("saved_videos_deleted").on(table.deletedAt).where(sql`${table.deletedAt} is not null`),
  ],
);
