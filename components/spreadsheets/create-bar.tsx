import { useState } from "react";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { countOf } from "#lib/core/text.ts";
import type { ImportWire } from "#lib/features/spreadsheets/schema.ts";

const createLabel = ({ drafts, scheduled }: ImportWire["counts"]): string => {
  if (scheduled === 0) return `Create ${countOf(drafts, "draft")}`;
  if (drafts === 0) return `Schedule ${countOf(scheduled, "pin")}`;
  return `Schedule ${countOf(scheduled, "pin")} and create ${countOf(drafts, "draft")}`;
};

const stateText = ({ status, counts }: ImportWire): string => {
  const { chosen, images_waiting: waiting } = counts;
  if (status === "creating") {
    return waiting > 0 ? `Downloading images: ${chosen - waiting} of ${chosen}` : "Creating your pins…";
  }
  return waiting > 0 ? `Downloading images: ${countOf(waiting, "row")} left. You can create the pins now.` : "";
};

type CreateBarProps = {
  open: ImportWire;
  busy: string | null;
  onCreate: () => void;
  onCancel: () => void;
  onDiscard: () => void;
};

/** What will happen, and the buttons that create the pins or discard the sheet. */
export function CreateBar({ open, busy, onCreate, onCancel, onDiscard }: CreateBarProps) {
  const [isAsking, setAsking] = useState(false);
  const { counts, status } = open;
  const isCreating = status === "creating";
  const canCreate = counts.chosen > 0 && counts.problems === 0;
  // What is created is what the user saw, so a change must be shown first.
  const isChanging = busy !== null && busy !== "create";
  return (
    <div className="sticky bottom-0 z-(--z-sticky) grid gap-3 border-t border-line bg-page pt-3.5 pb-[calc(14px_+_env(safe-area-inset-bottom))]">
      {open.reason && (
        <Banner tone="failed" isAnnounced>
          {open.reason}
        </Banner>
      )}
      <div className="flex flex-wrap items-center justify-end gap-x-4 gap-y-2.5 [&>:first-child]:flex-[1_1_14rem]">
        <p className="num text-sm text-ink-2" role="status">
          {stateText(open)}
        </p>
        {isCreating ? (
          <Button variant="quiet" isBusy={busy === "cancel"} onClick={onCancel}>
            Stop creating
          </Button>
        ) : (
          <Button variant="quiet" isBusy={busy === "discard"} onClick={() => setAsking(true)}>
            Discard
          </Button>
        )}
        <Button
          variant="primary"
          size="lg"
          className="max-md:w-full"
          disabled={!canCreate || isChanging}
          isBusy={isCreating || busy === "create"}
          busyLabel="Creating…"
          onClick={onCreate}
        >
          {canCreate
            ? createLabel(counts)
            : counts.chosen === 0
              ? "Select rows"
              : `Fix ${countOf(counts.problems, "row")} first`}
        </Button>
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        question="Discard this import?"
        declineLabel="Keep it"
        confirmLabel="Discard import"
        isDangerous
        onDecline={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false);
          onDiscard();
        }}
      >
        Its rows and your changes will be deleted. No pins have been created.
      </ConfirmDialog>
    </div>
  );
}
