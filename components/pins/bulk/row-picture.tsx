import ImagePlus from "lucide-react/icons/image-plus";
import { PART } from "#components/pins/bulk/bulk-keys.ts";
import type { RowPicture } from "#components/pins/bulk/bulk-rows.ts";
import { PinFace, PinOutline } from "#components/pins/pin-face.tsx";
import { cn } from "#components/ui/cn.ts";

/** What a file dialog offers first; what counts is what the file holds. */
export const ACCEPTED = "image/png,image/jpeg,image/gif,image/webp";

type RowPictureFieldProps = {
  number: number;
  picture: RowPicture | null;
  problem: string | undefined;
  /** While it is being sent. */
  percent: number | undefined;
  noteId: string;
  isDisabled: boolean;
  onFiles: (files: File[]) => void;
};

/** The image of a pin in its frame of 9:14, never cropped (R-BULK-07, A-15); the whole frame chooses another. */
export function RowPictureField(props: RowPictureFieldProps) {
  const { number, picture, problem, percent, noteId, isDisabled, onFiles } = props;
  const note = problem ?? picture?.note;
  return (
    <div className="bulk-picture">
      <span className="bulk-number num" aria-hidden="true">
        Pin {number}
      </span>
      <label className={cn("bulk-frame", problem && "bulk-frame-failed")}>
        <input
          type="file"
          aria-label={`Choose image of pin ${number}`}
          className="sr-only"
          accept={ACCEPTED}
          multiple
          disabled={isDisabled}
          aria-describedby={note ? noteId : undefined}
          aria-invalid={problem ? true : undefined}
          {...{ [PART]: "picture" }}
          onChange={(event) => {
            onFiles([...(event.target.files ?? [])]);
            // The same file may be chosen again after it was mended.
            event.target.value = "";
          }}
        />
        {picture && !picture.problem ? (
          <PinFace src={picture.preview} alt="" className="bulk-face" />
        ) : (
          <PinOutline>
            <span className="grid justify-items-center gap-2 bulk-empty">
              <ImagePlus aria-hidden="true" size={20} strokeWidth={1.7} />
              {picture ? picture.file.name : "Choose image"}
            </span>
          </PinOutline>
        )}
      </label>
      {percent !== undefined && (
        <span className="bulk-progress num">
          <progress max={100} value={percent} aria-label={`Image of pin ${number}`} />
          {percent} %
        </span>
      )}
      {note && (
        <p id={noteId} className={problem ? "field-error" : "field-note"}>
          {note}
        </p>
      )}
    </div>
  );
}
