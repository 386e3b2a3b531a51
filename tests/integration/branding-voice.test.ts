import { describe, expect, test } from "vitest";
import { TEXTS } from "#lib/features/branding/constants.ts";
import { readBranding } from "#lib/features/branding/kit.ts";
import { findKit } from "#lib/features/branding/queries.ts";
import { saveVoiceInput } from "#lib/features/branding/schema.ts";
import { findImageStyle, findVoice, saveVoice } from "#lib/features/branding/voice.ts";
import { exportData } from "#lib/features/privacy/export.ts";
import { type Creator, publishingSetup } from "./publishing-harness.ts";

const setup = publishingSetup();

const input = (accountId: string, change: object = {}) =>
  saveVoiceInput.safeParse({
    ...{ accountId, about: " Warm and practical. ", wordsToUse: ["cozy", " cozy", ""], wordsToAvoid: ["guilt"] },
    ...{ language: "de", hasEmoji: true, hasHashtags: false },
    ...{ imageStyle: "flat_lay", ownStyles: [], ownStyle: null, imageAbout: " On oak. ", hasBrandColors: true },
    ...change,
  });

const voiceOf = async ({ ctx, account }: Creator) =>
  (await readBranding(ctx, { accountId: account.id, pinIds: [] })).voice;

const exported = async ({ ctx }: Creator): Promise<string> => {
  let text = "";
  for await (const part of await exportData(ctx)) text += part;
  return text;
};

describe("a brand voice", () => {
  test("is without wishes until one is saved, belongs to one account, and is in the data download", async () => {
    const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
    const none = {
      ...{ about: "", words_to_use: [], words_to_avoid: [], language: null, has_emoji: false, has_hashtags: true },
      ...{ image_style: null, own_styles: [], own_style: null, image_about: "", has_brand_colors: false },
    };
    expect(await voiceOf(creator)).toEqual(none);
    const { data } = input(creator.account.id);
    if (!data) throw new Error("The input is valid.");
    await saveVoice(creator.ctx, data);
    await saveVoice(creator.ctx, data);
    const saved = {
      ...{ about: "Warm and practical.", words_to_use: ["cozy"], words_to_avoid: ["guilt"], language: "de" },
      ...{ has_emoji: true, has_hashtags: false },
      ...{ image_style: "flat_lay", own_styles: [], own_style: null, image_about: "On oak.", has_brand_colors: true },
    };
    expect(await voiceOf(creator)).toEqual(saved);
    expect(await findVoice(setup.job(), creator.account.id)).toMatchObject({ language: "de", wordsToUse: ["cozy"] });
    const { colors } = await findKit(setup.job(), creator.account.id);
    const style = { preset: "flat_lay", own: "", about: "On oak.", colors: Object.values(colors) };
    expect(await findImageStyle(setup.job(), creator.account.id)).toEqual(style);
    expect(await findImageStyle(setup.job(), other.account.id)).toBeNull();
    expect(await voiceOf(other)).toEqual(none);
    await expect(saveVoice(other.ctx, data)).rejects.toMatchObject({ code: "not_found" });
    expect(await exported(creator)).toContain('"about":"Warm and practical."');
  });

  test("has up to five styles of the user's own, one of which replaces the preset", async () => {
    const creator = await setup.insertCreator();
    const ownStyles = Array.from({ length: 5 }, (_, at) => ({
      name: ` Style ${at} `,
      about: ` A print in ${at} colors. `,
    }));
    const change = { imageStyle: null, ownStyles, ownStyle: "Style 2", imageAbout: "", hasBrandColors: false };
    const { data } = input(creator.account.id, change);
    if (!data) throw new Error("The input is valid.");
    await saveVoice(creator.ctx, data);
    expect(await voiceOf(creator)).toMatchObject({ own_style: "Style 2", own_styles: data.ownStyles });
    expect(data.ownStyles[2]).toEqual({ name: "Style 2", about: "A print in 2 colors." });
    const style = await findImageStyle(setup.job(), creator.account.id);
    expect(style).toEqual({ preset: null, own: "A print in 2 colors.", about: "", colors: [] });
    expect(await exported(creator)).toContain("A print in 2 colors.");
    await saveVoice(creator.ctx, { ...data, ownStyle: null });
    expect(await findImageStyle(setup.job(), creator.account.id)).toBeNull();
  });

  const styles = (...names: string[]) => names.map((name) => ({ name, about: "A print." }));

  test.each([
    [{ ownStyles: styles("a", "b", "c", "d", "e", "f") }, "ownStyles", TEXTS.tooManyStyles],
    [{ ownStyles: styles("Lino", "lino") }, "ownStyles.1.name", TEXTS.styleTwice],
    [{ ownStyles: styles(" ") }, "ownStyles.0.name", TEXTS.styleName],
    [{ ownStyles: styles("x".repeat(41)) }, "ownStyles.0.name", TEXTS.styleNameTooLong],
    [{ ownStyles: [{ name: "Lino", about: " " }] }, "ownStyles.0.about", TEXTS.styleAbout],
    [{ ownStyles: styles("Lino"), ownStyle: "Lino" }, "imageStyle", TEXTS.imageStyle],
    [{ imageStyle: null, ownStyle: "Gone" }, "imageStyle", TEXTS.imageStyle],
    [{ about: "x".repeat(601) }, "about", TEXTS.voiceTooLong],
    [{ wordsToUse: ["x".repeat(41)] }, "wordsToUse", TEXTS.voiceWordTooLong],
    [{ wordsToAvoid: Array.from({ length: 21 }, (_, at) => `w${at}`) }, "wordsToAvoid", TEXTS.voiceTooManyWords],
    [{ wordsToUse: ["Cozy"], wordsToAvoid: ["cozy"] }, "wordsToAvoid", TEXTS.voiceWordTwice("Cozy")],
    [{ imageStyle: "oil" }, "imageStyle", TEXTS.imageStyle],
    [{ imageAbout: "x".repeat(301) }, "imageAbout", TEXTS.imageAboutTooLong],
    [{ language: "xx" }, "language", TEXTS.voiceLanguage],
  ])("refuses %j with a sentence at its field", (change, field, text) => {
    const issue = input("acc_1", change).error?.issues[0];
    expect([issue?.path.join("."), issue?.message]).toEqual([field, text]);
  });
});
