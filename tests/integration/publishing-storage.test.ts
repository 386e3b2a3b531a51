import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { orphanedImages } from "#db/schema/images.ts";
import { storageState } from "#db/schema/storage.ts";
import type { FullCtx } from "#lib/context.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { purgeImages } from "#lib/features/generation/images.ts";
import { TEXTS as PIN_TEXTS, STORAGE_MARKER_KEY } from "#lib/features/pins/constants.ts";
import { checkStorage, findStorageOutage, saveObject } from "#lib/features/pins/storage-outages.ts";
import { TEXTS } from "#lib/features/publishing/constants.ts";
import { startDuePins } from "#lib/features/publishing/due-pins.ts";
import { publishDuePin } from "#lib/features/publishing/publisher.ts";
import { unschedulePin } from "#lib/features/publishing/scheduling.ts";
import type { ScheduledPin } from "#lib/features/publishing/schema.ts";
import { createS3Storage } from "#lib/integrations/storage/s3.ts";
import { photo } from "#tests/support/sample-images.ts";
import { CREATE, type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();

const away = () => `${setup.storageDir}-away`;

/** Like a volume that is not mounted: its folder is empty. */
const unmount = () => {
  renameSync(setup.storageDir, away());
  mkdirSync(setup.storageDir);
};

const mount = () => {
  rmSync(setup.storageDir, { recursive: true, force: true });
  renameSync(away(), setup.storageDir);
};

const forget = () => setup.harness.database.db.delete(storageState);

beforeEach(async () => {
  await forget();
});

afterEach(() => {
  if (existsSync(away())) mount();
});

const publish = (creator: Creator, scheduled: ScheduledPin, ctx: FullCtx = setup.job()) =>
  publishDuePin(ctx, { ...scheduled, accountId: creator.account.id });

const duePins = async (creator: Creator, count: number): Promise<ScheduledPin[]> => {
  const due: ScheduledPin[] = [];
  for (let n = 0; n < count; n += 1) due.push(await setup.scheduled(creator, { title: `Due ${n}` }));
  return due;
};

test("R-SRV-03 due pins wait for days while the image folder is missing, and go out once when it is back", async () => {
  const creator = await setup.insertCreator();
  const due = await duePins(creator, 3);
  expect(await checkStorage(setup.job())).toEqual({ isAvailable: true });
  unmount();
  for (let day = 0; day < 3; day += 1) {
    for (const scheduled of due) expect(await publish(creator, scheduled)).toMatchObject({ kind: "wait" });
    for (const { pinId } of due) {
      expect(await setup.pin(pinId)).toMatchObject({ status: "scheduled", reason: PIN_TEXTS.storageDown });
    }
    await setup.moveClock(DAY_MS);
  }
  expect(await setup.publicPins(creator)).toEqual([]);
  mount();
  expect(await checkStorage(setup.job())).toEqual({ isAvailable: true });
  const sentBefore = setup.harness.sentEvents.length;
  await startDuePins(setup.job());
  expect(setup.harness.sentEvents.length - sentBefore).toBe(3);
  for (const scheduled of due) expect(await setup.drive(scheduled)).toEqual({ kind: "done", result: "published" });
  expect(await setup.publicPins(creator)).toHaveLength(3);
  for (const { pinId } of due) expect(await setup.attempts(pinId)).toHaveLength(1);
});

test("R-SRV-03 a storage that refuses access is unavailable: due pins wait", async () => {
  const creator = await setup.insertCreator();
  const scheduled = await setup.scheduled(creator);
  const refuse = () => Promise.reject(Object.assign(new Error("Access Denied"), { code: "AccessDenied" }));
  const ctx = setup.job();
  const refusing: FullCtx = { ...ctx, storage: { ...ctx.storage, get: refuse, put: refuse } };
  expect(await publish(creator, scheduled, refusing)).toMatchObject({ kind: "wait" });
  expect(await setup.pin(scheduled.pinId)).toMatchObject({ status: "scheduled", reason: PIN_TEXTS.storageDown });
  expect(await findStorageOutage(ctx)).toMatchObject({ problem: "AccessDenied" });
});

test("R-SRV-03 a pin that is claimed while the end of an outage is being recorded doesn't wait longer", async () => {
  const creator = await setup.insertCreator();
  const [scheduled] = (await duePins(creator, 1)) as [ScheduledPin];
  await checkStorage(setup.job());
  unmount();
  await checkStorage(setup.job());
  mount();
  const job = setup.job();
  type Insertion = ReturnType<ReturnType<typeof job.db.insert>["values"]>;
  const insert = (table: typeof storageState) => ({
    values: (row: never) => ({
      onConflictDoUpdate: async (...change: Parameters<Insertion["onConflictDoUpdate"]>) => {
        expect(await publish(creator, scheduled)).toMatchObject({ kind: "wait" });
        return job.db
          .insert(table)
          .values(row)
          .onConflictDoUpdate(...change);
      },
    }),
  });
  const db = new Proxy(job.db, { get: (of, name) => (name === "insert" ? insert : Reflect.get(of, name)) });
  expect(await checkStorage({ ...job, db })).toEqual({ isAvailable: true });
  const { wakeAt, reason } = await setup.pin(scheduled.pinId);
  expect([reason, wakeAt && wakeAt <= setup.harness.now()]).toEqual([null, true]);
});

test("R-SRV-03 during a known outage no pin is started, and the outage has a start and a code", async () => {
  const creator = await setup.insertCreator();
  const [first, second] = (await duePins(creator, 2)) as [ScheduledPin, ScheduledPin];
  await checkStorage(setup.job());
  unmount();
  await publish(creator, first);
  const outage = await findStorageOutage(setup.job());
  expect(outage?.problem).toBe("marker_missing");
  expect(await publish(creator, second)).toEqual({ kind: "wait", afterMs: 10 * MINUTE_MS });
  expect(await setup.attempts(second.pinId)).toEqual([]);
  await setup.moveClock(MINUTE_MS);
  await checkStorage(setup.job());
  expect(await findStorageOutage(setup.job())).toEqual(outage);
});

test("R-SRV-03 an unreachable object storage delays a pin without using up its tries", async () => {
  const creator = await setup.insertCreator();
  const [scheduled] = (await duePins(creator, 1)) as [ScheduledPin];
  await checkStorage(setup.job());
  const unreachable = createS3Storage({ bucket: "pins", region: "us-east-1", endpoint: "http://127.0.0.1:9" });
  const ctx = { ...setup.job(), storage: unreachable };
  for (let hour = 0; hour < 4; hour += 1) {
    expect(await publish(creator, scheduled, ctx)).toMatchObject({ kind: "wait" });
    await setup.moveClock(HOUR_MS);
  }
  expect(await setup.pin(scheduled.pinId)).toMatchObject({ status: "scheduled", failedRuns: 0 });
  await checkStorage(setup.job());
  expect(await setup.drive(scheduled)).toEqual({ kind: "done", result: "published" });
  expect(await setup.attempts(scheduled.pinId)).toHaveLength(1);
});

test("R-SRV-03 a pin whose own image is missing fails, and no other pin waits", async () => {
  const creator = await setup.insertCreator();
  const [broken, intact] = (await duePins(creator, 2)) as [ScheduledPin, ScheduledPin];
  await checkStorage(setup.job());
  const { imageKey } = await setup.pin(broken.pinId);
  const elsewhere = { ...setup.job() };
  const storage = {
    ...elsewhere.storage,
    get: async (key: string) => (key === imageKey ? null : elsewhere.storage.get(key)),
  };
  expect(await publish(creator, broken, { ...elsewhere, storage })).toEqual({ kind: "done", result: "failed" });
  expect(await setup.pin(broken.pinId)).toMatchObject({ status: "failed", reason: TEXTS.imageMissing });
  expect(await findStorageOutage(setup.job())).toBeNull();
  expect(await setup.drive(intact)).toEqual({ kind: "done", result: "published" });
});

test("R-SRV-03 an empty storage is never taken for the one of an installation that has images", async () => {
  const creator = await setup.insertCreator();
  const [scheduled] = (await duePins(creator, 1)) as [ScheduledPin];
  unmount();
  expect(await checkStorage(setup.job())).toEqual({ isAvailable: false });
  expect(existsSync(join(setup.storageDir, STORAGE_MARKER_KEY))).toBe(false);
  await setup.pinterest.resetCalls();
  await publish(creator, scheduled);
  expect(await setup.pinterest.calls(CREATE)).toBe(0);
});

test("R-SRV-03 unscheduling works while a pin waits for the storage", async () => {
  const creator = await setup.insertCreator();
  const [scheduled] = (await duePins(creator, 1)) as [ScheduledPin];
  await checkStorage(setup.job());
  unmount();
  await publish(creator, scheduled);
  await unschedulePin(creator.ctx, { pinId: scheduled.pinId });
  expect(await setup.pin(scheduled.pinId)).toMatchObject({ status: "draft", mayBePublished: false });
});

test("R-SRV-03 a storage that only lost its marker is marked again", async () => {
  const creator = await setup.insertCreator();
  await duePins(creator, 1);
  await checkStorage(setup.job());
  rmSync(join(setup.storageDir, STORAGE_MARKER_KEY));
  expect(await checkStorage(setup.job())).toEqual({ isAvailable: true });
  expect(existsSync(join(setup.storageDir, STORAGE_MARKER_KEY))).toBe(true);
});

test("R-SRV-03 an outage that ends while a pin's image is read does not fail the pin", async () => {
  const creator = await setup.insertCreator();
  const [scheduled] = (await duePins(creator, 1)) as [ScheduledPin];
  await checkStorage(setup.job());
  const { imageKey } = await setup.pin(scheduled.pinId);
  const job = setup.job();
  let reads = 0;
  const get = async (key: string) => {
    if (key === imageKey) reads += 1;
    return key === imageKey && reads === 1 ? null : job.storage.get(key);
  };
  expect(await publish(creator, scheduled, { ...job, storage: { ...job.storage, get } })).toEqual({
    kind: "done",
    result: "published",
  });
});

test("R-SRV-03 what is uploaded during an outage is refused, and doesn't end it", async () => {
  const creator = await setup.insertCreator();
  const [scheduled] = (await duePins(creator, 1)) as [ScheduledPin];
  await checkStorage(setup.job());
  unmount();
  const refusal = expect.objectContaining({ code: "provider_unavailable" });
  await expect(saveObject(setup.job(), "pins/upload.jpg", await photo())).rejects.toEqual(refusal);
  expect(existsSync(join(setup.storageDir, "pins", "upload.jpg"))).toBe(false);
  // Written just as the folder was unmounted, by a process that had still read the marker.
  const imageKey = "pins/late.jpg";
  await setup.draft(creator, { imageKey });
  await setup.job().storage.put(imageKey, await photo());
  expect(await checkStorage(setup.job())).toEqual({ isAvailable: false });
  expect(await publish(creator, scheduled)).toMatchObject({ kind: "wait" });
  mount();
  expect(await checkStorage(setup.job())).toEqual({ isAvailable: true });
  await setup.moveClock(MINUTE_MS);
  expect(await setup.drive(scheduled)).toEqual({ kind: "done", result: "published" });
});

test("R-SRV-03 images that nothing uses are not deleted in the records during an outage", async () => {
  const { db, storage } = setup.job();
  const key = "pins/unused.jpg";
  await checkStorage(setup.job());
  await storage.put(key, await photo());
  await db.insert(orphanedImages).values({ key, since: new Date(0) });
  unmount();
  await expect(purgeImages(setup.job())).rejects.toMatchObject({ code: "provider_unavailable" });
  mount();
  expect(await purgeImages(setup.job())).toBe(1);
  expect([await storage.has(key), await db.$count(orphanedImages)]).toEqual([false, 0]);
});
