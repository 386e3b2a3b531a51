"use client";

import Check from "lucide-react/icons/check";
import { usePathname } from "next/navigation";
import { useEffect } from "react";
import { Toaster as Sonner, toast } from "sonner";
import { cn } from "#components/ui/cn.ts";
import { TOAST_MS, UNDO_MS } from "#components/ui/toast-times.ts";

type ToastOptions = {
  /** Puts 'Undo' at the end; pressing it closes the toast. It works as long as the screen it came from is there. */
  onUndo?: () => void;
  undoLabel?: string;
  hasCheck?: boolean;
  durationMs?: number;
};

const undoable = new Set<string | number>();

/** What had the focus before it went to a toast. */
let before: Element | null = null;

const rememberFocus = ({ target }: FocusEvent): void => {
  if (target instanceof HTMLElement && !target.closest(".toaster")) before = target;
};

/** A toast that is pressed goes at once; the focus goes back to where it came from, or else to what the page is about. */
const giveFocusBack = (): void => {
  const main = document.querySelector<HTMLElement>("main");
  const next = before instanceof HTMLElement && before.isConnected ? before : main;
  next?.focus({ preventScroll: true });
};

/** A short line at the foot of the page about something that just happened. Alt+T brings the focus to the last one. */
export function showToast(message: string, options: ToastOptions = {}): void {
  const { onUndo, undoLabel = "Undo", hasCheck = false, durationMs = onUndo ? UNDO_MS : TOAST_MS } = options;
  const shown = toast.custom(
    (id) => (
      <div
        data-slot="toast"
        className={cn(
          "mx-auto flex min-h-12 w-max max-w-[calc(100vw-32px)] items-center gap-[11px] rounded-[11px] bg-band pr-2",
          "pl-[15px] font-sans text-sm font-medium text-band-ink shadow-bar",
        )}
      >
        {hasCheck && <Check aria-hidden="true" size={17} />}
        <span className="py-3 pr-2">{message}</span>
        {onUndo && (
          <button
            type="button"
            className="min-h-(--h-control-sm) rounded-[8px] px-3 font-[550] text-band-2 hover:bg-band-raised"
            onClick={() => {
              giveFocusBack();
              toast.dismiss(id);
              onUndo();
            }}
          >
            {undoLabel}
          </button>
        )}
      </div>
    ),
    { duration: durationMs },
  );
  if (onUndo) undoable.add(shown);
}

/** The place where toasts appear: once per layout that uses them. */
export function Toaster() {
  const path = usePathname();
  useEffect(() => {
    document.addEventListener("focusin", rememberFocus);
    return () => document.removeEventListener("focusin", rememberFocus);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: on leaving a screen, what it could undo goes with it
  useEffect(
    () => () => {
      for (const id of undoable) toast.dismiss(id);
      undoable.clear();
    },
    [path],
  );

  return <Sonner position="bottom-center" className="toaster" gap={10} style={{ zIndex: "var(--z-toast)" }} />;
}
