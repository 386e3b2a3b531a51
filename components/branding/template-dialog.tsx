"use client";

import { useMemo, useState } from "react";
import { TemplateForm } from "#components/branding/template-form.tsx";
import { useBranding } from "#components/branding/use-branding.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { DiscardDialog } from "#components/ui/discard-dialog.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { useTypedDialog } from "#components/ui/use-typed-dialog.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

export type TemplateDialogProps = {
  isOpen: boolean;
  /** Pins of one account. Drafts and failed ones are changed; others are counted and stay as they are. */
  posts: readonly PostWire[];
  onClose: () => void;
  /** After pictures changed, also when only some did: the list is to be read again. */
  onDone: () => void;
  /** What gets the focus on closing where the opener goes as well. */
  focusAfter?: () => HTMLElement | null;
};

/** Nothing is on its way to Pinterest, and it is not perhaps there already. */
const isChangeable = ({ status, may_be_published }: PostWire): boolean =>
  (status === "draft" || status === "failed") && !may_be_published;

function Waiting() {
  return (
    <div className="template-form" aria-busy="true">
      <Skeleton className="aspect-9/14 w-full" />
      <div className="grid content-start gap-4">
        <Skeleton className="h-64 w-full" />
        <Skeleton className="h-11 w-full" />
        <Skeleton className="h-11 w-full" />
      </div>
    </div>
  );
}

/** Chooses a template for the pictures of one pin or many, with live previews; takes templates off as well. */
export function TemplateDialog({ isOpen, posts, onClose, onDone, focusAfter }: TemplateDialogProps) {
  const pins = useMemo(() => posts.filter(isChangeable), [posts]);
  const ids = useMemo(() => pins.map(({ id }) => id), [pins]);
  const accountId = pins[0]?.account_id ?? null;
  const { data, problem, reload } = useBranding(isOpen ? accountId : null, ids);
  // The form may go on with fewer: those that have got their template need none.
  const [inForm, setInForm] = useState<number | null>(null);
  const count = inForm ?? pins.length;
  const left = posts.length - pins.length;
  const { guard, typed } = useTypedDialog(isOpen, onClose);
  return (
    <Dialog
      isOpen={isOpen}
      onClose={guard.leave}
      title={posts.length === 1 ? "Template" : `Template for ${count} ${count === 1 ? "pin" : "pins"}`}
      description={
        left > 0
          ? `${left} ${left === 1 ? "pin is" : "pins are"} scheduled or published and ${left === 1 ? "stays as it is" : "stay as they are"}.`
          : "Words on the picture, for no credits. The picture below is kept: change or remove the template later."
      }
      focusAfter={focusAfter}
      isWide
      hasCloseButton
      className="template-dialog"
    >
      {pins.length === 0 && <Banner className="mt-5">Only drafts and failed pins can get a template.</Banner>}
      {problem !== null && (
        <Banner
          tone="failed"
          isAnnounced
          className="mt-5"
          action={
            <Button size="sm" onClick={reload}>
              Try again
            </Button>
          }
        >
          {problem}
        </Banner>
      )}
      {pins.length > 0 && problem === null && !data && <Waiting />}
      {data && data.pins.length > 0 && (
        <TemplateForm
          key={ids.join(" ")}
          branding={data}
          typed={typed}
          onCount={setInForm}
          onClose={onClose}
          onDone={onDone}
        />
      )}
      {data && pins.length > 0 && data.pins.length === 0 && (
        <Banner className="mt-5">These pins are no longer there.</Banner>
      )}
      <DiscardDialog guard={guard}>The words you typed are on no picture yet.</DiscardDialog>
    </Dialog>
  );
}
