"use client";

import { useCredits } from "#components/credits/credits-context.tsx";
import { useLogout } from "#components/identity/use-logout.ts";
import type { CommandView } from "#components/shell/commands.tsx";
import type { ActionName } from "#components/shell/palette-entries.ts";
import { chooseTheme } from "#components/ui/theme-choice.ts";

/** What each action of the palette does. */
export const useActions = (onOpen: (view: CommandView) => void): Record<ActionName, () => void> => {
  const { reload } = useCredits();
  const { logOut } = useLogout();
  return {
    lightTheme: () => chooseTheme("light"),
    darkTheme: () => chooseTheme("dark"),
    systemTheme: () => chooseTheme("system"),
    readBalance: reload,
    showShortcuts: () => onOpen("shortcuts"),
    logOut: () => void logOut(),
  };
};
