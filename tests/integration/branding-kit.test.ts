import { eq } from "drizzle-orm";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { brandKits } from "#db/schema/branding.ts";
import { users } from "#db/schema/identity.ts";
import { pins } from "#db/schema/pins.ts";
import type { BrandColours } from "#lib/core/images.ts";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { PALETTES } from "#lib/features/branding/constants.ts";
import { readBranding, removeLogo, saveKit, storeLogo } from "#lib/features/branding/kit.ts";
import { previewTemplatesInput, saveKitInput } from "#lib/features/branding/schema.ts";
import { applyTemplate, previewTemplates } from "#lib/features/branding/templates.ts";
import { retireImages } from "#lib/features/generation/images.ts";
import { exportData } from "#lib/features/privacy/export.ts";
import { removeAccount } from "#lib/features/publishing/queue.ts";
import { connectAccount } from "#tests/support/connect-account.ts";
import { png } from "#tests/support/sample-pictures.ts";
import { asked, brandingIn } from "./branding-house.ts";
import { erase, leave } from "./privacy-house.ts";
import { type Maker, publishingWorld } from "./publishing-house.ts";

const world = publishingWorld();
const { draft, upload, lookOf, stored, orphans } = brandingIn(world);

/** One more account of a maker, whose plan has room for it. */
const secondAccount = async ({ ctx, userId }: Maker) => {
  await ctx.db.update(users).set({ plan: "pro" }).where(eq(users.id, userId));
  return connectAccount(ctx, world.pinterest);
};

const PLUM: BrandColours = { panel: "#f6eef4", words: "#3a1f38", accent: "#7a3b74" };
const code = (expected: string) => expect.objectContaining({ code: expected });
const kitOf = async ({ ctx, account }: Maker) => (await readBranding(ctx, { accountId: account.id, pinIds: [] })).kit;
const rowsOf = ({ ctx, account }: Maker) => ctx.db.select().from(brandKits).where(eq(brandKits.accountId, account.id));

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
  test("is the first palette until one is kept; each account of a person has its own", async () => {
    const maker = await world.makeMaker();
    const second = { ...maker, account: await secondAccount(maker) };
    const first = { colours: PALETTES[0]?.colours, font_pairing: "reading", logo_url: null };
    expect(await kitOf(maker)).toEqual({ account_id: maker.account.id, ...first });
    expect(await rowsOf(maker)).toEqual([]);
    const said = await saveKit(maker.ctx, { accountId: maker.account.id, colours: PLUM, fontPairing: "poster" });
    expect(said).toEqual({ account_id: maker.account.id, colours: PLUM, font_pairing: "poster", logo_url: null });
    expect(await kitOf(maker)).toEqual(said);
    expect(await kitOf(second)).toEqual({ account_id: second.account.id, ...first });
  });

  test.each<[string, object]>([
    ["three digits", { colours: { ...PLUM, panel: "#fff" } }],
    ["a name", { colours: { ...PLUM, words: "plum" } }],
    ["something to draw with", { colours: { ...PLUM, accent: "url(https://x.example)" } }],
    ["two colours", { colours: { panel: "#ffffff", words: "#000000" } }],
    ["no text", { colours: { ...PLUM, panel: 16_777_215 } }],
    ["fonts that nobody has", { fontPairing: "comic" }],
    ["no account", { accountId: "" }],
  ])("%s is no kit", (_, change) => {
    const good = { accountId: "acc_a", colours: PLUM, fontPairing: "quiet" };
    expect(saveKitInput.safeParse(good).success).toBe(true);
    expect(saveKitInput.safeParse({ ...good, ...change }).success).toBe(false);
  });

  test("R-API-31 of somebody else, of nobody and of a removed account it is not there, whatever is asked", async () => {
    const [maker, stranger] = [await world.makeMaker(), await world.makeMaker()];
    const theirs = await draft(stranger);
    const mine = await draft(maker);
    const gone = await secondAccount(maker);
    await removeAccount(maker.ctx, { accountId: gone.id });
    await saveKit(stranger.ctx, { accountId: stranger.account.id, colours: PLUM, fontPairing: "quiet" });
    const before = await rowsOf(stranger);
    const file = await png(40, 20);
    for (const accountId of [stranger.account.id, "acc_00000000000000000000000000", "' or 1=1 --", gone.id]) {
      const kit = { accountId, colours: PLUM, fontPairing: "poster" as const };
      const calls = [
        readBranding(maker.ctx, { accountId, pinIds: [theirs] }),
        saveKit(maker.ctx, kit),
        storeLogo(maker.ctx, { accountId, logo: upload(file) }),
        removeLogo(maker.ctx, { accountId }),
        previewTemplates(maker.ctx, preview(accountId, null)),
      ];
      for (const one of await Promise.allSettled(calls)) {
        expect(one).toEqual({ status: "rejected", reason: code("not_found") });
      }
    }
    await expect(previewTemplates(maker.ctx, preview(maker.account.id, theirs))).rejects.toEqual(code("not_found"));
    const { pins: shown } = await readBranding(maker.ctx, { accountId: maker.account.id, pinIds: [theirs, mine] });
    expect(shown.map(({ id }) => id)).toEqual([mine]);
    expect(await rowsOf(stranger)).toEqual(before);
  });

  test("saved many times at once it is one of those, whole; a logo that comes meanwhile is kept beside it", async () => {
    const maker = await world.makeMaker();
    const accountId = maker.account.id;
    const wishes = PALETTES.map(({ colours }, n) => ({
      accountId,
      colours,
      fontPairing: n % 2 ? ("poster" as const) : ("quiet" as const),
    }));
    const logo = upload(await png(40, 20));
    await Promise.all([...wishes.map((wish) => saveKit(maker.ctx, wish)), storeLogo(maker.ctx, { accountId, logo })]);
    const { colours, font_pairing, logo_url } = await kitOf(maker);
    expect(wishes).toContainEqual({ accountId, colours, fontPairing: font_pairing });
    expect(logo_url).toMatch(/^\/api\/images\/logos\/[0-9a-f]{40}\.png$/);
    expect(await rowsOf(maker)).toHaveLength(1);
  });

  test("fonts that a later version no longer has give way to the first, a template to none", async () => {
    const maker = await world.makeMaker();
    const pin = await draft(maker);
    await saveKit(maker.ctx, { accountId: maker.account.id, colours: PLUM, fontPairing: "poster" });
    await maker.ctx.db.update(brandKits).set({ fontPairing: "gone" }).where(eq(brandKits.accountId, maker.account.id));
    await maker.ctx.db
      .update(pins)
      .set({ template: { id: "gone" } })
      .where(eq(pins.id, pin));
    const { kit, pins: shown } = await readBranding(maker.ctx, { accountId: maker.account.id, pinIds: [pin] });
    expect([kit.font_pairing, shown[0]?.template]).toEqual(["reading", null]);
  });
});

describe("preview-templates", () => {
  test("shows all eight on the pin's own picture below, measured, and keeps nothing", async () => {
    const maker = await world.makeMaker();
    const pin = await draft(maker);
    await applyTemplate(maker.ctx, asked([pin], { template: "arch" }));
    const before = [await lookOf(pin), await orphans(), await rowsOf(maker)];
    const templates = ["label", "band", "slip", "veil", "frame", "arch", "disc", "strips"];
    const shown = await previewTemplates(maker.ctx, preview(maker.account.id, pin, { templates }));
    expect(shown).toMatchObject({ words: "Slow Sunday bread", missing: [], is_shortened: false });
    expect(shown.previews.map(({ template }) => template)).toEqual(templates);
    for (const { image, contrast } of shown.previews) {
      expect(contrast).toBeGreaterThanOrEqual(4.5);
      const webp = Buffer.from(image.replace("data:image/webp;base64,", ""), "base64");
      expect(await sharp(webp).metadata()).toMatchObject({ format: "webp", width: 180, height: 280 });
    }
    expect(new Set(shown.previews.map(({ image }) => image)).size).toBe(8);
    expect([await lookOf(pin), await orphans(), await rowsOf(maker)]).toEqual(before);
  });

  test("a kit that is not kept yet shows; without any pin it stands on a picture of ours", async () => {
    const maker = await world.makeMaker();
    const imageWith = async (change: object) =>
      (await previewTemplates(maker.ctx, preview(maker.account.id, null, change))).previews[0]?.image;
    const images = [
      await imageWith({}),
      await imageWith({ colours: PLUM }),
      await imageWith({ colours: PLUM, fontPairing: "poster" }),
    ];
    expect(new Set(images).size).toBe(3);
    expect(await rowsOf(maker)).toEqual([]);
  });

  test("letters that the fonts lack are named and nothing is drawn; emoji are left out and that is said", async () => {
    const maker = await world.makeMaker();
    const of = (words: string) => previewTemplates(maker.ctx, preview(maker.account.id, null, { words }));
    expect(await of("日本 tea")).toMatchObject({ previews: [], missing: ["日", "本"] });
    expect(await of("Fern 🌿 shade")).toMatchObject({ words: "Fern shade", is_shortened: true, missing: [] });
    await expect(of("🌿")).rejects.toEqual(code("invalid"));
  });
});

describe("QUALITY §2 row 30: export and erasure", () => {
  test("the export names colours, fonts, logo and what stands on pins; and nobody else's", async () => {
    const [maker, other] = [await world.makeMaker(), await world.makeMaker()];
    const logo_url = (await storeLogo(maker.ctx, { accountId: maker.account.id, logo: upload(await png(40, 20)) }))
      .logo_url;
    await saveKit(maker.ctx, { accountId: maker.account.id, colours: PLUM, fontPairing: "poster" });
    await saveKit(other.ctx, { accountId: other.account.id, colours: PLUM, fontPairing: "italic" });
    const pin = await draft(maker);
    await applyTemplate(maker.ctx, asked([pin], { hasLogo: true }));
    const { baseImageKey } = await lookOf(pin);
    let text = "";
    for await (const piece of await exportData(maker.ctx)) text += piece;
    const { brand_kits, pins: exported } = JSON.parse(text);
    expect(brand_kits).toMatchObject([
      { colours: PLUM, font_pairing: "poster", logo_url: `http://localhost:3000${logo_url}` },
    ]);
    expect(exported).toMatchObject([
      {
        image_without_template_url: `http://localhost:3000/api/images/${baseImageKey}`,
        template: { id: "label", words: "Slow Sunday bread", hasLogo: true },
      },
    ]);
    expect(text).not.toContain("italic");
  });

  test("erased with the person: the logo, pictures with words, and those below them, all at once", async () => {
    const [maker, other] = [await world.makeMaker(), await world.makeMaker()];
    for (const { ctx, account } of [maker, other]) {
      await storeLogo(ctx, { accountId: account.id, logo: upload(await png(40, 20)) });
    }
    const [pin, theirs] = [await draft(maker), await draft(other)];
    await applyTemplate(maker.ctx, asked([pin], { hasLogo: true }));
    await applyTemplate(other.ctx, asked([theirs], { hasLogo: true }));
    const keysOf = async (who: Maker, id: string) => {
      const { imageKey, baseImageKey } = await lookOf(id);
      return [imageKey, baseImageKey ?? "", (await rowsOf(who))[0]?.logoKey ?? ""];
    };
    const [keys, kept] = [await keysOf(maker, pin), await keysOf(other, theirs)];
    expect([await stored(keys), await stored(kept)]).toEqual([3, 3]);
    await leave(maker);
    await erase(world, maker);
    expect([await stored(keys), await stored(kept)]).toEqual([0, 3]);
    expect([(await rowsOf(maker)).length, (await rowsOf(other)).length]).toEqual([0, 1]);
  });
});

describe("the logo", () => {
  test("replaced or removed it goes in a week; the one in the kit stays whatever is noted of it", async () => {
    const maker = await world.makeMaker();
    const accountId = maker.account.id;
    const keyOf = async () => (await rowsOf(maker))[0]?.logoKey ?? "";
    await storeLogo(maker.ctx, { accountId, logo: upload(await png(40, 20)) });
    const first = await keyOf();
    await storeLogo(maker.ctx, { accountId, logo: upload(await png(20, 40)) });
    const second = await keyOf();
    expect([await orphans(), await stored([first, second])]).toEqual([expect.arrayContaining([first]), 2]);
    await world.house.later(7 * DAY_MS + MINUTE_MS, () => retireImages(world.job()));
    expect([await stored([first]), await stored([second])]).toEqual([0, 1]);
    expect(await removeLogo(maker.ctx, { accountId })).toMatchObject({ logo_url: null });
    expect(await removeLogo(maker.ctx, { accountId })).toMatchObject({ logo_url: null });
    await world.house.later(7 * DAY_MS + MINUTE_MS, () => retireImages(world.job()));
    expect(await stored([second])).toBe(0);
  });
});
