import { z } from "zod";
import {
  type BrandColours,
  FONT_PAIRINGS,
  type FontPairing,
  TEMPLATE_NAMES,
  type UploadedFile,
} from "#lib/core/images.ts";
import type { PostStatus } from "#lib/features/pins/constants.ts";
import { opaqueId } from "#lib/features/pins/schema.ts";
import { PINS_AT_ONCE, SIGNATURE_MAX, TEXTS, WORDS_MAX } from "./constants.ts";

const colour = z
  .string(TEXTS.colourInvalid)
  .regex(/^#[0-9a-f]{6}$/i, TEXTS.colourInvalid)
  .transform((hex) => hex.toLowerCase());

/** Three colours as `#rrggbb`. */
export const brandColours = z.object({ panel: colour, words: colour, accent: colour });

const fontPairing = z.enum(FONT_PAIRINGS, TEXTS.fontsInvalid);
const template = z.enum(TEMPLATE_NAMES, TEXTS.templateInvalid);
const words = z.string(TEXTS.wordsTooLong).trim().max(WORDS_MAX, TEXTS.wordsTooLong);
const signature = z.string(TEXTS.signatureTooLong).trim().max(SIGNATURE_MAX, TEXTS.signatureTooLong);

/** A template on a pin's picture, with what is written, as the pin's row keeps it. */
export const templateChoice = z.object({
  id: template,
  words: z.string(),
  signature: z.string(),
  hasLogo: z.boolean(),
});
export type TemplateChoice = z.output<typeof templateChoice>;

/** Input of the action that changes the kit of an account. */
export const saveKitInput = z.object({ accountId: opaqueId, colours: brandColours, fontPairing });
export type SaveKitInput = z.output<typeof saveKitInput>;

export const kitAccountInput = z.object({ accountId: opaqueId });
export type KitAccountInput = z.output<typeof kitAccountInput>;

/** Input of the action that reads a kit, and what stands on pins. */
export const readBrandingInput = z.object({
  accountId: opaqueId,
  pinIds: z.array(opaqueId).max(500).default([]),
});
export type ReadBrandingInput = z.output<typeof readBrandingInput>;

const pinIds = z
  .array(opaqueId)
  .min(1, TEXTS.noPins)
  .max(PINS_AT_ONCE, TEXTS.tooManyPins)
  .refine((ids) => new Set(ids).size === ids.length, TEXTS.pinTwice);

/** What is written: null takes each pin's title. */
const writing = { words: words.nullable(), signature, hasLogo: z.boolean() };

/** Input of the action that puts a template on pictures. */
export const applyTemplateInput = z.object({ pinIds, template, ...writing });
export type ApplyTemplateInput = z.output<typeof applyTemplateInput>;

export const removeTemplateInput = z.object({ pinIds });
export type RemoveTemplateInput = z.output<typeof removeTemplateInput>;

/** Input of the action that shows templates before they are used; colours and faces may be some that are not kept yet. */
export const previewTemplatesInput = z.object({
  accountId: opaqueId,
  /** Whose picture; null takes one of ours. */
  pinId: opaqueId.nullable(),
  templates: z.array(template).min(1, TEXTS.templateInvalid).max(TEMPLATE_NAMES.length),
  ...writing,
  colours: brandColours.optional(),
  fontPairing: fontPairing.optional(),
  isLarge: z.boolean().default(false),
});
export type PreviewTemplatesInput = z.output<typeof previewTemplatesInput>;

const uploadedFile = z.object({ path: z.string(), bytes: z.number(), sha256: z.string() });

/** POST /api/users/pinterest/brand/{accountId}/logo/: multipart with one image. */
export const storeLogoInput = z.object({
  accountId: opaqueId,
  logo: uploadedFile.optional(),
});
export interface StoreLogoInput {
  accountId: string;
  logo?: UploadedFile | undefined;
}

/** The brand kit of an account, its own or what every account begins with. */
export interface KitWire {
  account_id: string;
  colours: BrandColours;
  font_pairing: FontPairing;
  logo_url: string | null;
}

/** A pin that got no template, since its title cannot be written; `text` says why. */
export interface LeftPinWire {
  id: string;
  title: string;
  text: string;
}

/** What a template was not put on. */
export interface AppliedWire {
  left: LeftPinWire[];
}

/** A pin as the chooser of templates needs it. */
export interface TemplatedPinWire {
  id: string;
  title: string;
  status: PostStatus;
  template: TemplateChoice | null;
}

export interface BrandingWire {
  kit: KitWire;
  username: string;
  pins: TemplatedPinWire[];
}

export interface PreviewWire {
  template: (typeof TEMPLATE_NAMES)[number];
  /** A WebP as a data address. */
  image: string;
  /** The least contrast between words and picture, as measured: 4.5 to 21. */
  contrast: number;
}

/** `missing`: letters that the faces do not have; nothing is drawn then. `is_shortened`: emoji and the like are left out. */
export interface PreviewsWire {
  previews: PreviewWire[];
  words: string;
  missing: string[];
  is_shortened: boolean;
}
