import Images from "lucide-react/icons/images";
import { ACCEPTED } from "#components/pins/bulk/row-picture.tsx";
import { cn } from "#components/ui/cn.ts";
import { PICTURE_HINT } from "#lib/features/pins/constants.ts";

type PictureDropProps = { isOver: boolean; isDisabled: boolean; onFiles: (files: File[]) => void };

/** Chooses many images at once; each finds its row, or makes one (R-BULK-06). */
export function PictureDrop({ isOver, isDisabled, onFiles }: PictureDropProps) {
  return (
    <label className={cn("bulk-drop", isOver && "bulk-drop-over")}>
      <Images aria-hidden="true" size={22} strokeWidth={1.7} />
      <span>
        <b className="font-semibold text-ink">Choose images</b>
        <span className="text-ink-2">, drop them here or paste them. Each becomes a pin.</span>
      </span>
      <span className="text-xs text-ink-3">{PICTURE_HINT}</span>
      <input
        type="file"
        className="sr-only"
        accept={ACCEPTED}
        multiple
        disabled={isDisabled}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </label>
  );
}
