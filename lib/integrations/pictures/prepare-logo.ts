import "server-only";
import type { PreparedLogo } from "./port.ts";
import { decodeUpload, openUpload } from "./prepare-upload.ts";

const LOGO_SIDE_PX = 800;

/**
 * A PNG from a file that somebody sent as their logo (R-SRV-07): judged as other uploads are, upright, and clear where it
 * was clear, without anything but pixels.
 */
export const prepareLogo = (path: string): Promise<PreparedLogo> =>
  decodeUpload(path, async (): Promise<PreparedLogo> => {
    const size = { width: LOGO_SIDE_PX, height: LOGO_SIDE_PX };
    const small = await openUpload(path)
      .autoOrient()
      .resize({ ...size, fit: "inside", withoutEnlargement: true })
      .toColourspace("srgb")
      .png()
      .toBuffer();
    return { kind: "prepared", png: small };
  });
