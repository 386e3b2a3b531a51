import "server-only";
import { eq } from "drizzle-orm";
import { brandVoices } from "#db/schema/branding.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { AccountId } from "#lib/core/ids.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { lockAccount } from "#lib/features/pins/guards.ts";
import { VOICE_LANGUAGES, type VoiceLanguage } from "./constants.ts";
import type { SaveVoiceInput, VoiceWire } from "./schema.ts";

/** How an account's generated texts are written. */
export interface Voice {
  about: string;
  wordsToUse: string[];
  wordsToAvoid: string[];
  /** Null: the language of the keyword. */
  language: VoiceLanguage | null;
  hasEmoji: boolean;
  hasHashtags: boolean;
}

export const DEFAULT_VOICE: Voice = {
  ...{ about: "", wordsToUse: [], wordsToAvoid: [], language: null },
  ...{ hasEmoji: false, hasHashtags: true },
};

/** A language may no longer be offered. */
const toLanguage = (code: string | null): VoiceLanguage | null =>
  (Object.keys(VOICE_LANGUAGES) as VoiceLanguage[]).find((known) => known === code) ?? null;

/** Accounts without a row have the default voice. */
export const findVoice = async (ctx: Ctx, accountId: AccountId): Promise<Voice> => {
  const [row] = await ctx.db.select().from(brandVoices).where(eq(brandVoices.accountId, accountId));
  if (!row) return DEFAULT_VOICE;
  const { about, wordsToUse, wordsToAvoid, language, hasEmoji, hasHashtags } = row;
  return { about, wordsToUse, wordsToAvoid, language: toLanguage(language), hasEmoji, hasHashtags };
};

export const toVoiceWire = (voice: Voice): VoiceWire => ({
  ...{ about: voice.about, words_to_use: voice.wordsToUse, words_to_avoid: voice.wordsToAvoid },
  ...{ language: voice.language, has_emoji: voice.hasEmoji, has_hashtags: voice.hasHashtags },
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
