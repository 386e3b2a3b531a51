import { eq } from "drizzle-orm";
import sharp from "sharp";
import { beforeAll, describe, expect, test } from "vitest";
import { pins } from "#db/schema/pins.ts";
import { imageRights } from "#db/schema/sites.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { TEXTS } from "#lib/features/generation/constants.ts";
import { startGeneration } from "#lib/features/generation/groups.ts";
import { exportData } from "#lib/features/privacy/export.ts";
import { confirmImageRights, findConfirmedSites } from "#lib/features/sites/rights.ts";
import { photo, png } from "#tests/support/sample-images.ts";
import type { Creator } from "./generation-harness.ts";
import { IMAGES } from "./generation-harness.ts";
import { sitesSetup } from "./sites-harness.ts";

const { setup, origin, serve, requests } = sitesSetup();

let wide: Buffer;
let small: Buffer;
const COLORS = ["red", "lime", "blue"];
/** Told apart by their color, also once they are a pin's. */
let colored: Record<string, ReturnType<typeof jpeg>>;

beforeAll(async () => {
  wide = await photo(1_200, 800);
  const plain = (background: string) => sharp({ create: { width: 800, height: 1_200, channels: 3, background } });
  const files = await Promise.all(COLORS.map((color) => plain(color).jpeg().toBuffer()));
  colored = Object.fromEntries(COLORS.map((color, at) => [`/${color}.jpg`, jpeg(files[at] ?? wide)]));
  small = await png(120, 120);
});

const TEXT = `<p>${"A mug for ferns, made by hand. ".repeat(5)}</p>`;

const pageWith = (...images: string[]): string =>
  `<title>Fern mug</title><meta property="og:image" content="${images[0]}">${images
    .slice(1)
    .map((image) => `<img src="${image}">`)
    .join("")}${TEXT}`;

const jpeg = (body: Buffer) => ({ headers: { "content-type": "image/jpeg" }, body });

const start = async (quality: "standard" | "high" = "standard", credits = 0) => {
  const creator = await setup.insertCreator(credits);
  const url = `${origin()}/mug`;
  await confirmImageRights(creator.ctx, { urls: [url] });
  const rows = [{ keyword: "fern mug", url, imageSource: "page" as const }];
  const { groupId } = await setup.start(creator, [], { rows, quality });
  const [task] = await setup.tasksOf(groupId);
  if (!task) throw new Error("The group has no task.");
  return { creator, taskId: task.id };
};

/** The colors of the images that tasks get, in their order; null for one that fails. */
const drawn = async ({ ctx }: Creator, groupId: string): Promise<(string | null)[]> => {
  const colors: (string | null)[] = [];
  for (const { id } of await setup.tasksOf(groupId)) {
    const { imageKey } = await setup.drive(id);
    const stored = imageKey === null ? null : await ctx.storage.get(imageKey);
    const channels = stored ? (await sharp(stored).stats()).channels.map(({ mean }) => mean) : [];
    colors.push(COLORS[channels.indexOf(Math.max(...channels))] ?? null);
  }
  return colors;
};

const pinsOf = ({ ctx, userId }: Creator) => ctx.db.select().from(pins).where(eq(pins.userId, userId));

describe("the user's word for a site's images", () => {
  test("is needed before anything is reserved, once per site, and keeps its first date", async () => {
    const creator = await setup.insertCreator();
    const rows = [{ keyword: "fern mug", url: `${origin()}/mug`, imageSource: "page" as const }];
    await expect(setup.start(creator, [], { rows })).rejects.toMatchObject({
      ...{ code: "refused", message: expect.stringContaining(new URL(origin()).hostname) },
    });
    // The month's credits come with the first use.
    expect(await setup.buckets(creator)).toEqual([0, 0, 0]);
    await confirmImageRights(creator.ctx, { urls: [`${origin()}/mug`, `${origin()}/other`] });
    const dates = () => creator.ctx.db.select().from(imageRights).where(eq(imageRights.userId, creator.userId));
    const before = await dates();
    await confirmImageRights(creator.ctx, { urls: [`${origin()}/mug`] });
    expect(await dates()).toEqual(before);
    expect(before).toHaveLength(1);
    expect((await setup.start(creator, [], { rows })).totalTasks).toBe(1);
    expect(await findConfirmedSites((await setup.insertCreator()).ctx)).toEqual([]);
    let text = "";
    for await (const piece of await exportData(creator.ctx)) text += piece;
    expect(JSON.parse(text).image_rights).toEqual([
      { site: new URL(origin()).hostname, confirmed_at: expect.any(String) },
    ]);
  });
});

test("without credits, the warning names the price of the text, which is the same in each quality", async () => {
  const creator = await setup.insertCreator();
  await setup.start(creator, ["1", "2", "3", "4", "5"]);
  const url = `${origin()}/mug`;
  await confirmImageRights(creator.ctx, { urls: [url] });
  const rows = [{ keyword: "fern mug", url, imageSource: "page" as const }];
  const input = { accountId: creator.accountId, boardId: "12345", quality: "high" as const, rows };
  expect(await startGeneration(creator.ctx, input)).toEqual({
    kind: "nothing_affordable",
    warning: "You have 0 credits, but a pin at this quality costs 1. Nothing was generated.",
  });
});

describe("a page's own image", () => {
  test("becomes the pin's, whole in its shape, unmarked, for the price of its text", async () => {
    serve({ "/mug": pageWith("/mug.jpg"), "/mug.jpg": jpeg(wide) });
    const before = await setup.calls(IMAGES);
    const { creator, taskId } = await start("high", 4);
    expect(await setup.drive(taskId)).toMatchObject({ status: "SUCCESS", costCredits: 1, imageMs: null });
    const [pin] = await pinsOf(creator);
    expect(pin).toMatchObject({ source: "manual", link: `${origin()}/mug` });
    const stored = await creator.ctx.storage.get(pin?.imageKey ?? "");
    const { width, height, xmp } = await sharp(stored ?? Buffer.alloc(0)).metadata();
    const { widthPx, heightPx } = creator.ctx.settings.pinCanvas;
    expect([width, height, xmp]).toEqual([widthPx, heightPx, undefined]);
    expect(await setup.calls(IMAGES)).toBe(before);
    expect(await setup.buckets(creator)).toEqual([4, 4, 0]);
  });

  test("is the next one where the first is too small, broken, or gone", async () => {
    serve({
      "/mug": pageWith("/logo.png", "/broken.jpg", "/mug.jpg"),
      "/logo.png": { headers: { "content-type": "image/png" }, body: small },
      "/broken.jpg": jpeg(wide.subarray(0, 900)),
      "/mug.jpg": jpeg(wide),
    });
    const { taskId } = await start();
    expect(await setup.drive(taskId)).toMatchObject({ status: "SUCCESS" });
  });

  test("is another one for each pin of a keyword, as long as the page has some", async () => {
    const images = ["/logo.png", "/red.jpg", "/gone.jpg", "/lime.jpg"];
    serve({
      ...{ "/mug": pageWith(...images), ...colored },
      "/logo.png": { headers: { "content-type": "image/png" }, body: small },
    });
    const creator = await setup.insertCreator();
    const url = `${origin()}/mug`;
    await confirmImageRights(creator.ctx, { urls: [url] });
    const rows = [{ keyword: "fern mug", url, imageSource: "page" as const }];
    const { groupId } = await setup.start(creator, [], { rows, variants: 4 });
    expect(await drawn(creator, groupId)).toEqual(["red", "lime", "red", "lime"]);
    // Each is judged once, by the first pins that need it, and loaded again for later ones.
    const loads = requests().filter(({ url = "" }) => images.includes(url));
    expect(loads.length).toBeLessThanOrEqual(images.length + 2);
  });

  test("is another one for each row of a generation with the same link, next to rows with generated images", async () => {
    serve({
      "/mug": pageWith(...Object.keys(colored)),
      "/bowl": pageWith("/blue.jpg", "/red.jpg"),
      ...colored,
    });
    const creator = await setup.insertCreator();
    const [mug, bowl] = [`${origin()}/mug`, `${origin()}/bowl`];
    await confirmImageRights(creator.ctx, { urls: [mug] });
    const rows = [
      { keyword: "fern mug", url: mug, imageSource: "page" as const },
      { keyword: "green mug", url: mug },
      { keyword: "clay bowl", url: bowl, imageSource: "page" as const },
      { keyword: "clay mug", url: mug, imageSource: "page" as const },
      { keyword: "gift mug", url: mug, imageSource: "page" as const },
    ];
    const { groupId } = await setup.start(creator, [], { rows });
    const [first, , ...others] = await drawn(creator, groupId);
    // The second one is generated.
    expect([first, ...others]).toEqual(["red", "blue", "lime", "blue"]);
  });

  test("is another one for a new pin of a link that has pins already, of whatever keyword", async () => {
    serve({ "/mug": pageWith("/red.jpg", "/lime.jpg"), ...colored });
    const creator = await setup.insertCreator();
    const url = `${origin()}/mug`;
    await confirmImageRights(creator.ctx, { urls: [url] });
    const make = async (keyword: string) => {
      const rows = [{ keyword, url, imageSource: "page" as const }];
      const { groupId } = await setup.start(creator, [], { rows });
      return drawn(creator, groupId);
    };
    expect(await make("fern mug")).toEqual(["red"]);
    await creator.ctx.db.update(pins).set({ status: "published" }).where(eq(pins.userId, creator.userId));
    expect(await setup.harness.later(MINUTE_MS, () => make("fern mug"))).toEqual(["lime"]);
    expect(await setup.harness.later(2 * MINUTE_MS, () => make("clay mug"))).toEqual(["red"]);
  });

  test.each([
    ["too small", pageWith("/logo.png"), TEXTS.pageImageSmall],
    ["missing", `<title>Fern mug</title>${TEXT}`, TEXTS.pageImageMissing],
    ["private", pageWith("http://127.0.0.1:1/a.jpg"), TEXTS.pageImageGone],
    ["not on a page that can be read", "<input type=password> Sign in", TEXTS.pageImageUnread],
  ])("that is %s fails the pin with the reason, once, and its credit returns", async (_name, page, reason) => {
    serve({ "/mug": page, "/logo.png": { headers: { "content-type": "image/png" }, body: small } });
    const { creator, taskId } = await start();
    expect(await setup.drive(taskId)).toMatchObject({ status: "FAILURE", reason: expect.stringContaining(reason) });
    expect(await setup.drive(taskId)).toMatchObject({ status: "FAILURE" });
    expect(await setup.buckets(creator)).toEqual([5, 0, 0]);
    expect(await pinsOf(creator)).toEqual([]);
  });

  test.each([503, 404])(
    "that answers %i when a later pin needs it gives way to another one of the page",
    async (status) => {
      serve({ "/mug": pageWith("/red.jpg", "/lime.jpg"), ...colored });
      const creator = await setup.insertCreator();
      const url = `${origin()}/mug`;
      await confirmImageRights(creator.ctx, { urls: [url] });
      const rows = [{ keyword: "fern mug", url, imageSource: "page" as const }];
      const { groupId } = await setup.start(creator, [], { rows, variants: 3 });
      const [first, second, third] = await setup.tasksOf(groupId);
      for (const task of [first, second]) await setup.drive(task?.id ?? "");
      serve({ "/red.jpg": { status } });
      expect(await setup.drive(third?.id ?? "")).toMatchObject({ status: "SUCCESS" });
      expect(await drawn(creator, groupId)).toEqual(["red", "lime", "lime"]);
    },
  );

  test.each([503, 429])("that a server fails to send with %i is tried again", async (status) => {
    serve({ "/mug": pageWith("/mug.jpg"), "/mug.jpg": { status } });
    const { taskId } = await start();
    expect(await setup.drive(taskId)).toMatchObject({ status: "FAILURE", reason: TEXTS.pageImageGone });
    expect(requests().filter(({ url }) => url === "/mug.jpg")).toHaveLength(3);
  });
});
