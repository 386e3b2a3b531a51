import type { BulkForm } from "#components/pins/bulk/bulk-rows.ts";

/** A try that ended before there was any answer. */
export interface BrokenOff {
  /** The form as it was: what is said of it holds for no other. */
  form: BulkForm;
  /** By its user's word; else the line was lost. */
  isByUser: boolean;
  /** How many of the images had gone whole; null when sending had not begun. */
  sent: { whole: number; all: number } | null;
  /** The next try can ask which images are kept, and sends only the others. */
  canSkip: boolean;
}

/** What such a try leaves: its images are kept as they come to be read, so a next try may still send some again. */
export const brokenOffText = ({ isByUser, sent, canSkip }: Omit<BrokenOff, "form">): string => {
  const broken = isByUser ? "Stopped" : "The connection was lost";
  if (!sent) return `${broken} before anything was sent.`;
  const { whole, all } = sent;
  if (whole === 0) return `${broken} before an image was through. Create sends all of them.`;
  if (whole === all) {
    return `${broken} after all images were sent: the drafts may be there. Create, with nothing changed, makes none twice.`;
  }
  const next = canSkip ? "Create sends only what is not kept here yet." : "Create sends all of them again.";
  return `${broken} after ${whole} of ${all} images. ${next}`;
};
