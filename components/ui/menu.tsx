"use client";

import { DropdownMenu as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";

type MenuProps = {
  /** A button; it opens the menu and gets the focus back. */
  trigger: ReactNode;
  label: string;
  children: ReactNode;
};

/** A list of commands behind a button. Arrow keys, Home, End and first letters move in it; Escape closes. */
export function Menu({ trigger, label, children }: MenuProps) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className="menu"
          aria-label={label}
          side="top"
          align="start"
          sideOffset={8}
          collisionPadding={12}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

type MenuItemProps = {
  icon?: ReactNode;
  isDangerous?: boolean;
  disabled?: boolean;
  onSelect: () => void;
  children: ReactNode;
};

/** One command of a menu: icon and words. */
export function MenuItem({ icon, isDangerous, disabled, onSelect, children }: MenuItemProps) {
  return (
    <Radix.Item className={cn("menu-item", isDangerous && "menu-item-danger")} disabled={disabled} onSelect={onSelect}>
      {icon}
      {children}
    </Radix.Item>
  );
}
