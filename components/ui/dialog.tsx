"use client";

import X from "lucide-react/icons/x";
import { Dialog as Radix } from "radix-ui";
import { type ReactNode, useRef } from "react";
import { cn } from "#components/ui/cn.ts";
import { IconButton } from "#components/ui/icon-button.tsx";

type DialogProps = {
  isOpen: boolean;
  /** Called for Escape, the backdrop and X alike. */
  onClose: () => void;
  title: ReactNode;
  /** Keeps the title for screen readers only. */
  isTitleHidden?: boolean;
  /** One sentence below the title. */
  description?: ReactNode;
  /** 880 px instead of 400. */
  isWide?: boolean;
  hasCloseButton?: boolean;
  /** What gets the focus on closing where the opener goes as well; null leaves it to the opener. */
  focusAfter?: () => HTMLElement | null;
  children?: ReactNode;
  className?: string;
};

/** A dialog that holds the focus and gives it back. */
export function Dialog(props: DialogProps) {
  const { isOpen, onClose, title, isTitleHidden, description, isWide, hasCloseButton } = props;
  const { focusAfter, children, className } = props;
  // Radix gives the focus back to a trigger of its own; ours are opened by state.
  const opener = useRef<Element | null>(null);
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="scrim" />
        <Radix.Content
          className={cn("dialog", isWide && "dialog-wide", className)}
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
          <Radix.Title className={isTitleHidden ? "sr-only" : "dialog-title"}>{title}</Radix.Title>
          {description && <Radix.Description className="mt-2 text-sm text-ink-3">{description}</Radix.Description>}
          {children}
          {hasCloseButton && (
            <Radix.Close asChild>
              <IconButton label="Close" className="absolute right-4 top-4 [&]:absolute">
                <X aria-hidden="true" />
              </IconButton>
            </Radix.Close>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** The row of buttons at a dialog's foot: the quiet one first. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-[22px] flex flex-wrap justify-end gap-3">{children}</div>;
}
