import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { receiveUpload, type UploadRules } from "#lib/server/upload.ts";
import { openSpool, SPOOL_BYTES_EACH, SPOOL_BYTES_MAX } from "#lib/server/upload-files.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

// A place of its own: other tests send images at the same time.
const place = mkdtempSync(join(tmpdir(), "upload-test-"));
vi.stubEnv("TMPDIR", place);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(place, { recursive: true });
});

const linkOf = (path: string): string => {
  try {
    return readlinkSync(path);
  } catch (error) {
    // The listing's own, closed by now.
    if (error instanceof Error) return "";
    throw error;
  }
};

/** What uploads left: folders, and files that are still open, whose room stays taken even when they are removed. */
const leftovers = (): string[] => {
  const open = readdirSync("/proc/self/fd").map((fd) => linkOf(`/proc/self/fd/${fd}`));
  return [...readdirSync(place), ...open.filter((path) => path.startsWith(place))];
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
  /** What was sent and is still in memory, of so many chunks. */
  living: () => number;
}

const requestOf = (body: ReadableStream<Uint8Array>): Request => {
  const headers = { "content-type": "multipart/form-data; boundary=x" };
  // The types do not know `duplex`, without which a stream is no body.
  const options = { method: "POST", headers, body, duplex: "half" } as RequestInit;
  return new Request("http://here.invalid/", options);
};

/** A multipart body with one file of so many chunks; `at` is called before each. */
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

describe("QUALITY §2 an upload", () => {
  test("R-BULK-08 nothing of a body stays in memory while it arrives", async () => {
    let living = Number.NaN;
    const body = bodyOf(300, (chunk) => {
      if (chunk === 300) living = body.living();
    });
    const { files, discard } = await receiveUpload(body.request, RULES, "usr_b");
    expect(files.get("image")?.bytes).toBe(300 * CHUNK);
    expect(living).toBeLessThan(60);
    await discard();
  });

  /** Takes all room of the process but so much, for several users. */
  const takeAllBut = async (bytes: number) => {
    const spools = await Promise.all(["usr_c", "usr_d", "usr_e", "usr_f"].map(openSpool));
    const [last, ...others] = spools;
    for (const spool of others) expect(spool.take(SPOOL_BYTES_EACH)).toBe(true);
    expect(last?.take(SPOOL_BYTES_MAX - 3 * SPOOL_BYTES_EACH - bytes)).toBe(true);
    return {
      discard: async () => {
        for (const spool of spools) await spool.discard();
      },
    };
  };

  test("R-BULK-08 the uploads of a process have so much room on the disk, and get it back", async () => {
    const others = await takeAllBut(3 * CHUNK);
    await expect(receiveUpload(bodyOf(10).request, RULES, "usr_b")).rejects.toMatchObject({
      code: "too_many",
      status: 429,
      retryAfterSeconds: 60,
    });
    expect(readdirSync(place)).toHaveLength(4);
    const more = await openSpool("usr_b");
    expect([more.take(4 * CHUNK), more.take(3 * CHUNK), more.take(1)]).toEqual([false, true, false]);
    await more.discard();
    await more.discard();
    expect(existsSync(more.dir)).toBe(false);
    await others.discard();
    const { discard } = await receiveUpload(bodyOf(10).request, RULES, "usr_b");
    await discard();
    await (await takeAllBut(0)).discard();
  });

  test("R-BULK-08 one user's uploads leave room for those of others", async () => {
    const [first, second] = [await openSpool("usr_a"), await openSpool("usr_a")];
    expect([first.take(SPOOL_BYTES_EACH - CHUNK), second.take(CHUNK), second.take(1)]).toEqual([true, true, false]);
    await expect(receiveUpload(bodyOf(10).request, RULES, "usr_a")).rejects.toMatchObject({ code: "too_many" });
    const { discard } = await receiveUpload(bodyOf(10).request, RULES, "usr_b");
    await discard();
    await first.discard();
    expect(second.take(SPOOL_BYTES_EACH - CHUNK)).toBe(true);
    await second.discard();
  });

  test("R-BULK-08 an upload of which nothing comes for half a minute gives its room back, and is refused", async () => {
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
    if (chunk === 10) throw new Error("The line was cut.");
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
  ])("R-BULK-08 what %s is refused, and leaves no folder and no open file", async (_, body, rules, code) => {
    await expect(receiveUpload(body.request, { ...RULES, ...rules }, "usr_b")).rejects.toMatchObject({ code });
    expect(leftovers()).toEqual([]);
  });

  test("R-BULK-08 what our disk does not take is our fault, and leaves no open file", async () => {
    const body = bodyOf(20, (chunk) => {
      if (chunk === 1) for (const name of readdirSync(place)) rmSync(join(place, name), { recursive: true });
    });
    await expect(receiveUpload(body.request, RULES, "usr_b")).rejects.toMatchObject({ code: "internal" });
    expect(leftovers()).toEqual([]);
  });

  test("R-BULK-08 texts that are each small enough are refused when they are too much together", async () => {
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
      message: "The texts may have at most 2 MB together.",
    });
    expect(leftovers()).toEqual([]);
  });

  test("R-BULK-08 what finds no room leaves no folder and no open file", async () => {
    const others = await takeAllBut(5 * CHUNK);
    await expect(receiveUpload(bodyOf(20).request, RULES, "usr_b")).rejects.toMatchObject({ code: "too_many" });
    await others.discard();
    expect(leftovers()).toEqual([]);
  });

  test("R-BULK-08 what was taken is gone when it is discarded", async () => {
    const { discard } = await receiveUpload(bodyOf(20).request, RULES, "usr_b");
    expect(leftovers()).toHaveLength(1);
    await discard();
    expect(leftovers()).toEqual([]);
  });
});
