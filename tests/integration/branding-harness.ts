import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import sharp from "sharp";
import { afterAll } from "vitest";
import { orphanedImages } from "#db/schema/images.ts";
import { pins } from "#db/schema/pins.ts";
import type { FullCtx } from "#lib/context.ts";
import type { PinId } from "#lib/core/ids.ts";
import type { ApplyTemplateInput } from "#lib/features/branding/schema.ts";
import type { NewDraft } from "#lib/features/pins/drafts.ts";
import type { Creator, TestSetup } from "./publishing-harness.ts";

/** The default input of `applyTemplate`. */
export const templateInput = (
  pinIds: readonly string[],
  change: Partial<ApplyTemplateInput> = {},
): ApplyTemplateInput => ({
  pinIds: [...pinIds],
  template: "label",
  words: null,
  signature: "mossandstone",
  hasLogo: false,
  ...change,
});

/** A storage that records the keys of writes, and fails from the n-th one on. */
export const withRecordedStorage = (ctx: FullCtx, failsAt = Number.POSITIVE_INFINITY) => {
  const keys: string[] = [];
  const put: FullCtx["storage"]["put"] = async (key, bytes) => {
    if (keys.length + 1 >= failsAt) throw new Error("The disk is full.");
    await ctx.storage.put(key, bytes);
    keys.push(key);
  };
  return { keys, ctx: { ...ctx, storage: { ...ctx.storage, put } } };
};

/** A process that dies at the start of its n-th transaction, without running any cleanup. */
export const dyingContext = (ctx: FullCtx, dieAt: number) => {
  const { promise: death, resolve: died } = Promise.withResolvers<void>();
  let begun = 0;
  const transaction = (work: never) => {
    begun += 1;
    if (begun < dieAt) return ctx.db.transaction(work);
    died();
    return new Promise<never>(() => undefined);
  };
  const get = (db: FullCtx["db"], name: string | symbol) =>
    name === "transaction" ? transaction : Reflect.get(db, name);
  return { ctx: { ...ctx, db: new Proxy(ctx.db, { get }) }, death };
};

/** Runs `work` right before a query chain is awaited. */
const delayed = <T extends object>(query: T, work: () => Promise<unknown>): T =>
  new Proxy(query, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        if (name === "then") return work().then(() => Reflect.apply(value, target, given));
        const next: unknown = Reflect.apply(value, target, given);
        return typeof next === "object" && next !== null && "then" in next ? delayed(next, work) : next;
      };
    },
  });

/** Runs `work` right before the n-th read outside of transactions. */
export const beforeRead = <C extends Pick<FullCtx, "db">>(ctx: C, at: number, work: () => Promise<unknown>): C => {
  let begun = 0;
  const select = (fields: never) => {
    begun += 1;
    const query = ctx.db.select(fields);
    return begun === at ? delayed(query, work) : query;
  };
  const get = (db: FullCtx["db"], name: string | symbol) => (name === "select" ? select : Reflect.get(db, name));
  return { ...ctx, db: new Proxy(ctx.db, { get }) };
};

/** Runs `work` once, right after the first image is stored. */
export const whileStored = (ctx: FullCtx, work: () => Promise<unknown>): FullCtx => {
  let isDone = false;
  const put: FullCtx["storage"]["put"] = async (key, bytes) => {
    await ctx.storage.put(key, bytes);
    if (isDone) return;
    isDone = true;
    await work();
  };
  return { ...ctx, storage: { ...ctx.storage, put } };
};

/** Helpers of the branding tests. */
export const brandingIn = (setup: TestSetup) => {
  const folder = mkdtempSync(join(tmpdir(), "branding-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  let made = 0;

  /** Stores a unique image. */
  const storeImage = async (): Promise<string> => {
    made += 1;
    const background = { r: (made * 53) % 256, g: 120, b: (made * 91) % 256 };
    const jpeg = await sharp({ create: { width: 180, height: 280, channels: 3, background } })
      .jpeg()
      .toBuffer();
    const key = `pins/branding-${made}.jpg`;
    await setup.job().storage.put(key, jpeg);
    return key;
  };

  return {
    storeImage,
    draft: async (creator: Creator, change: Partial<NewDraft> = {}): Promise<PinId> =>
      setup.draft(creator, { imageKey: await storeImage(), title: "Slow Sunday bread", ...change }),
    /** A file as the upload parser leaves it. */
    upload: (bytes: Uint8Array) => {
      made += 1;
      const path = join(folder, String(made));
      writeFileSync(path, bytes);
      return { path, bytes: bytes.length, sha256: String(bytes.length) };
    },
    imageStateOf: async (id: string) => {
      const [row] = await setup.job().db.select().from(pins).where(eq(pins.id, id));
      if (!row) throw new Error("The pin is gone.");
      const { imageKey, baseImageKey, template, likeness, placeholder, status } = row;
      return { imageKey, baseImageKey, template, likeness, placeholder, status };
    },
    orphans: async (): Promise<string[]> =>
      (await setup.job().db.select().from(orphanedImages)).map(({ key }) => key).toSorted(),
    /** Counts the keys that are in storage. */
    stored: async (keys: readonly string[]): Promise<number> => {
      const found = await Promise.all(keys.map((key) => setup.job().storage.get(key)));
      return found.filter((bytes) => bytes !== null).length;
    },
    bytesOf: async (key: string): Promise<Buffer> => {
      const bytes = await setup.job().storage.get(key);
      if (!bytes) throw new Error(`Nothing is stored as ${key}.`);
      return Buffer.from(bytes);
    },
  };
};
