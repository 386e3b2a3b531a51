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
import type { Maker, World } from "./publishing-house.ts";

/** What a template is asked with unless a test says otherwise. */
export const asked = (pinIds: readonly string[], change: Partial<ApplyTemplateInput> = {}): ApplyTemplateInput => ({
  pinIds: [...pinIds],
  template: "label",
  words: null,
  signature: "mossandstone",
  hasLogo: false,
  ...change,
});

/** A storage that keeps a list of what was put, and fails from its n-th object on. */
export const watched = (ctx: FullCtx, failsAt = Number.POSITIVE_INFINITY) => {
  const keys: string[] = [];
  const put: FullCtx["storage"]["put"] = async (key, bytes) => {
    if (keys.length + 1 >= failsAt) throw new Error("The disk is full.");
    await ctx.storage.put(key, bytes);
    keys.push(key);
  };
  return { keys, ctx: { ...ctx, storage: { ...ctx.storage, put } } };
};

/** A process that dies as it begins its n-th transaction: nothing of it runs any more, its tidying up neither. */
export const dying = (ctx: FullCtx, dieAt: number) => {
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

/** Lets `work` be done before the n-th answer of a chain of `select` is asked for, whatever is called on the way there. */
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

/** Does something right before the n-th time that rows are read outside of transactions. */
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

/** Does something in the moment in which a picture has just been stored, once. */
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

/** What tests of the branding room do again and again, in the world of their file. */
export const brandingIn = (world: World) => {
  const folder = mkdtempSync(join(tmpdir(), "branding-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  let made = 0;

  /** A stored picture that no other test has, under a key as pins have them. */
  const storePicture = async (): Promise<string> => {
    made += 1;
    const background = { r: (made * 53) % 256, g: 120, b: (made * 91) % 256 };
    const jpeg = await sharp({ create: { width: 180, height: 280, channels: 3, background } })
      .jpeg()
      .toBuffer();
    const key = `pins/branding-${made}.jpg`;
    await world.job().storage.put(key, jpeg);
    return key;
  };

  return {
    storePicture,
    draft: async (maker: Maker, change: Partial<NewDraft> = {}): Promise<PinId> =>
      world.draft(maker, { imageKey: await storePicture(), title: "Slow Sunday bread", ...change }),
    /** A file as the receiving of a body leaves it. */
    upload: (bytes: Uint8Array) => {
      made += 1;
      const path = join(folder, String(made));
      writeFileSync(path, bytes);
      return { path, bytes: bytes.length, sha256: String(bytes.length) };
    },
    lookOf: async (id: string) => {
      const [row] = await world.job().db.select().from(pins).where(eq(pins.id, id));
      if (!row) throw new Error("The pin is gone.");
      const { imageKey, baseImageKey, template, likeness, placeholder, status } = row;
      return { imageKey, baseImageKey, template, likeness, placeholder, status };
    },
    orphans: async (): Promise<string[]> =>
      (await world.job().db.select().from(orphanedImages)).map(({ key }) => key).toSorted(),
    /** How many of these are in the storage. */
    stored: async (keys: readonly string[]): Promise<number> => {
      const found = await Promise.all(keys.map((key) => world.job().storage.get(key)));
      return found.filter((bytes) => bytes !== null).length;
    },
    bytesOf: async (key: string): Promise<Buffer> => {
      const bytes = await world.job().storage.get(key);
      if (!bytes) throw new Error(`Nothing is stored as ${key}.`);
      return Buffer.from(bytes);
    },
  };
};
