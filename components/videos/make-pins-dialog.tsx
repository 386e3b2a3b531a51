"use client";

import { useRouter } from "next/navigation";
import { useMemo, useState } from "react";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { keepKeywords } from "#lib/client/kept-keywords.ts";
import { creatorAddress } from "#lib/core/creator-address.ts";
import { keywordsFrom } from "#lib/features/videos/engine/analysis.ts";
import type { SavedVideoWire } from "#lib/features/videos/schema.ts";

type MakePinsDialogProps = {
  video: SavedVideoWire | null;
  /** Null while no Pinterest account is connected. */
  creatorPath: string | null;
  onClose: () => void;
};

type ChoiceProps = MakePinsDialogProps & { video: SavedVideoWire };

/** Where an account is connected. */
const ACCOUNTS = "/app";

function Choice({ video, creatorPath, onClose }: ChoiceProps) {
  const router = useRouter();
  const keywords = useMemo(() => keywordsFrom(video), [video]);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [isMine, setMine] = useState(false);
  const chosen = keywords.filter((keyword) => !left.has(keyword));
  const toggle = (keyword: string) =>
    setLeft((before) => {
      const next = new Set(before);
      if (!next.delete(keyword)) next.add(keyword);
      return next;
    });
  const go = () => {
    if (creatorPath !== null) return router.push(creatorAddress(creatorPath, chosen));
    keepKeywords(chosen);
    router.push(ACCOUNTS);
  };
  return (
    <div className="mt-4 grid gap-4">
      {creatorPath === null && (
        <Banner>
          No Pinterest account is connected yet, and drafts belong to one of its boards. The keywords wait while you
          connect one.
        </Banner>
      )}
      {keywords.length === 0 && (
        <p className="text-sm text-ink-2">This video has neither a caption nor hashtags to take keywords from.</p>
      )}
      {keywords.length > 0 && (
        <fieldset className="grid gap-1">
          <legend className="label mb-1">Keywords</legend>
          {keywords.map((keyword) => (
            <Checkbox
              key={keyword}
              label={keyword}
              className="saved-keyword"
              checked={!left.has(keyword)}
              onChange={() => toggle(keyword)}
            />
          ))}
        </fieldset>
      )}
      {keywords.length > 0 && (
        <Checkbox
          className="saved-right"
          label="I have the right to use this idea, and make something of my own from it."
          checked={isMine}
          onChange={(event) => setMine(event.target.checked)}
        />
      )}
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button variant="primary" disabled={!isMine || chosen.length === 0} onClick={go}>
          {creatorPath === null ? "Connect Account" : "Open the creator"}
        </Button>
      </DialogActions>
    </div>
  );
}

/** 'Make pins from this': the words of a video become keywords, once its user says that they may use the idea. */
export function MakePinsDialog({ video, creatorPath, onClose }: MakePinsDialogProps) {
  return (
    <Dialog
      isOpen={video !== null}
      onClose={onClose}
      title="Make pins from this?"
      description="Each keyword becomes one draft. You can change them in the creator; nothing is made before you say so there."
      className="saved-dialog"
    >
      {video && <Choice key={video.id} video={video} creatorPath={creatorPath} onClose={onClose} />}
    </Dialog>
  );
}
