import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { AppError } from "#lib/core/errors.ts";
import { receiveUpload, type UploadRules } from "#lib/server/upload.ts";
import { openSpool, SPOOL_BYTES_EACH, SPOOL_BYTES_MAX } from "#lib/server/upload-files.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

// A separate temporary folder, because other tests upload at the same time.
const folder = mkdtempSync(join(tmpdir(), "upload-test-"));
vi.stubEnv("TMPDIR", folder);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const linkOf = (path: string): string => {
  try {
    return readlinkSync(path);
  } catch (error) {
    // The descriptor of the listing itself, which is closed by now.
    if (error instanceof Error) return "";
    throw error;
  }
};

/** Leftovers of uploads: folders, and files still open, whose space stays in use even when removed. */
const leftovers = (): string[] => {
  const open = readdirSync("/proc/self/fd").map((fd) => linkOf(`/proc/self/fd/${fd}`));
  return [...readdirSync(folder), ...open.filter((path) => path.startsWith(folder))];
};

const RULES: UploadRules = {
  isFile: (name) => name === "image",
  fileBytesMax: 32_000_000,
  filesMax: 1,
  totalBytesMax: 100_000_000,
  tooLargeText: "Too large.",
};
const CHUNK = 64_000;
const NEXT = "\r\n--x";
const HEAD = '\r\ncontent-disposition: form-data; name="image"; filename="a"\r\n\r\n';
const text = (words: string) => new TextEncoder().encode(words);

interface Body {
  request: Request;
  /** Number of sent chunks that are still in memory. */
  living: () => number;
}

const requestOf = (body: ReadableStream<Uint8Array>): Request => {
  const headers = { "content-type": "multipart/form-data; boundary=x" };
  // A stream as body requires `duplex`, which the types lack.
  const options = { method: "POST", headers, body, duplex: "half" } as RequestInit;
  return new Request("http://here.invalid/", options);
};

/** A multipart body with one file of n chunks; `at` is called before each. */
const bodyOf = (chunks: number, at: (chunk: number) => unknown = () => {}, tail = `${NEXT}--\r\n`): Body => {
  const sent: WeakRef<ArrayBufferLike>[] = [];
  let made = -1;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        made += 1;
        if (made === 0) {
          return controller.enqueue(text(`--x${HEAD}`));
        }
        await at(made);
        if (made > chunks) {
          controller.enqueue(text(tail));
          return controller.close();
        }
        const bytes = new Uint8Array(randomBytes(CHUNK));
        sent.push(new WeakRef(bytes.buffer));
        controller.enqueue(bytes);
      },
    },
    { highWaterMark: 0 },
  );
  return {
    request: requestOf(body),
    living: () => {
      collect();
      return sent.filter((one) => one.deref() !== undefined).length;
    },
  };
};

describe("an upload", () => {
  test("R-BULK-08 does not keep the body in memory", async () => {
    let living = Number.NaN;
    const body = bodyOf(300, (chunk) => {
      if (chunk === 300) living = body.living();
    });
    const { files, discard } = await receiveUpload(body.request, RULES, "usr_b");
    expect(files.get("image")?.bytes).toBe(300 * CHUNK);
    expect(living).toBeLessThan(60);
    await discard();
  });

  /** Reserves all disk space of the process except for this much, for several users. */
  const takeAllBut = async (bytes: number) => {
    const spools = await Promise.all(["usr_c", "usr_d", "usr_e", "usr_f"].map(openSpool));
    const [last, ...others] = spools;
    for (const spool of others) expect(spool.reserve(SPOOL_BYTES_EACH)).toBe(true);
    expect(last?.reserve(SPOOL_BYTES_MAX - 3 * SPOOL_BYTES_EACH - bytes)).toBe(true);
    return {
      discard: async () => {
        for (const spool of spools) await spool.discard();
      },
    };
  };

  test("R-BULK-08 limits the disk space of a process and releases it", async () => {
    const others = await takeAllBut(3 * CHUNK);
    await expect(receiveUpload(bodyOf(10).request, RULES, "usr_b")).rejects.toMatchObject({
      code: "too_many",
      status: 429,
      retryAfterSeconds: 60,
    });
    expect(readdirSync(folder)).toHaveLength(4);
    const more = await openSpool("usr_b");
    expect([more.reserve(4 * CHUNK), more.reserve(3 * CHUNK), more.reserve(1)]).toEqual([false, true, false]);
    await more.discard();
    await more.discard();
    expect(existsSync(more.dir)).toBe(false);
    await others.discard();
    const { discard } = await receiveUpload(bodyOf(10).request, RULES, "usr_b");
    await discard();
    await (await takeAllBut(0)).discard();
  });

  test("is refused before its first part when it isn't admitted, and leaves no file", async () => {
    const admit = () => Promise.reject(new AppError("wrong_state"));
    const body = bodyOf(2);
    await expect(receiveUpload(body.request, { ...RULES, admit }, "usr_b")).rejects.toMatchObject({
      code: "wrong_state",
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test("R-BULK-08 limits the disk space of a user", async () => {
    const [first, second] = [await openSpool("usr_a"), await openSpool("usr_a")];
    expect([first.reserve(SPOOL_BYTES_EACH - CHUNK), second.reserve(CHUNK), second.reserve(1)]).toEqual([
      true,
      true,
      false,
    ]);
    await expect(receiveUpload(bodyOf(10).request, RULES, "usr_a")).rejects.toMatchObject({ code: "too_many" });
    const { discard } = await receiveUpload(bodyOf(10).request, RULES, "usr_b");
    await discard();
    await first.discard();
    expect(second.reserve(SPOOL_BYTES_EACH - CHUNK)).toBe(true);
    await second.discard();
  });

  test("R-BULK-08 aborts an upload without data for half a minute and releases its space", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const stalled = Promise.withResolvers<void>();
    const body = bodyOf(20, (chunk) => {
      if (chunk < 10) return null;
      stalled.resolve();
      return new Promise(() => {});
    });
    const refused = expect(receiveUpload(body.request, RULES, "usr_b")).rejects.toMatchObject({ code: "invalid" });
    await stalled.promise;
    await vi.advanceTimersByTimeAsync(29_000);
    expect(leftovers()).not.toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    await expect.poll(leftovers).toEqual([]);
    await vi.advanceTimersByTimeAsync(30_000);
    await refused;
  });

  const cut = (chunk: number) => {
    if (chunk === 10) throw new Error("The connection was cut.");
  };
  const whole = () => {};
  const end = `${NEXT}--\r\n`;
  test.each<[string, Body, Partial<UploadRules>, string]>([
    ["breaks off in the middle", bodyOf(20, cut), {}, "invalid"],
    ["ends without its end", bodyOf(20, whole, ""), {}, "invalid"],
    ["has too large a file", bodyOf(20), { fileBytesMax: 5 * CHUNK }, "too_large"],
    ["is too large", bodyOf(20), { totalBytesMax: 5 * CHUNK }, "too_large"],
    ["names two files alike", bodyOf(20, whole, `${NEXT}${HEAD}more${end}`), { filesMax: 2 }, "invalid"],
    ["names two files alike and has no end", bodyOf(20, whole, `${NEXT}${HEAD}more`), { filesMax: 2 }, "invalid"],
    ["has too many files", bodyOf(20, whole, `${NEXT}${HEAD}more${end}`), {}, "invalid"],
  ])("R-BULK-08 an upload that %s is rejected and leaves no folder or open file", async (_, body, rules, code) => {
    await expect(receiveUpload(body.request, { ...RULES, ...rules }, "usr_b")).rejects.toMatchObject({ code });
    expect(leftovers()).toEqual([]);
  });

  test("R-BULK-08 a disk error is an internal error and leaves no open file", async () => {
    const body = bodyOf(20, (chunk) => {
      if (chunk === 1) for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
    });
    await expect(receiveUpload(body.request, RULES, "usr_b")).rejects.toMatchObject({ code: "internal" });
    expect(leftovers()).toEqual([]);
  });

  test("R-BULK-08 rejects text fields that are too large in total", async () => {
    const texts = (count: number) => {
      const form = new FormData();
      for (let n = 0; n < count; n++) form.set(`text${n}`, "é".repeat(250_000));
      return new Request("http://here.invalid/", { method: "POST", body: form });
    };
    const rules = { ...RULES, filesMax: 100 };
    const { fields, discard } = await receiveUpload(texts(4), rules, "usr_b");
    expect(fields.size).toBe(4);
    await discard();
    await expect(receiveUpload(texts(5), rules, "usr_b")).rejects.toMatchObject({
      code: "too_large",
      message: "Text fields can't be larger than 2 MB in total.",
    });
    expect(leftovers()).toEqual([]);
  });

  test("R-BULK-08 an upload without disk space leaves no folder or open file", async () => {
    const others = await takeAllBut(5 * CHUNK);
    await expect(receiveUpload(bodyOf(20).request, RULES, "usr_b")).rejects.toMatchObject({ code: "too_many" });
    await others.discard();
    expect(leftovers()).toEqual([]);
  });

  test("R-BULK-08 discarding removes all files", async () => {
    const { discard } = await receiveUpload(bodyOf(20).request, RULES, "usr_b");
    expect(leftovers()).toHaveLength(1);
    await discard();
    expect(leftovers()).toEqual([]);
  });
});
