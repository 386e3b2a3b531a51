import { eq } from "drizzle-orm";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { brandKits } from "#db/schema/branding.ts";
import { users } from "#db/schema/identity.ts";
import { pins } from "#db/schema/pins.ts";
import type { BrandColors } from "#lib/core/images.ts";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { PALETTES } from "#lib/features/branding/constants.ts";
import { readBranding, removeLogo, saveKit, storeLogo } from "#lib/features/branding/kit.ts";
import { previewTemplatesInput, saveKitInput } from "#lib/features/branding/schema.ts";
import { applyTemplate, previewTemplates } from "#lib/features/branding/templates.ts";
import { purgeImages } from "#lib/features/generation/images.ts";
import { exportData } from "#lib/features/privacy/export.ts";
import { removeAccount } from "#lib/features/publishing/queue.ts";
import { connectAccount } from "#tests/support/connect-account.ts";
import { png } from "#tests/support/sample-images.ts";
import { brandingIn, templateInput } from "./branding-harness.ts";
import { erase, leave } from "./privacy-harness.ts";
import { type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();
const { draft, upload, imageStateOf, stored, orphans } = brandingIn(setup);

/** Adds an account to a user whose plan allows it. */
const secondAccount = async ({ ctx, userId }: Creator) => {
  await ctx.db.update(users).set({ plan: "pro" }).where(eq(users.id, userId));
  return connectAccount(ctx, setup.pinterest);
};

const PLUM: BrandColors = { panel: "#f6eef4", words: "#3a1f38", accent: "#7a3b74" };
const code = (expected: string) => expect.objectContaining({ code: expected });
const kitOf = async ({ ctx, account }: Creator) => (await readBranding(ctx, { accountId: account.id, pinIds: [] })).kit;
const rowsOf = ({ ctx, account }: Creator) =>
  ctx.db.select().from(brandKits).where(eq(brandKits.accountId, account.id));

const preview = (accountId: string, pinId: string | null, change: object = {}) =>
  previewTemplatesInput.parse({
    accountId,
    pinId,
    templates: ["label"],
    words: null,
    signature: "",
    hasLogo: false,
    ...change,
  });

describe("a brand kit", () => {
  test("is the default palette until one is saved; each account has its own", async () => {
    const creator = await setup.insertCreator();
    const second = { ...creator, account: await secondAccount(creator) };
    const first = { colours: PALETTES[0]?.colors, font_pairing: "reading", logo_url: null };
    expect(await kitOf(creator)).toEqual({ account_id: creator.account.id, ...first });
    expect(await rowsOf(creator)).toEqual([]);
    const said = await saveKit(creator.ctx, { accountId: creator.account.id, colors: PLUM, fontPairing: "poster" });
    expect(said).toEqual({ account_id: creator.account.id, colours: PLUM, font_pairing: "poster", logo_url: null });
    expect(await kitOf(creator)).toEqual(said);
    expect(await kitOf(second)).toEqual({ account_id: second.account.id, ...first });
  });

  test.each<[string, object]>([
    ["three digits", { colors: { ...PLUM, panel: "#fff" } }],
    ["a name", { colors: { ...PLUM, words: "plum" } }],
    ["something to draw with", { colors: { ...PLUM, accent: "url(https://x.example)" } }],
    ["two colors", { colors: { panel: "#ffffff", words: "#000000" } }],
    ["no text", { colors: { ...PLUM, panel: 16_777_215 } }],
    ["fonts that nobody has", { fontPairing: "comic" }],
    ["no account", { accountId: "" }],
  ])("%s is not a kit", (_, change) => {
    const good = { accountId: "acc_a", colors: PLUM, fontPairing: "quiet" };
    expect(saveKitInput.safeParse(good).success).toBe(true);
    expect(saveKitInput.safeParse({ ...good, ...change }).success).toBe(false);
  });

  test("R-API-31 another user's, a missing and a removed account are not found by any call", async () => {
    const [creator, stranger] = [await setup.insertCreator(), await setup.insertCreator()];
    const theirs = await draft(stranger);
    const mine = await draft(creator);
    const removed = await secondAccount(creator);
    await removeAccount(creator.ctx, { accountId: removed.id });
    await saveKit(stranger.ctx, { accountId: stranger.account.id, colors: PLUM, fontPairing: "quiet" });
    const before = await rowsOf(stranger);
    const file = await png(40, 20);
    for (const accountId of [stranger.account.id, "acc_00000000000000000000000000", "' or 1=1 --", removed.id]) {
      const kit = { accountId, colors: PLUM, fontPairing: "poster" as const };
      const calls = [
        readBranding(creator.ctx, { accountId, pinIds: [theirs] }),
        saveKit(creator.ctx, kit),
        storeLogo(creator.ctx, { accountId, logo: upload(file) }),
        removeLogo(creator.ctx, { accountId }),
        previewTemplates(creator.ctx, preview(accountId, null)),
      ];
      for (const one of await Promise.allSettled(calls)) {
        expect(one).toEqual({ status: "rejected", reason: code("not_found") });
      }
    }
    await expect(previewTemplates(creator.ctx, preview(creator.account.id, theirs))).rejects.toEqual(code("not_found"));
    const { pins: shown } = await readBranding(creator.ctx, { accountId: creator.account.id, pinIds: [theirs, mine] });
    expect(shown.map(({ id }) => id)).toEqual([mine]);
    expect(await rowsOf(stranger)).toEqual(before);
  });

  test("concurrent saves leave one complete kit; a logo that is saved in the meantime is kept", async () => {
    const creator = await setup.insertCreator();
    const accountId = creator.account.id;
    const kits = PALETTES.map(({ colors }, n) => ({
      accountId,
      colors,
      fontPairing: n % 2 ? ("poster" as const) : ("quiet" as const),
    }));
    const logo = upload(await png(40, 20));
    await Promise.all([...kits.map((flag) => saveKit(creator.ctx, flag)), storeLogo(creator.ctx, { accountId, logo })]);
    const { colours, font_pairing, logo_url } = await kitOf(creator);
    expect(kits).toContainEqual({ accountId, colors: colours, fontPairing: font_pairing });
    expect(logo_url).toMatch(/^\/api\/images\/signed\/\d+\/[\w-]{22}\/logos\/[0-9a-f]{40}\.png$/);
    expect(await rowsOf(creator)).toHaveLength(1);
  });

  test("fonts that no longer exist fall back to the default, and templates to none", async () => {
    const creator = await setup.insertCreator();
    const pin = await draft(creator);
    await saveKit(creator.ctx, { accountId: creator.account.id, colors: PLUM, fontPairing: "poster" });
    await creator.ctx.db
      .update(brandKits)
      .set({ fontPairing: "gone" })
      .where(eq(brandKits.accountId, creator.account.id));
    await creator.ctx.db
      .update(pins)
      .set({ template: { id: "gone" } })
      .where(eq(pins.id, pin));
    const { kit, pins: shown } = await readBranding(creator.ctx, { accountId: creator.account.id, pinIds: [pin] });
    expect([kit.font_pairing, shown[0]?.template]).toEqual(["reading", null]);
  });
});

describe("preview-templates", () => {
  test("draws all eight on the pin's base image with their contrast, and stores nothing", async () => {
    const creator = await setup.insertCreator();
    const pin = await draft(creator);
    await applyTemplate(creator.ctx, templateInput([pin], { template: "arch" }));
    const before = [await imageStateOf(pin), await orphans(), await rowsOf(creator)];
    const templates = ["label", "band", "slip", "veil", "frame", "arch", "disc", "strips"];
    const shown = await previewTemplates(creator.ctx, preview(creator.account.id, pin, { templates }));
    expect(shown).toMatchObject({ words: "Slow Sunday bread", missing: [], is_shortened: false });
    expect(shown.previews.map(({ template }) => template)).toEqual(templates);
    for (const { image, contrast } of shown.previews) {
      expect(contrast).toBeGreaterThanOrEqual(4.5);
      const webp = Buffer.from(image.replace("data:image/webp;base64,", ""), "base64");
      expect(await sharp(webp).metadata()).toMatchObject({ format: "webp", width: 180, height: 280 });
    }
    expect(new Set(shown.previews.map(({ image }) => image)).size).toBe(8);
    expect([await imageStateOf(pin), await orphans(), await rowsOf(creator)]).toEqual(before);
  });

  test("an unsaved kit can be previewed; without any pin it uses the sample image", async () => {
    const creator = await setup.insertCreator();
    const imageWith = async (change: object) =>
      (await previewTemplates(creator.ctx, preview(creator.account.id, null, change))).previews[0]?.image;
    const images = [
      await imageWith({}),
      await imageWith({ colors: PLUM }),
      await imageWith({ colors: PLUM, fontPairing: "poster" }),
    ];
    expect(new Set(images).size).toBe(3);
    expect(await rowsOf(creator)).toEqual([]);
  });

  test("characters that the fonts lack are named and nothing is drawn; left-out emoji are reported", async () => {
    const creator = await setup.insertCreator();
    const of = (words: string) => previewTemplates(creator.ctx, preview(creator.account.id, null, { words }));
    expect(await of("日本 tea")).toMatchObject({ previews: [], missing: ["日", "本"] });
    expect(await of("Fern 🌿 shade")).toMatchObject({ words: "Fern shade", is_shortened: true, missing: [] });
    await expect(of("🌿")).rejects.toEqual(code("invalid"));
  });
});

describe("export and erasure", () => {
  test("the export includes colors, fonts, logo and templates, and no other user's", async () => {
    const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
    const logo_url = (await storeLogo(creator.ctx, { accountId: creator.account.id, logo: upload(await png(40, 20)) }))
      .logo_url;
    await saveKit(creator.ctx, { accountId: creator.account.id, colors: PLUM, fontPairing: "poster" });
    await saveKit(other.ctx, { accountId: other.account.id, colors: PLUM, fontPairing: "italic" });
    const pin = await draft(creator);
    await applyTemplate(creator.ctx, templateInput([pin], { hasLogo: true }));
    const { baseImageKey } = await imageStateOf(pin);
    const linkTo = (key: string) =>
      expect.stringMatching(new RegExp(`^http://localhost:3000/api/images/signed/\\d+/[\\w-]{22}/${key}$`));
    let text = "";
    for await (const piece of await exportData(creator.ctx)) text += piece;
    const { brand_kits, pins: exported } = JSON.parse(text);
    expect(brand_kits).toMatchObject([
      { colours: PLUM, font_pairing: "poster", logo_url: linkTo(/[^/]+\/[^/]+$/.exec(logo_url ?? "")?.[0] ?? "") },
    ]);
    expect(exported).toMatchObject([
      {
        image_without_template_url: linkTo(baseImageKey ?? ""),
        template: { id: "label", words: "Slow Sunday bread", hasLogo: true },
      },
    ]);
    expect(text).not.toContain("italic");
  });

  test("erasing a user deletes the logo, images with templates and their base images immediately", async () => {
    const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
    for (const { ctx, account } of [creator, other]) {
      await storeLogo(ctx, { accountId: account.id, logo: upload(await png(40, 20)) });
    }
    const [pin, theirs] = [await draft(creator), await draft(other)];
    await applyTemplate(creator.ctx, templateInput([pin], { hasLogo: true }));
    await applyTemplate(other.ctx, templateInput([theirs], { hasLogo: true }));
    const keysOf = async (who: Creator, id: string) => {
      const { imageKey, baseImageKey } = await imageStateOf(id);
      return [imageKey, baseImageKey ?? "", (await rowsOf(who))[0]?.logoKey ?? ""];
    };
    const [keys, kept] = [await keysOf(creator, pin), await keysOf(other, theirs)];
    expect([await stored(keys), await stored(kept)]).toEqual([3, 3]);
    await leave(creator);
    await erase(setup, creator);
    expect([await stored(keys), await stored(kept)]).toEqual([0, 3]);
    expect([(await rowsOf(creator)).length, (await rowsOf(other)).length]).toEqual([0, 1]);
  });
});

describe("the logo", () => {
  test("is deleted a week after it is replaced or removed; the one in the kit stays even if it is marked", async () => {
    const creator = await setup.insertCreator();
    const accountId = creator.account.id;
    const keyOf = async () => (await rowsOf(creator))[0]?.logoKey ?? "";
    await storeLogo(creator.ctx, { accountId, logo: upload(await png(40, 20)) });
    const first = await keyOf();
    await storeLogo(creator.ctx, { accountId, logo: upload(await png(20, 40)) });
    const second = await keyOf();
    expect([await orphans(), await stored([first, second])]).toEqual([expect.arrayContaining([first]), 2]);
    await setup.harness.later(7 * DAY_MS + MINUTE_MS, () => purgeImages(setup.job()));
    expect([await stored([first]), await stored([second])]).toEqual([0, 1]);
    expect(await removeLogo(creator.ctx, { accountId })).toMatchObject({ logo_url: null });
    expect(await removeLogo(creator.ctx, { accountId })).toMatchObject({ logo_url: null });
    await setup.harness.later(7 * DAY_MS + MINUTE_MS, () => purgeImages(setup.job()));
    expect(await stored([second])).toBe(0);
  });
});
