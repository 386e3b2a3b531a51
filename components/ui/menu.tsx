"use client";

import { cva } from "class-variance-authority";
import { DropdownMenu as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";

type MenuProps = {
  /** The button that opens the menu. */
  trigger: ReactNode;
  label: string;
  /** Open when it is mounted. */
  isOpenAtFirst?: boolean;
  children: ReactNode;
};

/** A dropdown menu of commands. */
export function Menu({ trigger, label, isOpenAtFirst = false, children }: MenuProps) {
  return (
    <Radix.Root modal={false} defaultOpen={isOpenAtFirst}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          data-slot="menu"
          className={cn(
            "z-(--z-dialog) max-w-[calc(100vw-24px)] min-w-[190px] animate-rise-menu rounded-[12px] bg-raised p-[5px]",
            "shadow-dialog",
          )}
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

const menuItem = cva(
  [
    "flex min-h-11 cursor-pointer items-center gap-2.5 rounded-[8px] px-3.5 text-sm font-medium select-none",
    "[&>svg]:size-[17px] [&>svg]:stroke-[1.7]",
    "data-highlighted:bg-hover data-highlighted:outline-[2.5px] data-highlighted:outline-offset-[-2.5px]",
    "data-highlighted:outline-focus data-disabled:cursor-not-allowed data-disabled:text-ink-3",
  ],
  { variants: { isDangerous: { true: "text-failed-ink", false: "text-ink" } } },
);

type MenuItemProps = {
  icon?: ReactNode;
  isDangerous?: boolean;
  disabled?: boolean;
  /** Not on devices without a mouse, which rarely have keys. */
  needsKeyboard?: boolean;
  onSelect: () => void;
  children: ReactNode;
};

export function MenuItem(props: MenuItemProps) {
  const { icon, isDangerous = false, disabled, needsKeyboard = false, onSelect, children } = props;
  return (
    <Radix.Item
      className={cn(menuItem({ isDangerous }), needsKeyboard && "pointer-coarse:hidden")}
      disabled={disabled}
      onSelect={onSelect}
    >
      {icon}
      {children}
    </Radix.Item>
  );
}
