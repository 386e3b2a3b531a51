import type { BrandColours, FontPairing, TemplateName } from "#lib/core/images.ts";

export interface PreparedPicture {
  jpeg: Uint8Array;
  widthPx: number;
  heightPx: number;
}

/** What the picture of a shared link shows, and its size. */
export interface SharedPicture {
  /** The product's name, beside the mark. */
  name: string;
  /** Between asterisks its italic phrase. */
  headline: string;
  /** A word in the corner: the part of the site. */
  label?: string;
  /** Names of five pictures in public/posters, hung below. */
  posters: readonly string[];
  widthPx: number;
  heightPx: number;
}

/** The product's mark as an icon. */
export interface AppIcon {
  sizePx: number;
  /** `maskable`: the ground fills the square and the mark stays in the middle, for systems that cut icons to a shape. */
  purpose: "any" | "maskable";
}

/** Why a file that somebody sent is no picture for us. */
export type UploadFault = "empty" | "heic" | "svg" | "not_a_picture" | "too_many_pixels" | "too_slow" | "broken";

export type PreparedUpload =
  /** `isFirstFrame`: the picture moved, and this is how it began. */
  ({ kind: "prepared"; isFirstFrame: boolean } & PreparedPicture) | { kind: "refused"; fault: UploadFault };

/** How a picture looks, in two short texts. */
export interface PictureDescription {
  /** 64 bits as 16 hexadecimal digits: few of them differ between pictures that look nearly the same. */
  likeness: string;
  /** The picture in a few dozen bytes, as a data address of at most 200 characters. */
  placeholder: string;
}

/** What a template is drawn with. */
export interface TemplateDrawing {
  /** A stored JPEG, in its own shape. */
  picture: Uint8Array;
  template: TemplateName;
  /** Letters that the faces have ({@link PicturesPort.missingLetters}); at least one. */
  words: string;
  /** A small line; may be empty. */
  signature: string;
  colours: BrandColours;
  fontPairing: FontPairing;
  /** A PNG that `prepareLogo` made. */
  logo: Uint8Array | null;
}

export type PreparedLogo = { kind: "prepared"; png: Uint8Array } | { kind: "refused"; fault: UploadFault };

/** Decoding, encoding and drawing of pictures. */
export interface PicturesPort {
  /**
   * A finished pin from a generated picture: cover-cropped to the canvas, JPEG of at most 300 kB,
   * marked as `trainedAlgorithmicMedia` (D10). Null when the bytes are no picture.
   */
  preparePin(image: Uint8Array, canvas: { widthPx: number; heightPx: number }): Promise<PreparedPicture | null>;
  /**
   * A JPEG of at most 10 MB from a file that somebody sent, upright, in its own shape and without metadata (A-14, A-15,
   * R-SRV-07). A few are decoded at a time; others wait. `path` is a file on this machine's disk.
   */
  prepareUpload(path: string): Promise<PreparedUpload>;
  /** A prepared picture at most `widthPx` wide, as WebP. */
  shrink(jpeg: Uint8Array, widthPx: number): Promise<Uint8Array>;
  /** How a prepared picture looks. Called wherever a pin gets a picture. */
  describePicture(jpeg: Uint8Array): Promise<PictureDescription>;
  /** The picture of a shared link as a JPEG: the same bytes for the same words. */
  drawShared(picture: SharedPicture): Promise<Uint8Array>;
  /**
   * A picture with words on it, as a JPEG in the picture's shape, marked as it was (D10). `contrast` is the least between
   * the words and any pixel that they touch, as measured: never below 4.5. A few are drawn at a time; others wait.
   */
  drawTemplate(drawing: TemplateDrawing): Promise<PreparedPicture & { contrast: number }>;
  /** The same at most `widthPx` wide, as WebP; `isExact`: drawn in full and then shrunk, so that it is what will be stored. */
  previewTemplate(
    drawing: TemplateDrawing,
    size: { widthPx: number; isExact: boolean },
  ): Promise<{ webp: Uint8Array; contrast: number }>;
  /** A picture of ours to show templates on, as a JPEG in the shape of a pin. */
  samplePicture(): Promise<Uint8Array>;
  /** Letters of a text that the faces of a pairing do not have, each once. */
  missingLetters(text: Pick<TemplateDrawing, "fontPairing" | "words" | "signature">): string[];
  /** A PNG of at most 800 pixels a side, clear where it was, from a file that somebody sent (R-SRV-07). */
  prepareLogo(path: string): Promise<PreparedLogo>;
  /** An icon as a PNG. */
  drawIcon(icon: AppIcon): Promise<Uint8Array>;
}
