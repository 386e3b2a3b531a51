"use client";

import Menu from "lucide-react/icons/menu";
import X from "lucide-react/icons/x";
import { usePathname } from "next/navigation";
import { Dialog } from "radix-ui";
import { useEffect, useState } from "react";
import { SidebarContent, type SidebarContentProps } from "#components/shell/sidebar-content.tsx";
import { cn } from "#components/ui/cn.ts";
import { SCRIM } from "#components/ui/dialog.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";

const isLink = (target: EventTarget): boolean => target instanceof Element && target.closest("a") !== null;

/** The sidebar on small screens, as a modal drawer. It also closes on navigation. */
export function Drawer(props: SidebarContentProps) {
  const [isOpen, setIsOpen] = useState(false);
  const path = usePathname();

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path is the reason to close
  useEffect(() => setIsOpen(false), [path]);

  return (
    <Dialog.Root open={isOpen} onOpenChange={setIsOpen}>
      <Dialog.Trigger asChild>
        <IconButton label="Open menu">
          <Menu aria-hidden="true" />
        </IconButton>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className={cn(SCRIM, "z-(--z-bar)")} />
        <Dialog.Content
          className={cn(
            "fixed inset-y-0 right-auto left-0 z-(--z-drawer) flex flex-col gap-4",
            "w-[min(304px,calc(100vw_-_56px))] py-4 px-3.5 overflow-y-auto bg-page shadow-dialog text-ui",
            "animate-[slide-in_var(--dur-panel)_var(--ease-out)]",
          )}
          aria-describedby={undefined}
        >
          <Dialog.Title className="sr-only">Menu</Dialog.Title>
          <div className="absolute top-4 right-3">
            <Dialog.Close asChild>
              <IconButton label="Close menu">
                <X aria-hidden="true" />
              </IconButton>
            </Dialog.Close>
          </div>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the links inside are the controls */}
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click */}
          <div className="contents" onClick={(event) => isLink(event.target) && setIsOpen(false)}>
            <SidebarContent {...props} />
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
