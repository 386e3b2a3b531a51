import type { RowPicture } from "#components/pins/bulk/bulk-rows.ts";
import { KIND_BYTES, pictureKindOf } from "#lib/core/picture-kind.ts";
import { PICTURE_BYTES_MAX, PICTURE_FAULTS, TEXTS } from "#lib/features/pins/constants.ts";

const NOTES = { gif: "If this GIF moves, its first frame is taken." } as const;

const FAULTS = {
  empty: PICTURE_FAULTS.empty,
  heic: PICTURE_FAULTS.heic,
  svg: PICTURE_FAULTS.svg,
  other: PICTURE_FAULTS.not_a_picture,
} as const;

const problemOf = async (file: File): Promise<{ problem: string | null; note: string | null }> => {
  try {
    const kind = pictureKindOf(new Uint8Array(await file.slice(0, KIND_BYTES).arrayBuffer()));
    // Size is the server's to judge; saying so beforehand spares the waiting.
    const note = file.size > PICTURE_BYTES_MAX ? TEXTS.pictureTooLarge : kind === "gif" ? NOTES.gif : null;
    return { problem: Object.hasOwn(FAULTS, kind) ? FAULTS[kind as keyof typeof FAULTS] : null, note };
  } catch (error) {
    // Moved or deleted since it was chosen.
    if (error instanceof DOMException)
      return { problem: "This file can no longer be read. Choose it again.", note: null };
    throw error;
  }
};

/** A chosen file as a row shows it. What the server would refuse anyhow is said at once. */
export const inspectFile = async (file: File): Promise<RowPicture> => ({
  file,
  preview: URL.createObjectURL(file),
  ...(await problemOf(file)),
});
