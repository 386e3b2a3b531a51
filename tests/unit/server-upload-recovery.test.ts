import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { receiveUpload, type UploadRules } from "#lib/server/upload.ts";
import { openSpool, type PartialUploadHandler, SPOOL_BYTES_EACH } from "#lib/server/upload-files.ts";

// A separate temporary folder, because other tests upload at the same time.
const folder = mkdtempSync(join(tmpdir(), "recovery-test-"));
vi.stubEnv("TMPDIR", folder);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
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
    // The descriptor of the listing itself, which is closed by now.
    if (error instanceof Error) return "";
    throw error;
  }
};

/** Waits until the first two files are completely written. */
const untilTwo = async () => {
  const areWritten = () => {
    const open = readdirSync("/proc/self/fd").map((fd) => linkOf(`/proc/self/fd/${fd}`));
    const isWritten = (path: string) => existsSync(path) && !open.includes(path);
    return readdirSync(folder).some((name) => ["0", "1"].every((file) => isWritten(join(folder, name, file))));
  };
  await expect.poll(areWritten, { interval: 5 }).toBe(true);
};

const cut = () => {
  throw new Error("The connection was cut.");
};

type Part = string | (() => unknown);

/** A request that sends these texts; functions between them are awaited, and may throw to break it off. */
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
  // A stream as body requires `duplex`, which the types lack.
  const options = { method: "POST", headers, body, duplex: "half" } as RequestInit;
  return new Request("http://here.invalid/", options);
};

/** A recovery that records its files and errors. */
const recordingHandler = () => {
  const found: string[] = [];
  const errors: unknown[] = [];
  const recovery: PartialUploadHandler = {
    keep: async ({ path }, fields) => {
      found.push(`${fields.get("account")}: ${readFileSync(path, "utf8")}`);
    },
    onError: (error) => errors.push(error),
  };
  return { found, errors, recovery };
};

const PARTS: Part[] = [ACCOUNT, FIRST, SECOND, HALF, untilTwo];
const WHOLE = ["acc_a: the first image", "acc_a: the second one"];
const FOURTH = `${fileHead("image4")}x`;

test.each<[string, Part[], string[], string]>([
  ["broke off", [...PARTS, cut], WHOLE, "The upload was interrupted."],
  ["ended early", PARTS, WHOLE, "The multipart body is incomplete or malformed."],
  ["names two parts alike", [...PARTS, FIRST, END], [], "Each part of the body needs a unique name"],
  [
    "names two parts alike and breaks off",
    [...PARTS, FIRST, "x", cut],
    [],
    "Each part of the body needs a unique name",
  ],
  ["has too many files", [...PARTS, FOURTH, `${fileHead("image5")}x`, END], [], "At most 4 files"],
  ["is too large", [...PARTS, "x".repeat(2_000)], [], "At most 0.002 MB"],
])("R-BULK-08 an upload that %s is recovered only when it was interrupted", async (_, parts, whole, message) => {
  const { found, errors, recovery } = recordingHandler();
  await expect(receiveUpload(requestOf(parts), RULES, "usr_a", recovery)).rejects.toThrow(message);
  // Both are written at the same time, so either may finish first.
  expect([found.toSorted(), errors, readdirSync(folder)]).toEqual([whole, [], []]);
});

test("R-BULK-08 a failed recovery is reported separately and stops", async () => {
  const { errors, recovery } = recordingHandler();
  let tried = 0;
  const full = new Error("The storage is full.");
  const keep = () => {
    tried += 1;
    return Promise.reject(full);
  };
  const received = receiveUpload(requestOf([...PARTS, cut]), RULES, "usr_a", { ...recovery, keep });
  await expect(received).rejects.toMatchObject({ code: "invalid", message: "The upload was interrupted." });
  expect([tried, errors, readdirSync(folder)]).toEqual([1, [full], []]);
});

test("R-BULK-08 keeps reading a resumed upload while its images are recovered", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { recovery } = recordingHandler();
  const stalled = Promise.withResolvers<void>();
  const resume = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  // Two files are complete when the third begins. Polling does not work with the fake timers.
  const parts = [ACCOUNT, FIRST, SECOND, HALF, stalled.resolve, () => resume.promise, "age", ended.resolve];
  const request = requestOf(parts);
  let saved = 0;
  const keep = async () => {
    resume.resolve();
    await ended.promise;
    saved += 1;
  };
  const refused = expect(receiveUpload(request, RULES, "usr_a", { ...recovery, keep })).rejects.toThrow("interrupted");
  await stalled.promise;
  await vi.advanceTimersByTimeAsync(30_000);
  await refused;
  expect([saved, readdirSync(folder)]).toEqual([2, []]);
});

test("R-BULK-08 releases each recovered image's space; the user's next upload stops the recovery", async () => {
  const { found, recovery } = recordingHandler();
  const reached = Promise.withResolvers<void>();
  const resume = Promise.withResolvers<void>();
  const keep: PartialUploadHandler["keep"] = async (file, fields) => {
    await recovery.keep(file, fields);
    if (found.length < 2) return;
    reached.resolve();
    await resume.promise;
  };
  const texts = [ACCOUNT, FIRST, SECOND, `${fileHead("image3")}the third`, fileHead("image4")];
  const third = () =>
    expect.poll(() => readdirSync(folder).some((name) => existsSync(join(folder, name, "2")))).toBe(true);
  const request = requestOf([...texts, untilTwo, third, cut]);
  const refused = expect(receiveUpload(request, RULES, "usr_a", { ...recovery, keep })).rejects.toThrow("interrupted");
  await reached.promise;
  const other = await openSpool("usr_a");
  const freeBytes = SPOOL_BYTES_EACH - texts.join("").length + "the first image".length;
  expect([other.reserve(freeBytes + 1), other.reserve(freeBytes)]).toEqual([false, true]);
  await other.discard();
  const next = await receiveUpload(requestOf([FIRST, END]), RULES, "usr_a", recovery);
  resume.resolve();
  await refused;
  expect(found).toEqual(WHOLE);
  await next.discard();
  const all = await openSpool("usr_a");
  expect([all.reserve(SPOOL_BYTES_EACH), all.reserve(1)]).toEqual([true, false]);
  await all.discard();
});
