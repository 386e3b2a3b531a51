import { z } from "zod";
import {
  type BrandColors,
  FONT_PAIRINGS,
  type FontPairing,
  TEMPLATE_NAMES,
  type UploadedFile,
} from "#lib/core/images.ts";
import { visible } from "#lib/core/text.ts";
import type { PinStatus } from "#lib/features/pins/constants.ts";
import { opaqueId } from "#lib/features/pins/schema.ts";
import {
  IMAGE_ABOUT_MAX,
  IMAGE_STYLES,
  IMAGE_TEXT_MAX,
  type ImageStyle,
  OWN_STYLE_NAME_MAX,
  OWN_STYLES_MAX,
  PINS_PER_REQUEST_MAX,
  SIGNATURE_MAX,
  TEXTS,
  VOICE_ABOUT_MAX,
  VOICE_LANGUAGES,
  VOICE_WORD_MAX,
  VOICE_WORDS_MAX,
  type VoiceLanguage,
} from "./constants.ts";

const color = z
  .string(TEXTS.colorInvalid)
  .regex(/^#[0-9a-f]{6}$/i, TEXTS.colorInvalid)
  .transform((hex) => hex.toLowerCase());

export const brandColors = z.object({ panel: color, words: color, accent: color });

const fontPairing = z.enum(FONT_PAIRINGS, TEXTS.fontsInvalid);
const template = z.enum(TEMPLATE_NAMES, TEXTS.templateInvalid);
const words = z.string(TEXTS.textTooLong).trim().max(IMAGE_TEXT_MAX, TEXTS.textTooLong);
const signature = z.string(TEXTS.signatureTooLong).trim().max(SIGNATURE_MAX, TEXTS.signatureTooLong);

export const templateChoice = z.object({
  id: template,
  words: z.string(),
  signature: z.string(),
  hasLogo: z.boolean(),
});
export type TemplateChoice = z.output<typeof templateChoice>;

export const saveKitInput = z.object({ accountId: opaqueId, colors: brandColors, fontPairing });
export type SaveKitInput = z.output<typeof saveKitInput>;

export const kitAccountInput = z.object({ accountId: opaqueId });
export type KitAccountInput = z.output<typeof kitAccountInput>;

export const readBrandingInput = z.object({
  accountId: opaqueId,
  pinIds: z.array(opaqueId).max(500).default([]),
});
export type ReadBrandingInput = z.output<typeof readBrandingInput>;

const pinIds = z
  .array(opaqueId)
  .min(1, TEXTS.noPins)
  .max(PINS_PER_REQUEST_MAX, TEXTS.tooManyPins)
  .refine((ids) => new Set(ids).size === ids.length, TEXTS.pinTwice);

/** Null uses each pin's title. */
const writing = { words: words.nullable(), signature, hasLogo: z.boolean() };

export const applyTemplateInput = z.object({ pinIds, template, ...writing });
export type ApplyTemplateInput = z.output<typeof applyTemplateInput>;

export const removeTemplateInput = z.object({ pinIds });
export type RemoveTemplateInput = z.output<typeof removeTemplateInput>;

/** Colors and fonts may be unsaved. */
export const previewTemplatesInput = z.object({
  accountId: opaqueId,
  /** Null uses the account's newest pin, or a sample image. */
  pinId: opaqueId.nullable(),
  templates: z.array(template).min(1, TEXTS.templateInvalid).max(TEMPLATE_NAMES.length),
  ...writing,
  colors: brandColors.optional(),
  fontPairing: fontPairing.optional(),
  isLarge: z.boolean().default(false),
});
export type PreviewTemplatesInput = z.output<typeof previewTemplatesInput>;

const voiceWords = z
  .array(z.string().transform(visible))
  .transform((list) => [...new Set(list.filter((word) => word !== ""))])
  .refine((list) => list.every((word) => word.length <= VOICE_WORD_MAX), TEXTS.voiceWordTooLong)
  .refine((list) => list.length <= VOICE_WORDS_MAX, TEXTS.voiceTooManyWords);

export const ownStyles = z.array(z.object({ name: z.string(), about: z.string() }));
export type OwnStyle = z.output<typeof ownStyles>[number];

const namedStyles = z
  .array(
    z.object({
      name: z
        .string(TEXTS.styleName)
        .transform(visible)
        .refine((name) => name !== "", TEXTS.styleName)
        .refine((name) => name.length <= OWN_STYLE_NAME_MAX, TEXTS.styleNameTooLong),
      about: z.string(TEXTS.styleAbout).trim().min(1, TEXTS.styleAbout).max(IMAGE_ABOUT_MAX, TEXTS.imageAboutTooLong),
    }),
  )
  .max(OWN_STYLES_MAX, TEXTS.tooManyStyles)
  .superRefine((list, context) => {
    const names = list.map(({ name }) => name.toLowerCase());
    const at = names.findIndex((name, index) => names.indexOf(name) < index);
    if (at >= 0) context.addIssue({ code: "custom", path: [at, "name"], message: TEXTS.styleTwice });
  });

export const saveVoiceInput = z
  .object({
    accountId: opaqueId,
    about: z.string(TEXTS.voiceTooLong).trim().max(VOICE_ABOUT_MAX, TEXTS.voiceTooLong),
    wordsToUse: voiceWords,
    wordsToAvoid: voiceWords,
    language: z.enum(Object.keys(VOICE_LANGUAGES) as VoiceLanguage[], TEXTS.voiceLanguage).nullable(),
    hasEmoji: z.boolean(),
    hasHashtags: z.boolean(),
    imageStyle: z.enum(Object.keys(IMAGE_STYLES) as ImageStyle[], TEXTS.imageStyle).nullable(),
    ownStyles: namedStyles,
    ownStyle: z.string(TEXTS.imageStyle).transform(visible).nullable(),
    imageAbout: z.string(TEXTS.imageAboutTooLong).trim().max(IMAGE_ABOUT_MAX, TEXTS.imageAboutTooLong),
    hasBrandColors: z.boolean(),
  })
  .superRefine(({ imageStyle, ownStyles: own, ownStyle }, context) => {
    const isOne = ownStyle === null || (imageStyle === null && own.some(({ name }) => name === ownStyle));
    if (!isOne) context.addIssue({ code: "custom", path: ["imageStyle"], message: TEXTS.imageStyle });
  })
  .superRefine(({ wordsToUse, wordsToAvoid }, context) => {
    const avoided = new Set(wordsToAvoid.map((word) => word.toLowerCase()));
    const both = wordsToUse.find((word) => avoided.has(word.toLowerCase()));
    if (both === undefined) return;
    context.addIssue({ code: "custom", path: ["wordsToAvoid"], message: TEXTS.voiceWordTwice(both) });
  });
export type SaveVoiceInput = z.output<typeof saveVoiceInput>;

const uploadedFile = z.object({ path: z.string(), bytes: z.number(), sha256: z.string() });

export const storeLogoInput = z.object({
  accountId: opaqueId,
  logo: uploadedFile.optional(),
});
export interface StoreLogoInput {
  accountId: string;
  logo?: UploadedFile | undefined;
}

export interface KitWire {
  account_id: string;
  colours: BrandColors;
  font_pairing: FontPairing;
  logo_url: string | null;
}

/** The fonts lack characters of its title; `text` says so. */
export interface SkippedPinWire {
  id: string;
  title: string;
  text: string;
}

export interface AppliedWire {
  skipped: SkippedPinWire[];
}

export interface TemplatedPinWire {
  id: string;
  title: string;
  status: PinStatus;
  template: TemplateChoice | null;
}

export interface VoiceWire {
  about: string;
  words_to_use: string[];
  words_to_avoid: string[];
  /** Null: the language of the keyword. */
  language: VoiceLanguage | null;
  has_emoji: boolean;
  has_hashtags: boolean;
  image_style: ImageStyle | null;
  own_styles: OwnStyle[];
  /** The name of the one that is used instead of `image_style`. */
  own_style: string | null;
  image_about: string;
  has_brand_colors: boolean;
}

export interface BrandingWire {
  kit: KitWire;
  voice: VoiceWire;
  username: string;
  pins: TemplatedPinWire[];
}

export interface PreviewWire {
  template: (typeof TEMPLATE_NAMES)[number];
  /** A WebP as a data URL. */
  image: string;
  /** The lowest between text and image, 4.5 to 21. */
  contrast: number;
}

/** `missing`: characters that the fonts lack, so there are no previews. `is_shortened`: emoji were left out. */
export interface PreviewsWire {
  previews: PreviewWire[];
  words: string;
  missing: string[];
  is_shortened: boolean;
}
