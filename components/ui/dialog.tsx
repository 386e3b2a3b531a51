"use client";

import { cva, type VariantProps } from "class-variance-authority";
import X from "lucide-react/icons/x";
import { Dialog as Radix } from "radix-ui";
import { type ReactNode, useRef } from "react";
import { cn } from "#components/ui/cn.ts";
import { DIALOG_TITLE } from "#components/ui/dialog-style.ts";
import { IconButton } from "#components/ui/icon-button.tsx";

/** Dims the page behind a dialog, including dialogs below it. */
export const SCRIM = "fixed inset-0 animate-fade-in bg-(--scrim)";

const content = cva("fixed left-1/2 z-(--z-dialog) rounded-dialog bg-raised shadow-dialog focus-visible:outline-none", {
  variants: {
    width: {
      sm: "w-[min(400px,calc(100vw-32px))]",
      md: "w-[min(460px,calc(100vw-32px))]",
      lg: "w-[min(880px,calc(100vw-32px))]",
      xl: "w-[min(940px,calc(100vw-32px))]",
      "2xl": "w-[min(1000px,calc(100vw-32px))]",
      palette: "w-[min(580px,calc(100vw-24px))]",
    },
    placement: {
      center: "top-1/2 max-h-[calc(100dvh-48px)] -translate-1/2 animate-rise-in overflow-y-auto px-7 pt-7 pb-6",
      top: [
        "top-[min(14dvh,140px)] flex max-h-[min(560px,calc(86dvh-24px))] -translate-x-1/2 animate-fade-in flex-col",
        "overflow-hidden p-0 max-md:top-3 max-md:max-h-[calc(100dvh-24px)]",
      ],
    },
  },
  defaultVariants: { width: "sm", placement: "center" },
});

type DialogProps = {
  isOpen: boolean;
  /** Called on Escape, the backdrop and the close button. */
  onClose: () => void;
  title: ReactNode;
  /** Shows the title to screen readers only. */
  isTitleHidden?: boolean;
  /** One sentence below the title. */
  description?: ReactNode;
  /** 400, 460, 880, 940 or 1,000 px, never wider than the window. */
  width?: VariantProps<typeof content>["width"];
  /** `top` for a list whose height changes while the user types. */
  placement?: VariantProps<typeof content>["placement"];
  hasCloseButton?: boolean;
  /** Focused on close when the opener disappears too; null focuses the opener. */
  focusAfter?: () => HTMLElement | null;
  children?: ReactNode;
  className?: string;
};

/** A modal dialog that traps the focus and restores it on close. */
export function Dialog(props: DialogProps) {
  const { isOpen, onClose, title, isTitleHidden, description, width, placement, hasCloseButton } = props;
  const { focusAfter, children, className } = props;
  // Radix restores the focus to its own trigger, but these dialogs open by state.
  const opener = useRef<Element | null>(null);
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay data-slot="scrim" className={cn(SCRIM, "z-(--z-dialog)")} />
        <Radix.Content
          data-slot="dialog"
          className={content({ placement, width, className })}
          onOpenAutoFocus={() => {
            opener.current = document.activeElement;
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            const next = focusAfter?.() ?? opener.current;
            if (next instanceof HTMLElement) next.focus();
          }}
          {...(description ? {} : { "aria-describedby": undefined })}
        >
          <Radix.Title className={isTitleHidden ? "sr-only" : cn(DIALOG_TITLE, hasCloseButton && "pr-8")}>
            {title}
          </Radix.Title>
          {description && <Radix.Description className="mt-2 text-sm text-ink-3">{description}</Radix.Description>}
          {children}
          {hasCloseButton && (
            <div className="absolute top-4 right-4">
              <Radix.Close asChild>
                <IconButton label="Close">
                  <X aria-hidden="true" />
                </IconButton>
              </Radix.Close>
            </div>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** The buttons at the bottom of a dialog, the secondary one first. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-[22px] flex flex-wrap justify-end gap-3">{children}</div>;
}
