"use client";

import Check from "lucide-react/icons/check";
import { Toaster as Sonner, toast } from "sonner";

type ToastOptions = {
  /** Puts 'Undo' at the end; pressing it closes the toast. */
  onUndo?: () => void;
  undoLabel?: string;
  hasCheck?: boolean;
  durationMs?: number;
};

/** A short line at the foot of the page about something that just happened. */
export function showToast(message: string, options: ToastOptions = {}): void {
  const { onUndo, undoLabel = "Undo", hasCheck = false, durationMs = onUndo ? 8000 : 4000 } = options;
  toast.custom(
    (id) => (
      <div className="toast">
        {hasCheck && <Check aria-hidden="true" size={17} />}
        <span className="py-3 pr-2">{message}</span>
        {onUndo && (
          <button
            type="button"
            className="toast-undo"
            onClick={() => {
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
}

/** The place where toasts appear: once per layout that uses them. */
export function Toaster() {
  return <Sonner position="bottom-center" className="toaster" gap={10} style={{ zIndex: "var(--z-toast)" }} />;
}
