"use client";

import { useState } from "react";
import { PinThumb } from "#components/shared/pin-thumb.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { FieldNote } from "#components/ui/field.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { actionValue } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { planIntoSlotsAction } from "#lib/features/calendar/actions.ts";
import type { PlannedSlotWire } from "#lib/features/calendar/schema.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import { momentLabel } from "./moments.ts";
import type { PinMove } from "./move-plan.ts";

const CLOCK_NOTES = {
  plain: null,
  skipped: "Clocks spring forward that night, so this slot moves ahead.",
  repeated: "Clocks fall back that night. This is the first of the two times.",
} as const;

type SlotPlanDialogProps = {
  accountId: string;
  /** The drafts to plan, in their order; null while closed. */
  drafts: readonly PinWire[] | null;
  zone: string;
  onConfirm: (moves: PinMove[]) => Promise<boolean>;
  onClose: () => void;
  focusAfter?: () => HTMLElement | null;
};

const NEXT = "0";
const SPREADS = [7, 14, 30, 60] as const;

type PlanProps = Omit<SlotPlanDialogProps, "drafts" | "focusAfter"> & { drafts: readonly PinWire[] };

function Plan({ accountId, drafts, zone, onConfirm, onClose }: PlanProps) {
  const [days, setDays] = useState(NEXT);
  const [isBusy, setBusy] = useState(false);
  const pinIds = drafts.map(({ id }) => id);
  const spreadDays = days === NEXT ? null : Number(days);
  const { data, error, isReloading } = useApiQuery<PlannedSlotWire[]>(
    [...queryKeys.calendar, "slot-plan", accountId, spreadDays, ...pinIds],
    () => actionValue(planIntoSlotsAction({ accountId, pinIds, timeZone: zone, firstDay: null, spreadDays })),
  );
  const confirm = async () => {
    if (!data || isBusy) return;
    setBusy(true);
    const isDone = await onConfirm(data.map(({ post_id, at }) => ({ id: post_id, from: null, to: at })));
    setBusy(false);
    if (isDone) onClose();
  };
  return (
    <div className="mt-5 grid gap-4">
      <SelectField label="Spread" value={days} onChange={({ target }) => setDays(target.value)}>
        <option value={NEXT}>In the next free slots</option>
        {SPREADS.map((count) => (
          <option key={count} value={count}>
            Evenly over {count} days or more
          </option>
        ))}
      </SelectField>
      {error !== null && (
        <div className="grid justify-items-start gap-2">
          <FieldNote role="alert" isError>
            {error instanceof Error ? error.message : "We couldn't find free slots. Please try again."}
          </FieldNote>
          <LinkButton size="sm" href={`/app/calendar/slots?account=${encodeURIComponent(accountId)}`}>
            Set up posting slots
          </LinkButton>
        </div>
      )}
      {!data && error === null && <Skeleton shape="card" className="h-40 w-full" />}
      {data && (
        <ol className="grid max-h-[40dvh] gap-1 overflow-y-auto" aria-busy={isReloading}>
          {data.map(({ post_id, at, clock }, index) => (
            <li key={post_id} className="flex items-center gap-3 py-1">
              <PinThumb src={drafts[index]?.image_url ?? ""} className="h-11 w-7" />
              <span className="min-w-0 flex-1">
                <span className="num block font-[550]">{momentLabel(at, zone)}</span>
                <span className="block truncate text-sm text-ink-3">{drafts[index]?.title}</span>
                {CLOCK_NOTES[clock] && <span className="block text-xs text-ink-3">{CLOCK_NOTES[clock]}</span>}
              </span>
            </li>
          ))}
        </ol>
      )}
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button
          variant="primary"
          isBusy={isBusy}
          disabled={!data || isReloading || error !== null}
          onClick={() => void confirm()}
        >
          Schedule {drafts.length === 1 ? "this pin" : `${drafts.length} pins`}
        </Button>
      </DialogActions>
    </div>
  );
}

/** Shows which slot each draft would take. Nothing is scheduled before the user confirms. */
export function SlotPlanDialog({ drafts, focusAfter, ...props }: SlotPlanDialogProps) {
  return (
    <Dialog
      isOpen={drafts !== null}
      onClose={props.onClose}
      title="Fill the next free slots"
      description="Check each pin's time before anything is scheduled."
      width="md"
      focusAfter={focusAfter}
      hasCloseButton
    >
      {drafts && <Plan {...props} drafts={drafts} />}
    </Dialog>
  );
}
