import NotebookPen from "lucide-react/icons/notebook-pen";
import Sparkles from "lucide-react/icons/sparkles";
import Trash2 from "lucide-react/icons/trash-2";
import { memo } from "react";
import { Button } from "#components/ui/button.tsx";
import { WORD_TARGET } from "#components/ui/button-style.ts";
import { cn } from "#components/ui/cn.ts";
import type { SavedVideoWire } from "#lib/features/videos/schema.ts";
import { LinkButtons, VideoCard } from "./video-card.tsx";
import { nameOf } from "./video-texts.ts";

export type SavedTool = "pins" | "notes" | "delete";

type SavedCardProps = {
  video: SavedVideoWire;
  isSelected: boolean;
  hashtag: string;
  onToggle: (id: string) => void;
  onHashtag: (hashtag: string) => void;
  onCopy: (url: string) => void;
  onUse: (tool: SavedTool, video: SavedVideoWire) => void;
};

function TagsAndNotes({ video, onEdit }: { video: SavedVideoWire; onEdit: () => void }) {
  const { tags, notes } = video;
  const hasText = tags.length > 0 || notes !== "";
  return (
    <div className="grid gap-1.5 mt-0.5 text-xs">
      {tags.length > 0 && (
        <ul
          aria-label="Your tags"
          className={cn(
            "flex flex-wrap gap-[5px]",
            "[&>li]:py-0.5 [&>li]:px-[7px] [&>li]:rounded-[5px] [&>li]:bg-well",
            "[&>li]:shadow-[inset_0_0_0_1px_var(--line)] [&>li]:text-ink-2",
          )}
        >
          {tags.map((tag) => (
            <li key={tag}>{tag}</li>
          ))}
        </ul>
      )}
      {notes !== "" && (
        <p className="line-clamp-3 pl-2.5 text-ink-2 whitespace-pre-line border-l-2 border-line-2">{notes}</p>
      )}
      <button
        type="button"
        className={cn("link", WORD_TARGET, "inline-flex items-center justify-self-start gap-1.5 [&>svg]:size-3.5")}
        onClick={onEdit}
      >
        <NotebookPen aria-hidden="true" />
        {hasText ? "Edit tags and notes" : "Add tags or notes"}
        <span className="sr-only">: {nameOf(video)}</span>
      </button>
    </div>
  );
}

function Card({ video, isSelected, hashtag, onToggle, onHashtag, onCopy, onUse }: SavedCardProps) {
  const name = nameOf(video);
  return (
    <li
      className="min-w-0 -m-1 p-1 [content-visibility:auto] [contain-intrinsic-size:auto_620px]"
      data-video={video.id}
    >
      <VideoCard
        video={video}
        isSelected={isSelected}
        onToggle={() => onToggle(video.id)}
        footClassName="grid-cols-2 [&>a]:order-1 [&>a]:col-span-full [&>button:not(:first-child)]:order-2"
        shotClassName="aspect-4/5 max-[35rem]:aspect-4/3"
        hashtag={hashtag}
        onHashtag={onHashtag}
        more={<TagsAndNotes video={video} onEdit={() => onUse("notes", video)} />}
      >
        <Button size="sm" className="col-span-full" onClick={() => onUse("pins", video)}>
          <Sparkles aria-hidden="true" />
          Create pins from this
          <span className="sr-only">: {name}</span>
        </Button>
        <LinkButtons video={video} copyLabel="Copy URL" openLabel="Open in TikTok" onCopy={onCopy} />
        <Button size="sm" variant="danger-quiet" onClick={() => onUse("delete", video)}>
          <Trash2 aria-hidden="true" />
          Delete
          <span className="sr-only">: {name}</span>
        </Button>
      </VideoCard>
    </li>
  );
}

/** A saved video with its actions. */
export const SavedCard = memo(Card);
