import ChevronDown from "lucide-react/icons/chevron-down";
import { useId, useState } from "react";
import { type Boards, boardNameOf } from "#components/accounts/use-boards.tsx";
import { PinPreview } from "#components/shared/pin-preview.tsx";
import { Button } from "#components/ui/button.tsx";
import type { BulkRow } from "./bulk-rows.ts";

type RowPreviewProps = {
  row: BulkRow;
  number: number;
  /** Of the account that publishes it. */
  username: string;
  /** Its own board or the shared one. */
  boardId: string | null;
  boards: Boards;
};

/** Shows a row as Pinterest will show its pin, on request. */
export function RowPreview({ row, number, username, boardId, boards }: RowPreviewProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { title, description, url, image } = row;
  return (
    <div
      data-slot="bulk-preview"
      className="grid min-w-0 justify-items-start gap-3.5 max-md:col-span-full md:col-start-2"
    >
      <Button
        size="sm"
        variant="quiet"
        className="aria-expanded:[&_svg]:rotate-180"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <ChevronDown aria-hidden="true" />
        Preview
        <span className="sr-only"> of pin {number}</span>
      </Button>
      {isOpen && (
        <div id={id} className="w-full">
          <PinPreview
            label={`Preview of pin ${number}`}
            pin={{
              ...{ title, description, username, link: url, altText: "" },
              imageUrl: image && !image.problem ? image.preview : null,
              boardName: boardId === null ? null : boardNameOf(boards, boardId),
            }}
          />
        </div>
      )}
    </div>
  );
}
