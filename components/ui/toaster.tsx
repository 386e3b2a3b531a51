"use client";

import Check from "lucide-react/icons/check";
import { usePathname } from "next/navigation";
import { useEffect } from "react";
import { Toaster as Sonner, toast } from "sonner";
import { cn } from "#components/ui/cn.ts";
import { TOAST_MS, UNDO_MS } from "#components/ui/toast-times.ts";

type ToastOptions = {
  /** Adds an Undo button, which works until the user leaves the screen. */
  onUndo?: () => void;
  undoLabel?: string;
  hasCheck?: boolean;
  durationMs?: number;
};

const undoable = new Set<string | number>();

/** The element that had the focus before a toast took it. */
let lastFocused: Element | null = null;

const rememberFocus = ({ target }: FocusEvent): void => {
  if (target instanceof HTMLElement && !target.closest(".toaster")) lastFocused = target;
};

/** A pressed toast closes at once, so the focus returns to where it was, or else to the main content. */
const restoreFocus = (): void => {
  const main = document.querySelector<HTMLElement>("main");
  const next = lastFocused instanceof HTMLElement && lastFocused.isConnected ? lastFocused : main;
  next?.focus({ preventScroll: true });
};

/** Shows a short message at the bottom of the page. Alt+T focuses the newest one. */
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
        {hasCheck && <Check aria-hidden="true" size={17} className="flex-none" />}
        <span className="min-w-0 py-3 pr-2 wrap-anywhere">{message}</span>
        {onUndo && (
          <button
            type="button"
            className="min-h-(--h-control-sm) flex-none whitespace-nowrap rounded-[8px] px-3 font-[550] text-band-2 hover:bg-band-raised"
            onClick={() => {
              restoreFocus();
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

/** Renders the toasts; include it once per layout. */
export function Toaster() {
  const path = usePathname();
  useEffect(() => {
    document.addEventListener("focusin", rememberFocus);
    return () => document.removeEventListener("focusin", rememberFocus);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: leaving a screen removes what it could undo
  useEffect(
    () => () => {
      for (const id of undoable) toast.dismiss(id);
      undoable.clear();
    },
    [path],
  );

  return <Sonner position="bottom-center" className="toaster" gap={10} style={{ zIndex: "var(--z-toast)" }} />;
}
