import "server-only";
import { eq } from "drizzle-orm";
import { brandVoices } from "#db/schema/branding.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { AccountId } from "#lib/core/ids.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { lockAccount } from "#lib/features/pins/guards.ts";
import type { ImageStyleData } from "#lib/integrations/ai/port.ts";
import { IMAGE_STYLES, type ImageStyle, VOICE_LANGUAGES, type VoiceLanguage } from "./constants.ts";
import { findKits } from "./queries.ts";
import { type OwnStyle, ownStyles, type SaveVoiceInput, type VoiceWire } from "./schema.ts";

export interface Voice {
  about: string;
  wordsToUse: string[];
  wordsToAvoid: string[];
  language: VoiceLanguage | null;
  hasEmoji: boolean;
  hasHashtags: boolean;
  imageStyle: ImageStyle | null;
  ownStyles: OwnStyle[];
  ownStyle: string | null;
  imageAbout: string;
  hasBrandColors: boolean;
}

export const DEFAULT_VOICE: Voice = {
  ...{ about: "", wordsToUse: [], wordsToAvoid: [], language: null },
  ...{ hasEmoji: false, hasHashtags: true },
  ...{ imageStyle: null, ownStyles: [], ownStyle: null, imageAbout: "", hasBrandColors: false },
};

/** A language may no longer be offered. */
const toLanguage = (code: string | null): VoiceLanguage | null =>
  (Object.keys(VOICE_LANGUAGES) as VoiceLanguage[]).find((known) => known === code) ?? null;

const toStyle = (code: string | null): ImageStyle | null =>
  (Object.keys(IMAGE_STYLES) as ImageStyle[]).find((known) => known === code) ?? null;

/** Accounts without a row have the default voice. */
export const findVoice = async (ctx: Ctx, accountId: AccountId): Promise<Voice> => {
  const [row] = await ctx.db.select().from(brandVoices).where(eq(brandVoices.accountId, accountId));
  if (!row) return DEFAULT_VOICE;
  const { accountId: _, updatedAt: __, ...voice } = row;
  const own = ownStyles.parse(row.ownStyles);
  return { ...voice, language: toLanguage(row.language), imageStyle: toStyle(row.imageStyle), ownStyles: own };
};

export const toVoiceWire = (voice: Voice): VoiceWire => ({
  ...{ about: voice.about, words_to_use: voice.wordsToUse, words_to_avoid: voice.wordsToAvoid },
  ...{ language: voice.language, has_emoji: voice.hasEmoji, has_hashtags: voice.hasHashtags },
  ...{ own_styles: voice.ownStyles, own_style: voice.ownStyle },
  ...{ image_style: voice.imageStyle, image_about: voice.imageAbout, has_brand_colors: voice.hasBrandColors },
});

/** For texts that are generated from now on. @throws AppError `not_found`, `invalid` */
export const saveVoice = async (ctx: Ctx, { accountId, ...voice }: SaveVoiceInput): Promise<VoiceWire> => {
  const { id } = await requireOwnedAccount(ctx, accountId);
  await inTransaction(ctx, async (tx) => {
    await lockAccount(tx, id);
    const changes = { ...voice, updatedAt: tx.now() };
    await tx.db
      .insert(brandVoices)
      .values({ accountId: id, ...changes })
      .onConflictDoUpdate({ target: brandVoices.accountId, set: changes });
  });
  return toVoiceWire(voice);
};

/** What images of an account look like; null without wishes. */
export const findImageStyle = async (ctx: Ctx, accountId: AccountId): Promise<ImageStyleData | null> => {
  const { imageStyle, ownStyles: all, ownStyle, imageAbout, hasBrandColors } = await findVoice(ctx, accountId);
  const own = all.find(({ name }) => name === ownStyle)?.about ?? "";
  if (imageStyle === null && own + imageAbout === "" && !hasBrandColors) return null;
  const colors = hasBrandColors ? Object.values((await findKits(ctx, [accountId]))(accountId).colors) : [];
  return { preset: own === "" ? imageStyle : null, own, about: imageAbout, colors };
};
