import { type Boards, boardNameOf } from "#components/accounts/use-boards.tsx";
import { PreviewToggle } from "#components/shared/preview-toggle.tsx";
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
  const { title, description, url, image } = row;
  return (
    <div data-slot="bulk-preview" className="min-w-0 max-md:col-span-full md:col-start-2">
      <PreviewToggle
        name={`pin ${number}`}
        pin={{
          ...{ title, description, username, link: url, altText: "" },
          imageUrl: image && !image.problem ? image.preview : null,
          boardName: boardId === null ? null : boardNameOf(boards, boardId),
        }}
      />
    </div>
  );
}
