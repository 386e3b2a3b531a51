import type { BrandColors, FontPairing, TemplateName } from "#lib/core/images.ts";

export interface PreparedImage {
  jpeg: Uint8Array;
  widthPx: number;
  heightPx: number;
}

export interface ShareImage {
  name: string;
  /** A phrase between asterisks is italic. */
  headline: string;
  label?: string;
  /** Names of five images in public/posters. */
  posters: readonly string[];
  widthPx: number;
  heightPx: number;
}

export interface AppIcon {
  sizePx: number;
  /** `maskable`: the background fills the square, for systems that crop icons to a shape. */
  purpose: "any" | "maskable";
}

export type UploadFault = "empty" | "heic" | "svg" | "not_an_image" | "too_many_pixels" | "too_slow" | "broken";

export type PreparedUpload =
  /** `isFirstFrame`: the upload was animated, and this is its first frame. */
  ({ kind: "prepared"; isFirstFrame: boolean } & PreparedImage) | { kind: "refused"; fault: UploadFault };

export type FittedImage = ({ kind: "fitted" } & PreparedImage) | { kind: "too_small" | "refused" };

export interface ImageDescription {
  /** Perceptual hash of 64 bits as 16 hex digits. Similar images differ in few bits. */
  likeness: string;
  /** A tiny version of the image, as a data URL of at most 200 characters. */
  placeholder: string;
}

export interface TemplateInput {
  image: Uint8Array;
  template: TemplateName;
  /** Not empty, and without {@link ImagesPort.missingCharacters}. */
  text: string;
  signature: string;
  colors: BrandColors;
  fontPairing: FontPairing;
  /** A PNG from `prepareLogo`. */
  logo: Uint8Array | null;
}

export type PreparedLogo = { kind: "prepared"; png: Uint8Array } | { kind: "refused"; fault: UploadFault };

export interface ImagesPort {
  /** A JPEG of at most 300 kB, marked as `trainedAlgorithmicMedia`; null when the bytes are not an image. */
  preparePin(image: Uint8Array, canvas: { widthPx: number; heightPx: number }): Promise<PreparedImage | null>;
  /** Converts an uploaded file on disk to an upright JPEG of at most 10 MB, uncropped and without metadata. */
  prepareUpload(path: string): Promise<PreparedUpload>;
  /**
   * A file on disk in the shape of a pin, as a JPEG of at most 10 MB without metadata and AI marking: cropped where little
   * is lost, else whole before a blurred copy of itself. `too_small`: it would be blurred on a screen.
   */
  fitToCanvas(path: string, canvas: { widthPx: number; heightPx: number }): Promise<FittedImage>;
  /** The images in the size of the first one, those of another shape with white bars; at most 4 MB each. */
  fitToFirst(jpegs: readonly Uint8Array[]): Promise<Uint8Array[]>;
  /** A WebP at most `widthPx` wide. */
  shrink(jpeg: Uint8Array, widthPx: number): Promise<Uint8Array>;
  describeJpeg(jpeg: Uint8Array): Promise<ImageDescription>;
  /** Draws the preview image of a shared link as a JPEG. The same input gives the same bytes. */
  drawShareImage(image: ShareImage): Promise<Uint8Array>;
  /** Keeps shape and AI marking. `contrast`: the lowest of the text to any pixel that it touches, never below 4.5. */
  drawTemplate(input: TemplateInput): Promise<PreparedImage & { contrast: number }>;
  /** The same as WebP, at most `widthPx` wide. `isExact`: drawn at full size and then shrunk, like the stored image. */
  previewTemplate(
    input: TemplateInput,
    size: { widthPx: number; isExact: boolean },
  ): Promise<{ webp: Uint8Array; contrast: number }>;
  sampleImage(): Promise<Uint8Array>;
  missingCharacters(text: Pick<TemplateInput, "fontPairing" | "text" | "signature">): string[];
  /** Converts an uploaded file to a PNG of at most 800 pixels a side, with its transparency. */
  prepareLogo(path: string): Promise<PreparedLogo>;
  drawIcon(icon: AppIcon): Promise<Uint8Array>;
}
