import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { receiveUpload, type UploadRules } from "#lib/server/upload.ts";
import { openSpool, type Salvage, SPOOL_BYTES_EACH } from "#lib/server/upload-files.ts";

// A place of its own: other tests send images at the same time.
const place = mkdtempSync(join(tmpdir(), "salvage-test-"));
vi.stubEnv("TMPDIR", place);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(place, { recursive: true });
});

const RULES: UploadRules = {
  isFile: (name) => name.startsWith("image"),
  fileBytesMax: 1_000,
  filesMax: 4,
  totalBytesMax: 2_000,
  tooLargeText: "Too large.",
};

const fileHead = (name: string) => `\r\n--x\r\ncontent-disposition: form-data; name="${name}"; filename="a"\r\n\r\n`;
const ACCOUNT = '\r\n--x\r\ncontent-disposition: form-data; name="account"\r\n\r\nacc_a';
const FIRST = `${fileHead("image1")}the first image`;
const SECOND = `${fileHead("image2")}the second one`;
const HALF = `${fileHead("image3")}half an im`;
const END = "\r\n--x--\r\n";

const linkOf = (path: string): string => {
  try {
    return readlinkSync(path);
  } catch (error) {
    // The listing's own, closed by now.
    if (error instanceof Error) return "";
    throw error;
  }
};

/** Waits until the first two files are on the disk as a whole. */
const untilTwo = async () => {
  const areWritten = () => {
    const open = readdirSync("/proc/self/fd").map((fd) => linkOf(`/proc/self/fd/${fd}`));
    const isWritten = (path: string) => existsSync(path) && !open.includes(path);
    return readdirSync(place).some((name) => ["0", "1"].every((file) => isWritten(join(place, name, file))));
  };
  await expect.poll(areWritten, { interval: 5 }).toBe(true);
};

const cut = () => {
  throw new Error("The line was cut.");
};

type Part = string | (() => unknown);

/** A body of these texts; what stands between them is waited for, or cuts it. */
const requestOf = (parts: readonly Part[]): Request => {
  const left = [...parts];
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    let part = left.shift();
    while (typeof part === "function") {
      await part();
      part = left.shift();
    }
    if (part === undefined) controller.close();
    else controller.enqueue(new TextEncoder().encode(part));
  };
  const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
  const headers = { "content-type": "multipart/form-data; boundary=x" };
  // The types do not know `duplex`, without which a stream is no body.
  const options = { method: "POST", headers, body, duplex: "half" } as RequestInit;
  return new Request("http://here.invalid/", options);
};

/** Notes what it is given. */
const noting = () => {
  const found: string[] = [];
  const errors: unknown[] = [];
  const salvage: Salvage = {
    keep: async ({ path }, fields) => {
      found.push(`${fields.get("account")}: ${readFileSync(path, "utf8")}`);
    },
    onError: (error) => errors.push(error),
  };
  return { found, errors, salvage };
};

const PARTS: Part[] = [ACCOUNT, FIRST, SECOND, HALF, untilTwo];
const WHOLE = ["acc_a: the first image", "acc_a: the second one"];
const FOURTH = `${fileHead("image4")}x`;

test.each<[string, Part[], string[], string]>([
  ["broke off", [...PARTS, cut], WHOLE, "The body broke off."],
  ["ended early", PARTS, WHOLE, "The multipart body is not complete or not well formed."],
  ["names two parts alike", [...PARTS, FIRST, END], [], "Each part of the body needs a name"],
  ["names two parts alike and breaks off", [...PARTS, FIRST, "x", cut], [], "Each part of the body needs a name"],
  ["has too many files", [...PARTS, FOURTH, `${fileHead("image5")}x`, END], [], "At most 4 files"],
  ["is too large", [...PARTS, "x".repeat(2_000)], [], "At most 0.002 MB"],
])("R-BULK-08 an upload that %s hands over what came whole only when it was cut", async (_, parts, whole, says) => {
  const { found, errors, salvage } = noting();
  await expect(receiveUpload(requestOf(parts), RULES, "usr_a", salvage)).rejects.toThrow(says);
  // Both are written at the same time: either may be whole first.
  expect([found.toSorted(), errors, readdirSync(place)]).toEqual([whole, [], []]);
});

test("R-BULK-08 what cannot be kept is told apart: the sender hears of the upload, and no more is tried", async () => {
  const { errors, salvage } = noting();
  let tried = 0;
  const full = new Error("The storage is full.");
  const keep = () => {
    tried += 1;
    return Promise.reject(full);
  };
  const received = receiveUpload(requestOf([...PARTS, cut]), RULES, "usr_a", { ...salvage, keep });
  await expect(received).rejects.toMatchObject({ code: "invalid", message: "The body broke off." });
  expect([tried, errors, readdirSync(place)]).toEqual([1, [full], []]);
});

test("R-BULK-08 a sender who stood still and goes on is listened to while their images are kept", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { salvage } = noting();
  const stalled = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  // Two files are whole when the third begins; polling would need the clock that stands still.
  const parts = [ACCOUNT, FIRST, SECOND, HALF, stalled.resolve, () => goOn.promise, "age", ended.resolve];
  const request = requestOf(parts);
  let kept = 0;
  const keep = async () => {
    goOn.resolve();
    await ended.promise;
    kept += 1;
  };
  const refused = expect(receiveUpload(request, RULES, "usr_a", { ...salvage, keep })).rejects.toThrow("broke off");
  await stalled.promise;
  await vi.advanceTimersByTimeAsync(30_000);
  await refused;
  expect([kept, readdirSync(place)]).toEqual([2, []]);
});

test("R-BULK-08 the room of each image comes back as it is kept, and the same user's next upload ends the keeping", async () => {
  const { found, salvage } = noting();
  const reached = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const keep: Salvage["keep"] = async (file, fields) => {
    await salvage.keep(file, fields);
    if (found.length < 2) return;
    reached.resolve();
    await goOn.promise;
  };
  const texts = [ACCOUNT, FIRST, SECOND, `${fileHead("image3")}the third`, fileHead("image4")];
  const third = () =>
    expect.poll(() => readdirSync(place).some((name) => existsSync(join(place, name, "2")))).toBe(true);
  const request = requestOf([...texts, untilTwo, third, cut]);
  const refused = expect(receiveUpload(request, RULES, "usr_a", { ...salvage, keep })).rejects.toThrow("broke off");
  await reached.promise;
  const other = await openSpool("usr_a");
  const room = SPOOL_BYTES_EACH - texts.join("").length + "the first image".length;
  expect([other.take(room + 1), other.take(room)]).toEqual([false, true]);
  await other.discard();
  const next = await receiveUpload(requestOf([FIRST, END]), RULES, "usr_a", salvage);
  goOn.resolve();
  await refused;
  expect(found).toEqual(WHOLE);
  await next.discard();
  const all = await openSpool("usr_a");
  expect([all.take(SPOOL_BYTES_EACH), all.take(1)]).toEqual([true, false]);
  await all.discard();
});
